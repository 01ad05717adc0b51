#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/process.h"

namespace orbweaver::sca {

/// Starts the processes of an assembly, passes on their output, detects their ends and stops them. Use from
/// one thread only. The processes are killed when that thread ends, so use it from the main thread. The
/// destructor kills the processes that still run.
class Supervisor {
 public:
  /// Receives each complete line that a process prints (standard output or error), without its newline.
  using Line = std::function<void(const std::string& process, const std::string& line)>;

  explicit Supervisor(Line line) : line_(std::move(line)) {}
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Starts a process and returns its index, counted from 0. Fails with ErrorKind::unavailable: "cannot start
  /// /x/y: No such file or directory".
  Result<std::size_t> start(const std::string& name, const platform::SpawnRequest& request);

  /// Waits for an event, at most `timeout_ms`, and handles all pending ones: passes output on, reaps ended
  /// processes.
  void handle_events(int timeout_ms);
  /// The last SIGINT, SIGTERM or SIGHUP received since the previous call, or 0.
  int take_stop_signal() { return signals_.take(); }

  std::size_t size() const { return children_.size(); }
  const std::string& name(std::size_t index) const { return children_[index].name; }
  int pid(std::size_t index) const { return children_[index].pid; }
  /// The exit status; empty while the process runs.
  const std::optional<platform::ExitStatus>& end(std::size_t index) const { return children_[index].end; }
  bool all_ended() const;
  /// Processor time so far, or up to its end, in nanoseconds.
  std::int64_t cpu_ns(std::size_t index) const;

  /// Sends SIGTERM or SIGKILL to one process, if it runs.
  void terminate(std::size_t index) { children_[index].process.terminate(); }
  void kill(std::size_t index) { children_[index].process.kill(); }
  /// Sends SIGTERM or SIGKILL to all processes that run.
  void terminate_all();
  void kill_all();
  /// Waits until all processes have ended; sends SIGTERM after `exit_ms` and SIGKILL `terminate_ms` later.
  /// A stop signal received meanwhile leads to SIGKILL at once.
  void shut_down_all(int exit_ms, int terminate_ms);

 private:
  struct Child {
    std::string name;
    int pid = -1;
    platform::ChildProcess process;
    std::optional<platform::ExitStatus> end;
    std::string partial;  // of a line
    bool open = true;     // its output pipe has not reached end of file
  };

  /// Passes on what the process has printed, until there is no more, or about as many bytes have been read.
  void read_from(Child& child, std::size_t at_most);
  void wait_for_all(int at_most_ms);

  Line line_;
  platform::TerminationSignals signals_;
  std::vector<Child> children_;
};

}  // namespace orbweaver::sca
