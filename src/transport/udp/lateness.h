#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "transport/udp/wire.h"

namespace orbweaver::transport::datagram {

/// How late a datagram is, without clocks that agree: its delay beyond that of the quickest of the last 10 to 20 s. A
/// delay that all datagrams have had for so long is no lateness. One thread's.
class Lateness {
 public:
  /// Of a datagram with this stamp that is looked at now.
  std::int64_t of_ns(std::uint32_t stamp, std::int64_t now_ns) noexcept {
    const std::int64_t delay = signed_24(stamp_of(now_ns) - stamp);
    if (now_ns - begun_ns_ > kWindow_ns) {
      before_ = now_ns - begun_ns_ > 2 * kWindow_ns ? kNone : quickest_;
      quickest_ = kNone;
      begun_ns_ = now_ns;
    }
    quickest_ = std::min(quickest_, delay);
    return (delay - std::min(quickest_, before_)) << 16;
  }

 private:
  static constexpr std::int64_t kWindow_ns = 10'000'000'000, kNone = std::numeric_limits<std::int64_t>::max();
  /// Two clocks' difference may lie anywhere: it is counted from the first one seen.
  std::int64_t signed_24(std::uint32_t difference) noexcept {
    if (begun_ns_ == kNever) first_ = difference;
    const std::uint32_t from_first = (difference - first_) & 0xFF'FFFFu;
    return from_first < 0x80'0000u ? std::int64_t{from_first} : std::int64_t{from_first} - 0x100'0000;
  }

  static constexpr std::int64_t kNever = -4 * kWindow_ns;
  std::int64_t begun_ns_ = kNever;
  std::int64_t quickest_ = kNone, before_ = kNone;  // in the stamps' units
  std::uint32_t first_ = 0;
};

}  // namespace orbweaver::transport::datagram
