#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/fd.h"

namespace orbweaver::platform {

/// What a process has used by the time it ended, children that it waited for included.
struct ProcessUsage {
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
};

/// How a process ended.
struct ProcessEnd {
  bool signalled = false;
  int code = 0;  ///< Exit status, or the signal's number.
  ProcessUsage usage;

  bool clean() const noexcept { return !signalled && code == 0; }
};

/// "exited with status 3", "killed by SIGSEGV".
std::string describe(const ProcessEnd& end);
/// "SIGTERM"; "signal 77" where the system has no name for it.
std::string signal_name(int signal);

struct SpawnRequest {
  std::string program;                         ///< A path; no search.
  std::vector<std::string> arguments;          ///< argv[0] is not among them.
  std::vector<std::string> extra_environment;  ///< "NAME=value", beside our own environment.
};

/// A child process. It dies with the thread that spawned it (PR_SET_PDEATHSIG: the kernel kills it when
/// that thread ends, however it ends), ignores SIGINT, so that Ctrl-C on the terminal reaches the parent
/// alone, and inherits no descriptor but 0, 1 and 2; 1 and 2 both lead into `output`.
///
/// Used by one thread. The destructor kills a child that still runs, and waits for it.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Starts the program; 0, or the errno value that says why it could not be: ENOENT, EACCES, ENOEXEC…
  /// A program that cannot be executed is reported here, not by a child that dies.
  int spawn(const SpawnRequest& request);

  bool running() const noexcept { return pid_ > 0; }
  int pid() const noexcept { return pid_; }
  /// Readable once the process has ended (for Poller); reap() then tells how.
  const Fd& ended() const noexcept { return ended_; }
  /// The read end, non-blocking, of the child's standard output and error.
  const Fd& output() const noexcept { return output_; }

  /// Sends a signal; nothing if it has ended.
  void signal(int number) noexcept;
  void terminate() noexcept;  ///< SIGTERM
  void kill() noexcept;       ///< SIGKILL
  /// Waits for the end, and forgets the process; the output can still be read.
  ProcessEnd reap() noexcept;
  /// What it has used so far; zeros where that cannot be told.
  ProcessUsage usage() const noexcept;

 private:
  int pid_ = -1;
  Fd ended_;
  Fd output_;
};

/// SIGINT, SIGTERM and SIGHUP as something to wait for, rather than as something that strikes. Make it
/// first thing in main(), before any thread: threads inherit that these signals are blocked. Children that
/// ChildProcess spawns do not.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable once a signal has come.
  const Fd& arrived() const noexcept { return fd_; }
  /// Its number, or 0 where none has come. Does not wait.
  int take() noexcept;

 private:
  Fd fd_;
};

/// Waits until one of several descriptors can be read or has hung up.
class Poller {
 public:
  void clear() { entries_.clear(); }
  /// `fd` without a descriptor is never ready.
  std::size_t add(const Fd& fd);
  /// At most `timeout_ms`; -1: for ever. True if something is ready.
  bool wait(int timeout_ms);
  bool ready(std::size_t index) const { return entries_[index].ready; }

 private:
  struct Entry {
    int fd;
    bool ready;
  };
  std::vector<Entry> entries_;
};

/// What can be read now, at most 64 KiB, without waiting. `at_end` is set at the end of the file.
std::string read_available(const Fd& fd, bool& at_end);

/// Whether this process may execute the file.
bool may_execute(const std::string& path) noexcept;
/// Whether a process is held by a signal (SIGSTOP, SIGTSTP, …) or by a debugger. False where there is none.
bool is_stopped(int pid);
/// The processor as the kernel calls it: "x86_64", "aarch64".
std::string processor_name();
/// The path of the program that runs.
std::string own_program();
/// The CPU time of the calling thread, nanoseconds.
std::int64_t thread_cpu_ns() noexcept;
/// Whether standard error is a terminal.
bool error_is_terminal() noexcept;

}  // namespace orbweaver::platform
