#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sca/launch/application.h"

namespace orbweaver::sca {

/// Takes an application through its life on a thread of its own, so that whoever watches the processes
/// is never held by a call to one of them.
class Conductor {
 public:
  enum class Phase {
    finding, checking, initializing, connecting, configuring, starting, running, stopping, releasing, done
  };

  /// `application` and `assembly` outlive it; `result` is filled in by the time it is done, and has one entry a
  /// component already, with its pid.
  Conductor(Application& application, const Assembly& assembly, RunResult& result);
  /// Waits for the thread: what it calls must answer or be dead by then.
  ~Conductor();

  /// Goes to `stopping` at the next step. Any thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  Phase phase() const { return phase_.load(std::memory_order_acquire); }  // P1: pairs with P2
  bool done() const { return phase() == Phase::done; }
  /// Why the application could not be run to its end; empty where it could, or was cancelled.
  std::string failure() const;
  /// Whether that was a call without an answer: a process that has died is the better explanation then.
  bool was_unreachable() const;
  /// Lines for the user since the last call: why the run does not go on.
  std::vector<std::string> take_notices();
  Progress progress() const;
  /// Seconds since the components were started, until they had finished; 0 before.
  double seconds() const;

 private:
  void work();
  void run_to_the_end();
  void watch_until_finished();
  void note(const std::exception& e);
  bool find_components();
  void enter(Phase phase) { phase_.store(phase, std::memory_order_release); }  // P2
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  Application& application_;
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

const char* words(Conductor::Phase phase);

}  // namespace orbweaver::sca
