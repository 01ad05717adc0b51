#pragma once

#include <chrono>
#include <cstdint>

namespace orbweaver::platform {

/// A time of now_ns(), for condition variables: steady_clock is CLOCK_MONOTONIC, in which deadlines count.
inline std::chrono::steady_clock::time_point steady_time(std::int64_t ns) noexcept {
  return std::chrono::steady_clock::time_point{std::chrono::nanoseconds(ns)};
}

}  // namespace orbweaver::platform
