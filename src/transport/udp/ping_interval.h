#pragma once

#include <algorithm>
#include <cstdint>

namespace orbweaver::transport::udp {

inline constexpr std::int64_t kFirstPingInterval_ms = 50, kMaxPingInterval_ms = 5'000;
inline constexpr std::uint32_t kSteadyPings = 16;

/// Interval in ms after which a waiting receiver pings its peer, to detect its death. It doubles with each
/// unanswered ping after the first kSteadyPings, which cover the duration of most calls: a peer that never
/// receives does not answer, and its socket must not fill up with pings. At least four pings fit into
/// `silence_ms`, the time after which the peer is taken as disconnected.
constexpr std::int64_t ping_interval_ms(std::uint32_t unanswered_pings, std::int64_t silence_ms) noexcept {
  const std::uint32_t doublings = std::min(std::max(unanswered_pings, kSteadyPings) - kSteadyPings, 10u);
  return std::min(kFirstPingInterval_ms << doublings, std::min(kMaxPingInterval_ms, silence_ms / 4));
}

}  // namespace orbweaver::transport::udp
