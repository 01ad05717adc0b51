#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "transport/udp/wire.h"

namespace orbweaver::transport::udp {

/// Lateness of datagrams without synchronised clocks: the delay beyond the smallest one of the last 10 to 20
/// s. A constant delay does not count. Used by one thread.
class PlayoutDeadline {
 public:
  /// Lateness of a datagram with this timestamp, received now.
  std::int64_t lateness_ns(std::uint32_t timestamp, std::int64_t now_ns) noexcept {
    const std::int64_t delay = signed_24(timestamp_of(now_ns) - timestamp);
    if (now_ns - window_start_ns_ > kWindow_ns) {
      previous_min_delay_ = now_ns - window_start_ns_ > 2 * kWindow_ns ? kNone : min_delay_;
      min_delay_ = kNone;
      window_start_ns_ = now_ns;
    }
    min_delay_ = std::min(min_delay_, delay);
    return (delay - std::min(min_delay_, previous_min_delay_)) << 16;
  }

 private:
  static constexpr std::int64_t kWindow_ns = 10'000'000'000, kNone = std::numeric_limits<std::int64_t>::max();
  /// The clocks' difference is arbitrary: it is measured from the first one seen.
  std::int64_t signed_24(std::uint32_t difference) noexcept {
    if (window_start_ns_ == kNever) first_ = difference;
    const std::uint32_t from_first = (difference - first_) & 0xFF'FFFFu;
    return from_first < 0x80'0000u ? std::int64_t{from_first} : std::int64_t{from_first} - 0x100'0000;
  }

  static constexpr std::int64_t kNever = -4 * kWindow_ns;
  std::int64_t window_start_ns_ = kNever;
  std::int64_t min_delay_ = kNone, previous_min_delay_ = kNone;  // in the timestamps' units
  std::uint32_t first_ = 0;
};

}  // namespace orbweaver::transport::udp
