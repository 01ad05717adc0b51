#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <orbweaver/streams/queue_options.h>

namespace orbweaver::streams {

/// Capacity and time-out of a reorder buffer. A plain value.
struct ReorderOptions {
  std::size_t packets = 64;        ///< Largest number of packets; 1 to 2^23.
  std::size_t bytes = kUnlimited;  ///< Largest sum of their sizes in bytes; at least 1.
  /// Time for which a missing packet is waited for; nullopt: without limit.
  std::optional<std::chrono::milliseconds> skip_after = std::chrono::milliseconds(1000);
  std::uint32_t first = 0;  ///< Number of the first packet of the stream.
};

/// Counters of a reorder buffer since its construction. Each packet for which push() did not return
/// `queue_full` is in exactly one of the first four; stored = delivered + discarded + packets.
struct ReorderCounts {
  std::uint64_t stored = 0;      ///< Packets stored.
  std::uint64_t duplicates = 0;  ///< Packets dropped: the buffer had one with that number.
  std::uint64_t late = 0;        ///< Packets dropped: their numbers had been delivered or skipped.
  std::uint64_t too_large = 0;   ///< Packets larger than the limit in bytes.
  std::uint64_t delivered = 0;   ///< Packets that take() returned.
  std::uint64_t discarded = 0;   ///< Packets that discard() returned.
  std::uint64_t skipped = 0;     ///< Numbers skipped after the time-out or at the end; jumps apart.
  std::uint64_t jumps = 0;       ///< Jumps of the sequence number.
  std::size_t packets = 0;       ///< Packets in the buffer now.
  std::size_t bytes = 0;         ///< Sum of their sizes now.
  std::size_t peak_packets = 0;  ///< Largest number of packets that were in the buffer.
  std::size_t peak_bytes = 0;    ///< Largest sum of sizes that was in the buffer.
};

}  // namespace orbweaver::streams
