#pragma once

#include <atomic>
#include <cstdint>

#include "platform/futex.h"

namespace orbweaver::platform {

/// A mutex with a deadline, for short critical sections with little contention. Locking and unlocking take
/// one atomic operation each; a thread that finds it locked sleeps in the kernel (futex). Not recursive, not
/// fair. Any thread.
class TimedMutex {
 public:
  TimedMutex() = default;
  TimedMutex(const TimedMutex&) = delete;
  TimedMutex& operator=(const TimedMutex&) = delete;

  /// Locks the mutex if it is free. Does not wait.
  bool try_lock() noexcept {
    std::uint32_t free = kUnlocked;
    // T1: acquires the writes made under the lock before; pairs with T2.
    return state_.compare_exchange_strong(free, kLocked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  /// False if the mutex is still locked at the deadline.
  bool lock(Deadline deadline) noexcept { return try_lock() || lock_contended(deadline); }
  void unlock() noexcept {
    // T2: publishes the writes made under the lock; pairs with T1.
    if (state_.exchange(kUnlocked, std::memory_order_release) == kContended) [[unlikely]]
      futex_wake(&state_, 1, false);
  }

 private:
  bool lock_contended(Deadline deadline) noexcept;

  static constexpr std::uint32_t kUnlocked = 0;
  static constexpr std::uint32_t kLocked = 1;
  static constexpr std::uint32_t kContended = 2;  // locked, and threads may sleep until it is unlocked
  std::atomic<std::uint32_t> state_{kUnlocked};
};

}  // namespace orbweaver::platform
