#pragma once

#include <chrono>
#include <thread>

namespace orbweaver::platform::testing {

/// The longest time that a test waits for an event: only a hang takes so long, on any machine under any load.
inline constexpr std::chrono::seconds kHang{120};

/// Waits until `condition` holds: true. False when it does not hold within kHang. The condition is evaluated by the
/// calling thread, every few milliseconds.
template <class Condition>
bool becomes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + kHang;
  for (;;) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace orbweaver::platform::testing
