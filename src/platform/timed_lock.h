#pragma once

#include <atomic>
#include <cstdint>

#include "platform/futex.h"

namespace orbweaver::platform {

/// A lock for what is mostly free and held for moments: one atomic step to take it, one to give it back, and a
/// sleep in the kernel with a deadline in between where it is held. Not recursive, not fair. Any thread.
class TimedLock {
 public:
  TimedLock() = default;
  TimedLock(const TimedLock&) = delete;
  TimedLock& operator=(const TimedLock&) = delete;

  bool try_lock() noexcept {
    std::uint32_t free = kFree;
    // T1: what was done under the lock before is seen; pairs with T2.
    return state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// False where it is still held at the deadline.
  bool lock(Deadline deadline) noexcept { return try_lock() || lock_slowly(deadline); }
  void unlock() noexcept {
    // T2: pairs with T1.
    if (state_.exchange(kFree, std::memory_order_release) == kWaitedFor) [[unlikely]] futex_wake(&state_, 1, false);
  }

 private:
  bool lock_slowly(Deadline deadline) noexcept;

  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kWaitedFor = 2;  // held, and somebody may sleep until it is not
  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace orbweaver::platform
