#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/fd.h"

namespace orbweaver::platform {

/// The CPU time that a process used until it ended, including that of children which it waited for.
struct ProcessUsage {
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
};

/// The exit status of a process, with its CPU time.
struct ExitStatus {
  bool signalled = false;
  int code = 0;  ///< Exit status, or the signal's number.
  ProcessUsage usage;

  bool clean() const noexcept { return !signalled && code == 0; }
};

/// Whether SIGTERM has ended the process: as the signal, or with status 143, by which shells and the Java
/// machine report it.
bool ended_by_sigterm(const ExitStatus& end) noexcept;
/// "exited with status 3", "killed by SIGSEGV".
std::string describe(const ExitStatus& end);
/// "SIGTERM"; "signal 77" if the system has no name for it.
std::string signal_name(int signal);

/// How a new process is scheduled, and what limits it. Applied before its program begins; the processes that
/// it starts inherit all of it.
struct ProcessLimits {
  int real_time_priority = 0;     ///< Of SCHED_FIFO or SCHED_RR: 1 to 99; 0: the scheduling of this process.
  bool round_robin = false;       ///< SCHED_RR instead of SCHED_FIFO.
  std::vector<int> cores;         ///< Affinity; empty: that of this process.
  std::uint64_t stack_bytes = 0;  ///< Soft limit of the main thread's stack (RLIMIT_STACK); 0: unchanged.
  /// The folder of a control group of version 2 that the process enters; empty: that of this process.
  std::string control_group;
};

/// The program that ChildProcess::spawn starts.
struct SpawnRequest {
  std::string program;                 ///< A path; no search.
  std::vector<std::string> arguments;  ///< argv[0] is not among them.
  /// "NAME=value", added to this process's environment, instead of its variable of that name.
  std::vector<std::string> extra_environment;
  ProcessLimits limits{};
  /// The process becomes the leader of a process group: signals of ChildProcess go to its own children, too,
  /// as long as it has not been reaped.
  bool leads_group = false;
  bool has_input = false;  ///< Its standard input is ChildProcess::input(); otherwise it is empty.
};

/// The step in which ChildProcess::spawn has failed.
enum class SpawnStep : std::uint8_t { start, stack, affinity, priority, control_group, program };

/// A child process. The kernel kills it when the thread that spawned it ends (PR_SET_PDEATHSIG). It ignores
/// SIGINT, so that Ctrl-C on the terminal reaches only the parent, and inherits no descriptor but 0, 1 and 2;
/// 1 and 2 are both redirected to `output`.
///
/// Not thread-safe. The destructor kills a child that is still running, and waits for it.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Starts the program; 0, or an errno value: ENOENT, EACCES, ENOEXEC… A failure of exec is reported here as
  /// well, not as the exit of the child. After a failure, `failed` is its step.
  int spawn(const SpawnRequest& request, SpawnStep* failed = nullptr);

  bool running() const noexcept { return pid_ > 0; }
  int pid() const noexcept { return pid_; }
  /// A pidfd, readable once the process has ended (for Poller); then call reap().
  const Fd& ended() const noexcept { return ended_; }
  /// The non-blocking read end of the child's standard output and error.
  const Fd& output() const noexcept { return output_; }
  /// The non-blocking write end of the child's standard input; empty without SpawnRequest::has_input.
  const Fd& input() const noexcept { return input_; }

  /// Sends a signal; no effect if the process has been reaped.
  void signal(int number) noexcept;
  void terminate() noexcept;  ///< SIGTERM
  void kill() noexcept;       ///< SIGKILL
  /// Waits until the process has ended and releases it; `output` can still be read.
  ExitStatus reap() noexcept;
  /// The CPU time used so far, user and system together in `user_ns`; zeros if it is not available.
  ProcessUsage usage() const noexcept;

 private:
  int pid_ = -1;
  bool leads_group_ = false;
  Fd ended_;
  Fd output_;
  Fd input_;
};

/// SIGINT, SIGTERM and SIGHUP as a readable descriptor instead of handlers. Construct it at the start of
/// main(), before any thread: the constructor blocks these signals, and new threads inherit the signal mask.
/// Children that ChildProcess spawns do not.
class TerminationSignals {
 public:
  TerminationSignals();
  ~TerminationSignals();
  TerminationSignals(const TerminationSignals&) = delete;
  TerminationSignals& operator=(const TerminationSignals&) = delete;

  /// Readable once a signal is pending.
  const Fd& arrived() const noexcept { return fd_; }
  /// Takes a pending signal and returns its number; 0 if none is pending. Does not wait.
  int take() noexcept;

 private:
  Fd fd_;
};

/// Waits until one of several descriptors is readable, or writable, or has hung up.
class Poller {
 public:
  void clear() { entries_.clear(); }
  /// Adds a descriptor and returns its index. An empty `fd` is never ready.
  std::size_t add(const Fd& fd);
  /// As add(), for a descriptor that is to be writable.
  std::size_t add_writer(const Fd& fd);
  /// Waits at most `timeout_ms`; -1: without limit. True if a descriptor is ready.
  bool wait(int timeout_ms);
  bool ready(std::size_t index) const { return entries_[index].ready; }

 private:
  struct Entry {
    int fd;
    short events;
    bool ready;
  };
  std::vector<Entry> entries_;
};

/// Reads the available bytes, at most 64 KiB. `fd` must be non-blocking. Sets `at_end` at the end of the file
/// or on an error.
std::string read_available(const Fd& fd, bool& at_end);
/// Writes all bytes to a pipe or socket with a non-blocking descriptor; waits for space, at most `timeout_ms`
/// in all. 0, or an errno value: EPIPE, ETIMEDOUT. SIGPIPE is not raised.
int write_all(const Fd& fd, const std::string& bytes, int timeout_ms);
/// Writes what a pipe or socket with a non-blocking descriptor takes now; `written` becomes the number of
/// bytes. 0, or an errno value: EPIPE. SIGPIPE is not raised.
int write_available(const Fd& fd, std::string_view bytes, std::size_t& written);

/// Whether this process may execute the file.
bool is_executable(const std::string& path) noexcept;
/// Whether a process is stopped by a signal (SIGSTOP, SIGTSTP, …) or by a debugger. False if it does not
/// exist.
bool is_stopped(int pid);
/// The kernel's name of the processor architecture: "x86_64", "aarch64".
std::string machine_architecture();
/// The release of the kernel, such as "6.1.0-13-amd64".
std::string kernel_release();
/// The path of the running program; empty if it is not available.
std::string executable_path();
/// The CPU time of the calling thread, nanoseconds.
std::int64_t thread_cpu_ns() noexcept;
/// Whether standard error is a terminal.
bool stderr_is_terminal() noexcept;

}  // namespace orbweaver::platform
