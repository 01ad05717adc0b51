#pragma once

#include <cstdint>
#include <limits>

namespace orbweaver {

/// Time in nanoseconds of CLOCK_MONOTONIC, the same in every process of one host. Any thread.
std::int64_t now_ns() noexcept;

/// A time of the clock of now_ns() until which a function may block. A plain value.
struct Deadline {
  /// Nanoseconds of CLOCK_MONOTONIC; the maximum: no deadline.
  std::int64_t ns = std::numeric_limits<std::int64_t>::max();

  /// No deadline.
  static Deadline never() noexcept { return {}; }
  /// The deadline `from_now` nanoseconds from now; in the past if negative.
  static Deadline in_ns(std::int64_t from_now) noexcept { return {now_ns() + from_now}; }
  /// The deadline `from_now` milliseconds from now.
  static Deadline in_ms(std::int64_t from_now) noexcept { return in_ns(from_now * 1'000'000); }

  /// Returns whether there is no deadline.
  bool is_never() const noexcept { return ns == std::numeric_limits<std::int64_t>::max(); }
  /// Returns whether the deadline has been reached. Reads the clock.
  bool passed() const noexcept { return !is_never() && now_ns() >= ns; }
  /// Milliseconds left, rounded up, as a timeout of poll(): -1 for never, 0 once passed.
  int poll_ms() const noexcept;
};

}  // namespace orbweaver
