#pragma once

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "platform/pipe.h"
#include "platform/process.h"

namespace orbweaver::sca {

/// The processes of a device: starts them, passes on their input and output, reaps them. They belong to one
/// thread of this object, because the kernel kills the children of a thread when it ends. Thread-safe.
class DeviceProcesses {
 public:
  /// A process that this object has started. The system may give the id of one that has ended to another one;
  /// the serial number stays that of one process.
  struct Process {
    int pid = -1;
    std::uint64_t serial = 0;

    auto operator<=>(const Process&) const = default;
  };
  /// A process that has ended.
  struct End {
    int pid = -1;
    std::string name;
    platform::ExitStatus status;
    bool expected = false;  ///< terminate() or terminate_all() has ended it.
  };
  /// Receives each line that a process prints, and the end of each process; both on the thread of this
  /// object, which must not be blocked for long.
  using Line = std::function<void(const std::string& name, int pid, const std::string& line)>;
  using OnEnd = std::function<void(const End&)>;

  DeviceProcesses(Line line, OnEnd on_end);
  /// Kills all processes.
  ~DeviceProcesses();
  DeviceProcesses(const DeviceProcesses&) = delete;
  DeviceProcesses& operator=(const DeviceProcesses&) = delete;

  /// What start() has done.
  struct Started {
    Process process;      ///< Its pid is -1 if it could not be started.
    int error = 0;        ///< An errno value.
    std::string message;  ///< "its priority cannot be set: Operation not permitted"
  };
  /// Starts a process; it leads a process group of its own. Waits until its program runs.
  Started start(const std::string& name, platform::SpawnRequest request);
  /// Limit of the input that waits until a process reads it.
  static constexpr std::size_t kMaxInputBytes = std::size_t{1} << 20;
  /// Writes to the standard input of a process; what it does not read at once waits for it. 0, or an errno
  /// value: ESRCH or EPIPE if it has ended or is about to, EAGAIN if more than kMaxInputBytes would wait.
  int write_input(const Process& process, std::string bytes);
  /// Ends the process that has this id now, and its group: SIGTERM, and SIGKILL after `grace_ms`. Returns
  /// when it has ended; false if there is no such process.
  bool terminate(int pid, int grace_ms);
  /// The same for all processes at once. No other can be started afterwards.
  void terminate_all(int grace_ms);
  std::size_t size() const;
  /// Whether a process runs, or has ended and its end has not been told yet.
  bool runs(const Process& process) const;

 private:
  struct Child {
    std::string name;
    Process id;
    platform::ChildProcess process;
    std::string partial;  // of a line
    std::string input;    // that it has not taken yet
    bool open = true;     // its output has not ended
    bool expected = false;
  };
  /// A function that the thread runs for another one.
  struct Task {
    std::function<void()> run;
    bool done = false;
  };

  void serve();
  /// Runs a function on the thread, and returns when it has.
  void on_thread(std::function<void()> run);
  void run_tasks();
  /// Handles what has happened to the children since the last call; waits for an event.
  void handle_events();
  void read_from(Child& child);
  /// Passes on what the process takes of its input. 0, or an errno value; then the rest has been dropped.
  static int write_to(Child& child);
  void print_lines(Child& child);
  void reap(Child& child);
  Child* find(const Process& process);
  bool wait_for_end(const Process& process, int timeout_ms);

  const Line line_;
  const OnEnd on_end_;
  platform::Pipe wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a task is done, or a process has ended
  std::deque<std::shared_ptr<Task>> tasks_;
  std::vector<Process> running_;
  bool ending_ = false;  // terminate_all() or the destructor has been called
  bool stop_ = false;
  std::vector<std::unique_ptr<Child>> children_;  // of the thread
  std::uint64_t last_serial_ = 0;                 // likewise
  std::thread thread_;
};

}  // namespace orbweaver::sca
