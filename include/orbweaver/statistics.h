#pragma once

#include <cstdint>

/// What a program can ask of the ORB's own counting. Any thread, at any time.
namespace orbweaver {

/// What became of what UDP carried, over all connections of this process, closed ones included.
struct DatagramStatistics {
  std::uint64_t frames = 0;       ///< Messages that arrived whole and were delivered.
  std::uint64_t frames_lost = 0;  ///< Messages whose numbers were passed over: they did not arrive whole, or too late.
  std::uint64_t late = 0;         ///< Parts of messages that were passed over before: dropped.
  std::uint64_t duplicates = 0;   ///< Parts that came a second time: dropped.
  std::uint64_t too_old = 0;      ///< Datagrams older than `udp.max_age_ms` allows: dropped.
  std::uint64_t foreign = 0;      ///< Datagrams of no connection, or none of ours: dropped.
  std::uint64_t malformed = 0;    ///< Datagrams whose numbers contradict each other: dropped.
  std::uint64_t unsent = 0;       ///< Datagrams that this host's own buffers had no room for.
};

/// Losses behind the last message that arrived are counted when the peer closes in order; a peer that dies does not
/// tell how much it had sent.
DatagramStatistics datagram_statistics() noexcept;

}  // namespace orbweaver
