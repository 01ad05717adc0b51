#pragma once

#include <chrono>
#include <thread>

namespace orbweaver::platform::testing {

/// The maximum time that a test waits for an event; only a hang exceeds it, even under load.
inline constexpr std::chrono::seconds kHangTimeout{120};

/// Waits until `condition` holds and returns true; false if it does not hold within kHangTimeout. The calling
/// thread evaluates the condition every few milliseconds.
template <class Condition>
bool becomes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + kHangTimeout;
  for (;;) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace orbweaver::platform::testing
