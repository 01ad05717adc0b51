#pragma once

#include <cstdint>
#include <limits>

namespace orbweaver {

/// Nanoseconds of CLOCK_MONOTONIC: the same in every process of one host.
std::int64_t now_ns() noexcept;

/// A point on the monotonic clock after which waiting ends.
struct Deadline {
  std::int64_t ns = std::numeric_limits<std::int64_t>::max();

  static Deadline never() noexcept { return {}; }
  static Deadline in_ns(std::int64_t from_now) noexcept { return {now_ns() + from_now}; }
  static Deadline in_ms(std::int64_t from_now) noexcept { return in_ns(from_now * 1'000'000); }

  bool is_never() const noexcept { return ns == std::numeric_limits<std::int64_t>::max(); }
  bool passed() const noexcept { return !is_never() && now_ns() >= ns; }
  /// Whole milliseconds left, rounded up, for poll(): -1 for never, 0 once passed.
  int poll_ms() const noexcept;
};

}  // namespace orbweaver
