#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <orbweaver/sca/detail/event_count.h>
#include <orbweaver/sca/detail/stream_monitor.h>

namespace orbweaver::sca {

/// Bounded FIFO of packets between the servant of an input port and the component's thread. If it is full,
/// the servant blocks; nothing is dropped. The samples are copied once, into buffers that are reused: in
/// steady state nothing is allocated. The copy is made outside the lock, so that a large packet does not
/// delay the other side.
///
/// put() may be called by any number of threads: packets of one thread keep their order. take() and done() by
/// one.
template <class Sample>
class PacketQueue {
 public:
  struct Packet {
    PacketHeader header;
    std::vector<Sample> samples;
  };

  /// Notifies `event_count`, which must outlive the queue, of every packet and of close. `limit` in packets,
  /// at least 1.
  PacketQueue(std::size_t limit, EventCount& event_count)
      : event_count_(event_count), slots_(limit), ring_(limit) {
    for (auto& slot : slots_) free_.push_back(&slot);
  }

  /// Copies the packet into the queue; waits while it is full. False once closed: the packet is not added.
  bool put(const PacketHeader& header, std::span<const Sample> samples) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return closed_ || !free_.empty(); });
    if (closed_) return false;
    Packet* packet = free_.back();
    free_.pop_back();
    lock.unlock();

    packet->header = header;
    packet->samples.assign(samples.begin(), samples.end());

    lock.lock();
    ring_[(first_ + depth_) % ring_.size()] = packet;
    ++depth_;
    high_water_ = depth_ > high_water_ ? depth_ : high_water_;
    lock.unlock();
    event_count_.notify();
    return true;
  }

  /// Removes the oldest packet; null if there is none. It stays valid until done().
  Packet* take() {
    const std::lock_guard lock(mutex_);
    if (depth_ == 0) return nullptr;
    Packet* packet = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --depth_;
    return packet;
  }
  /// Releases the packet returned by take(), and its place.
  void done(Packet* packet) {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(packet);
    }
    has_room_.notify_one();
  }

  /// Makes waiting and later calls of put() return false; queued packets can still be taken. Any thread.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    has_room_.notify_all();
    event_count_.notify();
  }

  std::size_t limit() const { return slots_.size(); }
  std::size_t depth() const {
    const std::lock_guard lock(mutex_);
    return depth_;
  }
  /// Used places: packets in the queue, being added, or between take() and done().
  std::size_t used() const {
    const std::lock_guard lock(mutex_);
    return slots_.size() - free_.size();
  }
  std::size_t high_water() const {
    const std::lock_guard lock(mutex_);
    return high_water_;
  }

 private:
  EventCount& event_count_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  std::vector<Packet> slots_;
  std::vector<Packet*> free_;  // never longer than slots_, so that it is not reallocated
  std::vector<Packet*> ring_;
  std::size_t first_ = 0;
  std::size_t depth_ = 0;
  std::size_t high_water_ = 0;
  bool closed_ = false;
};

}  // namespace orbweaver::sca
