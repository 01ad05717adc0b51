#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <orbweaver/sca/detail/doorbell.h>
#include <orbweaver/sca/detail/stream_monitor.h>

namespace orbweaver::sca {

/// Between the servant of an input port and its processing thread: at most `limit` packets, first in,
/// first out. A full queue holds the servant; nothing is dropped. The samples are copied once, into
/// buffers that go round: in steady state nothing is allocated. The copy is made outside the lock, so
/// that a large packet does not hold up the other side.
///
/// put() by any number of threads: packets of one thread keep their order. take() and done() by one.
template <class Sample>
class PacketQueue {
 public:
  struct Packet {
    PacketHeader header;
    std::vector<Sample> samples;
  };

  /// Rings `bell`, which must outlive the queue, at every packet and at close. `limit` is at least 1.
  PacketQueue(std::size_t limit, Doorbell& bell) : bell_(bell), slots_(limit), ring_(limit) {
    for (auto& slot : slots_) free_.push_back(&slot);
  }

  /// Copies the packet in; waits while the queue is full. False once closed: the packet is not taken.
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
    bell_.ring();
    return true;
  }

  /// The oldest packet, or null where there is none. It stays good until done().
  Packet* take() {
    const std::lock_guard lock(mutex_);
    if (depth_ == 0) return nullptr;
    Packet* packet = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --depth_;
    return packet;
  }
  /// Gives back what take() returned, and its room.
  void done(Packet* packet) {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(packet);
    }
    has_room_.notify_one();
  }

  /// Lets go whoever waits in put(); what is in the queue can still be taken.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    has_room_.notify_all();
    bell_.ring();
  }

  std::size_t limit() const { return slots_.size(); }
  std::size_t depth() const {
    const std::lock_guard lock(mutex_);
    return depth_;
  }
  /// Places that are taken: by packets in the queue, being put there, or between take() and done().
  std::size_t used() const {
    const std::lock_guard lock(mutex_);
    return slots_.size() - free_.size();
  }
  std::size_t high_water() const {
    const std::lock_guard lock(mutex_);
    return high_water_;
  }

 private:
  Doorbell& bell_;
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
