#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sca/launch/application.h"

namespace orbweaver::sca {

/// Runs an application through its lifecycle on a thread of its own, so that calls to components never block
/// the thread that supervises the processes.
class LifecycleDriver {
 public:
  enum class Phase {
    finding,
    creating,
    checking,
    initializing,
    connecting,
    configuring,
    starting,
    running,
    stopping,
    releasing,
    done
  };

  /// `application` and `assembly` outlive it. `result` has one entry per component with its pid; it is
  /// complete once done() is true.
  LifecycleDriver(LaunchedAssembly& application, const Assembly& assembly, RunResult& result);
  /// Cancels and waits for the thread: the components that it calls must respond or be dead.
  ~LifecycleDriver();

  /// Skips the remaining steps up to `stopping`. Any thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  Phase phase() const { return phase_.load(std::memory_order_acquire); }  // P1: pairs with P2
  bool done() const { return phase() == Phase::done; }
  /// Why the application could not be run to its end; empty if it could, or was cancelled.
  std::string failure() const;
  /// Whether failure() was a call without a reply. The death of a process is then the better explanation.
  bool failed_unreachable() const;
  /// Lines for the user since the last call, which explain a stalled run.
  std::vector<std::string> take_notices();
  /// The last progress read from the sinks. Any thread.
  Progress progress() const;
  /// Seconds from the start of the components until they finished, or until now; 0 before the start.
  double seconds() const;

 private:
  void work();
  void run_lifecycle();
  void watch_until_finished();
  void note(const std::exception& e);
  bool find_components();
  void enter(Phase phase) { phase_.store(phase, std::memory_order_release); }  // P2
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  LaunchedAssembly& application_;
  const Assembly& assembly_;
  RunResult& result_;
  std::atomic<Phase> phase_{Phase::finding};
  std::atomic<bool> cancelled_{false};
  std::atomic<std::int64_t> started_ns_{0};
  std::atomic<std::int64_t> finished_ns_{0};
  mutable std::mutex mutex_;
  std::string failure_;
  bool unreachable_ = false;
  std::vector<std::string> notices_;
  Progress progress_;
  std::thread thread_;
};

/// The progress line of a run: its phase, and the packets that have arrived at the sinks.
std::string progress_line(const LifecycleDriver& driver);

}  // namespace orbweaver::sca
