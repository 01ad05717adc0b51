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

/// Counters of the one-way calls with SYNC_NONE that could not be given to the transport at once, over all
/// connections of this process, closed ones included. `queued` is the sum of `sent`, `lost`, `discarded` and
/// the requests that are queued now.
struct OneWayQueueStatistics {
  std::uint64_t queued = 0;         ///< Requests queued in the ORB.
  std::uint64_t sent = 0;           ///< Queued requests that the transport has accepted.
  std::uint64_t dropped_full = 0;   ///< Requests dropped: queue full.
  std::uint64_t rejected_full = 0;  ///< Requests that raised TRANSIENT: queue full.
  std::uint64_t lost =
      0;  ///< Queued requests dropped: their connection ended, or the transport rejected them.
  /// Queued requests dropped: this process closed the connection, as at the shutdown of the ORB, and the
  /// transport did not accept them within its time limit.
  std::uint64_t discarded = 0;
};

/// Returns the counters of this process since its start. Raises nothing.
OneWayQueueStatistics oneway_queue_statistics() noexcept;

/// Counters of the replies that were to be passed to reply handlers of other processes
/// (docs/asynchronous-calls.md).
struct RemoteReplyHandlerStatistics {
  std::uint64_t passed = 0;  ///< Replies for which the handler's process has returned.
  /// Replies dropped: the call of the handler failed, or did not return within its time limit.
  std::uint64_t lost = 0;
};

/// Returns the counters of this process since its start. Raises nothing.
RemoteReplyHandlerStatistics remote_reply_handler_statistics() noexcept;

}  // namespace orbweaver
