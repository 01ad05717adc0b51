#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace orbweaver::services::events {

/// A pause that another thread can end, for good: later ones end at once. Thread-safe.
class Pause {
 public:
  /// Waits. Returns false once end() has been called, then at once.
  bool wait_ms(std::int64_t ms) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return ended_; });
  }
  /// Waits for end().
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  bool ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

}  // namespace orbweaver::services::events
