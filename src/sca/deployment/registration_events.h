#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace orbweaver::sca {

/// Wakes deployments that wait for components: a name has been bound, a component has registered, or a
/// process has ended. Whoever is told of one of these calls notify(), and a deployment that wakes looks
/// itself. Thread-safe.
class RegistrationEvents {
 public:
  /// Number of events.
  std::uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void notify() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  /// Waits for an event after that number, at most `time`.
  void wait(std::uint64_t seen, std::chrono::milliseconds time) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return count_ != seen; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t count_ = 0;  // mutex_
};

}  // namespace orbweaver::sca
