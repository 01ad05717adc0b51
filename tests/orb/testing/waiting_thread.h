#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "platform/testing/thread_watch.h"

namespace orbtest {

/// A thread of a test whose body has to wait for something. Joined by the destructor at the latest.
class WaitingThread {
 public:
  explicit WaitingThread(std::function<void()> body)
      : body_(std::move(body)), thread_([this] {
          id_ = orbweaver::platform::testing::this_thread_id();
          body_();
          ended_ = true;
        }) {}
  ~WaitingThread() { join(); }

  /// Returns once the thread waits, asleep or spinning: true. False if its body came to an end instead. A thread that
  /// is ready to run and gets no processor does not wait.
  bool waits() {
    while (id_ == 0) pause();
    orbweaver::platform::testing::ThreadWatch watch(id_);
    for (int turns = 0; turns < 20 && !ended_; pause()) turns += watch.had_its_turn();
    return !ended_;
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

  std::function<void()> body_;
  std::atomic<pid_t> id_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last: starts when the rest is there
};

}  // namespace orbtest
