#pragma once

#include <atomic>
#include <cstdint>

namespace orbweaver::sca {

/// Event count: wakes one thread that waits for any of several queues. notify() without a sleeping thread
/// costs no system call.
///
///   for (;;) {
///     const auto key = event_count.key();
///     if (!look_at_everything()) event_count.wait(key);   // returns at once after a notify() since key()
///   }
class EventCount {
 public:
  /// Number of events so far, to be read before the queues. By the waiting thread.
  std::uint32_t key() const noexcept {
    return count_.load(std::memory_order_acquire);  // D1: sees the data written before the notify D2
  }
  /// Adds an event and wakes the waiting thread. Any thread.
  void notify() noexcept {
    count_.fetch_add(1, std::memory_order_release);  // D2: pairs with D1
    count_.notify_one();
  }
  /// Sleeps until there has been an event since `key` was read. By one thread.
  void wait(std::uint32_t key) const noexcept { count_.wait(key, std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace orbweaver::sca
