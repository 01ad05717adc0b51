#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/process.h"

namespace orbweaver::sca {

/// Starts the processes of an assembly, passes on what they print, notices when one ends, and takes them
/// down. Belongs to one thread, and the processes die with that thread, so it is main()'s.
/// The destructor kills what still runs.
class Supervisor {
 public:
  /// A whole line that a process printed (output or error), without its end.
  using Line = std::function<void(const std::string& process, const std::string& line)>;

  explicit Supervisor(Line line) : line_(std::move(line)) {}
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Fails with Remedy::give_up: "cannot start /x/y: No such file or directory". The index counts from 0.
  Result<std::size_t> start(const std::string& name, const platform::SpawnRequest& request);

  /// Waits until something happens or `timeout_ms` has passed, and deals with it: prints, reaps.
  void attend(int timeout_ms);
  /// SIGINT, SIGTERM or SIGHUP since the last call, or 0.
  int take_stop_signal() { return signals_.take(); }

  std::size_t size() const { return children_.size(); }
  const std::string& name(std::size_t index) const { return children_[index].name; }
  int pid(std::size_t index) const { return children_[index].pid; }
  /// How it ended; nothing while it runs.
  const std::optional<platform::ProcessEnd>& end(std::size_t index) const { return children_[index].end; }
  bool all_ended() const;
  /// Processor time until now, or until its end, nanoseconds.
  std::int64_t cpu_ns(std::size_t index) const;

  /// SIGTERM or SIGKILL to one, if it runs.
  void terminate(std::size_t index) { children_[index].process.terminate(); }
  void kill(std::size_t index) { children_[index].process.kill(); }
  /// SIGTERM or SIGKILL to all that run.
  void terminate_all();
  void kill_all();
  /// Waits for all to end by themselves, SIGTERM after `grace_ms`, SIGKILL after as much again.
  /// A stop signal meanwhile goes straight to SIGKILL.
  void wind_up(int grace_ms);

 private:
  struct Child {
    std::string name;
    int pid = -1;
    platform::ChildProcess process;
    std::optional<platform::ProcessEnd> end;
    std::string partial;  // of a line
    bool open = true;     // its output
  };

  void read_from(Child& child);
  void wait_for_all(int at_most_ms);

  Line line_;
  platform::StopSignals signals_;
  std::vector<Child> children_;
};

}  // namespace orbweaver::sca
