#pragma once

#include <cstdint>

/// @file
/// Counters of the ORB. Any thread, at any time.

namespace orbweaver {

/// Counters of received and sent UDP datagrams, over all connections of this process, closed ones included.
struct DatagramStatistics {
  std::uint64_t frames = 0;       ///< Messages received completely and delivered.
  std::uint64_t frames_lost = 0;  ///< Messages skipped, because they were incomplete or too late.
  std::uint64_t late = 0;         ///< Parts of messages that had been skipped: dropped.
  std::uint64_t duplicates = 0;   ///< Parts received a second time: dropped.
  std::uint64_t too_old = 0;      ///< Datagrams older than `udp.max-age-ms` allows: dropped.
  std::uint64_t foreign = 0;      ///< Datagrams of an unknown connection or another protocol: dropped.
  std::uint64_t malformed = 0;    ///< Datagrams with inconsistent header fields: dropped.
  std::uint64_t unsent = 0;       ///< Datagrams not sent: the host's send buffers were full.
};

/// Returns the counters of this process since its start. Losses after the last received message are counted
/// when the peer closes its connection; those before a crash of the peer are unknown. Raises nothing.
DatagramStatistics datagram_statistics() noexcept;

}  // namespace orbweaver
