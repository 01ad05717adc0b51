#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include <orbweaver/streams/push_result.h>

namespace orbweaver::streams {

/// No limit in this unit, or a watermark that is not used.
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// Behaviour of BoundedQueue::push when the queue has no space for the packet.
enum class WhenFull {
  block,        ///< Waits for space: nothing is lost, and the producer gets the consumer's pace.
  reject,       ///< Returns `queue_full`, for which raise_if_rejected() raises TRANSIENT (0x4f570022).
  drop_oldest,  ///< Removes the oldest packets until the new one fits: the queue holds the latest packets.
  drop_newest,  ///< Drops the packet: the queue holds the earliest packets.
};

/// Capacity of a queue. A plain value.
struct QueueLimits {
  std::size_t packets = 64;              ///< Largest number of packets; at least 1.
  std::size_t bytes = kUnlimited;        ///< Largest sum of their sizes in bytes; at least 1.
  WhenFull when_full = WhenFull::block;  ///< Applied to a packet that does not fit.
};

/// Fill levels at which a queue calls functions, in packets, bytes or both. The level is high from the moment
/// at which the queue reaches high_packets or high_bytes, and low again once it is at or below low_packets
/// and low_bytes. A unit whose high watermark is kUnlimited is not used.
///
/// Each change is reported once: after on_high, on_low follows before the next on_high. The functions run in
/// a thread that calls the queue, one at a time and without a lock held, so they may call the queue; while
/// one of them runs, the other threads continue, and a change that is reverted before the function returns is
/// not reported. A function that waits delays the thread that calls it: one that sends requests gives them to
/// another thread. An exception of a function is logged, and counted in QueueCounts::failed_callbacks.
struct Watermarks {
  std::size_t high_packets = kUnlimited;  ///< Greater than low_packets, at most the limit of the queue.
  std::size_t low_packets = 0;            ///< Packets.
  std::size_t high_bytes = kUnlimited;    ///< Greater than low_bytes, at most the limit of the queue.
  std::size_t low_bytes = 0;              ///< Bytes.
  std::function<void()> on_high{};        ///< Called when the level becomes high; may be empty.
  std::function<void()> on_low{};         ///< Called when the level becomes low; may be empty.
};

/// The result of BoundedQueue::take.
enum class TakeResult {
  taken,        ///< A packet has been removed from the queue.
  timed_out,    ///< The queue was empty until the deadline.
  interrupted,  ///< The queue is empty, and interrupt() has been called.
  end,          ///< The queue is closed and empty: no further packet will follow.
};

/// Counters of a queue since its construction: a consistent snapshot. Each call of push() that returns
/// increments exactly one of the first seven; accepted = delivered + dropped_oldest + discarded + packets.
struct QueueCounts {
  std::uint64_t accepted = 0;          ///< Packets accepted by push().
  std::uint64_t dropped_newest = 0;    ///< Packets dropped by WhenFull::drop_newest.
  std::uint64_t rejected = 0;          ///< Packets rejected by WhenFull::reject.
  std::uint64_t timed_out = 0;         ///< Calls of push() that reached their deadline.
  std::uint64_t interrupted = 0;       ///< Calls of push() ended by interrupt().
  std::uint64_t rejected_closed = 0;   ///< Calls of push() while or until the queue was closed.
  std::uint64_t too_large = 0;         ///< Packets larger than the limit in bytes.
  std::uint64_t delivered = 0;         ///< Packets returned by take().
  std::uint64_t dropped_oldest = 0;    ///< Accepted packets dropped by WhenFull::drop_oldest.
  std::uint64_t discarded = 0;         ///< Accepted packets removed by discard().
  std::uint64_t waited = 0;            ///< Calls of push() that waited for space.
  std::uint64_t high_reports = 0;      ///< Times that the level became high, and was reported.
  std::uint64_t low_reports = 0;       ///< Times that the level became low, and was reported.
  std::uint64_t failed_callbacks = 0;  ///< Watermark functions that threw an exception.
  std::size_t packets = 0;             ///< Packets in the queue now.
  std::size_t bytes = 0;               ///< Sum of their sizes now.
  std::size_t peak_packets = 0;        ///< Largest number of packets that were in the queue.
  std::size_t peak_bytes = 0;          ///< Largest sum of sizes that was in the queue.
};

}  // namespace orbweaver::streams
