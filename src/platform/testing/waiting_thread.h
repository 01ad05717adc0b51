#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "platform/testing/thread_observer.h"

namespace orbweaver::platform::testing {

/// Returns once the thread waits, asleep or spinning. A thread that is ready to run but gets no processor
/// does not count as waiting. Also returns once `*ended` is true, if `ended` is set.
inline void wait_until_thread_waits(pid_t thread, const std::atomic<bool>* ended = nullptr) {
  ThreadObserver watch(thread);
  for (int turns = 0; turns < 10 && !(ended != nullptr && *ended);) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    turns += watch.slept_or_ran();
  }
}

/// A thread of a test whose body is expected to wait. The destructor joins it.
class WaitingThread {
 public:
  explicit WaitingThread(std::function<void()> body)
      : body_(std::move(body)), thread_([this] {
          id_ = this_thread_id();
          body_();
          ended_ = true;
        }) {}
  ~WaitingThread() { join(); }

  /// Returns true once the thread waits, asleep or spinning; false if its body returns first.
  bool waits() {
    while (id_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    wait_until_thread_waits(id_, &ended_);
    return !ended_;
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::function<void()> body_;
  std::atomic<pid_t> id_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last member: it uses the others
};

/// A thread that calls `event` once the thread that constructed this object waits. The destructor joins it.
class CallWhenThisThreadWaits {
 public:
  explicit CallWhenThisThreadWaits(std::function<void()> event)
      : thread_([event = std::move(event), waiting = this_thread_id()] {
          wait_until_thread_waits(waiting);
          event();
        }) {}
  ~CallWhenThisThreadWaits() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace orbweaver::platform::testing
