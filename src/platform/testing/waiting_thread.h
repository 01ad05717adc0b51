#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "platform/testing/thread_watch.h"

namespace orbweaver::platform::testing {

/// Returns once the thread waits, asleep or spinning. A thread that is ready to run and gets no processor does not
/// wait. `ended`, if given, ends it as well.
inline void until_it_waits(pid_t thread, const std::atomic<bool>* ended = nullptr) {
  ThreadWatch watch(thread);
  for (int turns = 0; turns < 10 && !(ended != nullptr && *ended);) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    turns += watch.had_its_turn();
  }
}

/// A thread of a test whose body has to wait for something. Joined by the destructor at the latest.
class WaitingThread {
 public:
  explicit WaitingThread(std::function<void()> body)
      : body_(std::move(body)), thread_([this] {
          id_ = this_thread_id();
          body_();
          ended_ = true;
        }) {}
  ~WaitingThread() { join(); }

  /// Returns once the thread waits, asleep or spinning: true. False if its body came to an end instead.
  bool waits() {
    while (id_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    until_it_waits(id_, &ended_);
    return !ended_;
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::function<void()> body_;
  std::atomic<pid_t> id_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last: starts when the rest is there
};

/// A thread that calls `event` once the thread that made this object waits for it. Joined by the destructor at the
/// latest.
class OnceThisThreadWaits {
 public:
  explicit OnceThisThreadWaits(std::function<void()> event)
      : thread_([event = std::move(event), waiting = this_thread_id()] {
          until_it_waits(waiting);
          event();
        }) {}
  ~OnceThisThreadWaits() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace orbweaver::platform::testing
