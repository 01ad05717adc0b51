#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <orbweaver/detail/block_ref.h>
#include <orbweaver/detail/blocks.h>
#include <orbweaver/sca/detail/event_count.h>
#include <orbweaver/sca/detail/metadata_table.h>
#include <orbweaver/sca/detail/stream_monitor.h>
#include <orbweaver/streams/bounded_queue.h>

namespace orbweaver::sca {

/// A received packet. Movable; the samples are valid as long as it.
template <class Sample>
struct ReceivedPacket {
  PacketHeader header;
  std::span<const Sample> samples;
  ::orbweaver::detail::BlockRef
      block;  ///< Holds the samples' block of shared memory; empty: they are in copy.
  std::vector<Sample> copy;
  CurrentMetadata metadata;
};

/// Bounded FIFO of packets between the servant of an input port and the component's thread. If it is full,
/// the servant blocks; nothing is dropped. Samples in a block of shared memory are held there, and others
/// copied once, into buffers that are reused: in steady state nothing is allocated. The copy is made outside
/// of the lock, so that a large packet does not delay the other side.
///
/// push() may be called by any number of threads: packets of one thread keep their order. take() and done()
/// by one. Memory is bounded by `limit` packets, one in the handler, and one of each sender that waits.
template <class Sample>
class PacketQueue {
 public:
  using Packet = ReceivedPacket<Sample>;

  /// Notifies `event_count`, which must outlive the queue, of every packet and of close. `limit` in packets,
  /// at least 1.
  PacketQueue(std::size_t limit, EventCount& event_count) : event_count_(event_count), queue_({limit}) {}

  /// Adds the packet, whose samples may be reused on return unless they are in a block; waits while the queue
  /// is full. False once closed: the packet is not added.
  bool push(const PacketHeader& header, std::span<const Sample> samples, CurrentMetadata metadata = {}) {
    Packet packet;
    packet.header = header;
    packet.metadata = std::move(metadata);
    if (samples.size_bytes() >= kMinBlockViewBytes)
      packet.block = ::orbweaver::detail::BlockRef::find(samples.data(), samples.size_bytes());
    if (packet.block) {
      packet.samples = samples;
    } else {
      packet.copy = take_spare();
      packet.copy.assign(samples.begin(), samples.end());
      packet.samples = packet.copy;
      copied_bytes_.fetch_add(samples.size_bytes(), std::memory_order_relaxed);
    }
    if (queue_.push(std::move(packet), samples.size_bytes()) != streams::PushResult::accepted) return false;
    event_count_.notify();
    return true;
  }

  /// Removes the oldest packet; false if there is none. Pass it to done() when it has been handled.
  bool take(Packet& packet) { return queue_.take(packet, Deadline{0}) == streams::TakeResult::taken; }
  /// Releases the block of a packet, or reuses its buffer.
  void done(Packet&& packet) {
    packet.block = {};
    if (packet.copy.capacity() == 0) return;
    const std::lock_guard lock(mutex_);
    // One more than the queue holds: that of the handler.
    if (spares_.size() <= limit()) spares_.push_back(std::move(packet.copy));
  }

  /// Destroys the queued packets. By the thread of take().
  void discard() {
    for (Packet packet; take(packet);) packet = {};
  }

  /// Makes waiting and later calls of push() return false; queued packets can still be taken. Any thread.
  void close() {
    queue_.close();
    event_count_.notify();
  }

  std::size_t limit() const { return queue_.limits().packets; }
  std::size_t depth() const { return queue_.counts().packets; }
  std::size_t high_water() const { return queue_.counts().peak_packets; }
  /// Bytes of samples copied into the queue.
  std::uint64_t copied_bytes() const { return copied_bytes_.load(std::memory_order_relaxed); }

 private:
  std::vector<Sample> take_spare() {
    const std::lock_guard lock(mutex_);
    if (spares_.empty()) return {};
    std::vector<Sample> spare = std::move(spares_.back());
    spares_.pop_back();
    return spare;
  }

  EventCount& event_count_;
  std::atomic<std::uint64_t> copied_bytes_{0};
  std::mutex mutex_;                         // guards spares_
  std::vector<std::vector<Sample>> spares_;  // buffers for reuse
  streams::BoundedQueue<Packet> queue_;
};

}  // namespace orbweaver::sca
