#pragma once

#include <atomic>
#include <cstdint>

namespace orbweaver::sca {

/// Tells one thread that there is something to look at, without saying what: it serves any number of
/// queues. Ringing while nobody sleeps costs no system call.
///
///   for (;;) {
///     const auto heard = bell.heard();
///     if (!look_at_everything()) bell.wait(heard);   // returns at once if it rang since heard()
///   }
class Doorbell {
 public:
  std::uint32_t heard() const noexcept {
    return rings_.load(std::memory_order_acquire);  // D1: sees what was put down before the ring D2
  }
  /// Any thread.
  void ring() noexcept {
    rings_.fetch_add(1, std::memory_order_release);  // D2: pairs with D1
    rings_.notify_one();
  }
  /// One thread. Sleeps until the bell has rung since `heard` was read.
  void wait(std::uint32_t heard) const noexcept { rings_.wait(heard, std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t> rings_{0};
};

}  // namespace orbweaver::sca
