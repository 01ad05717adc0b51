#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace orbweaver::streams::detail {

/// Counts the packets of each stream that are in a queue. A packet refers to the counter of its stream by a
/// StreamCounter::Entry, made before the packet is in the queue, so that the queue changes the counter
/// without allocating. Any thread.
class StreamCounter {
 private:
  struct Counter {
    std::size_t packets = 0;     // in the queue; guarded by the lock of the queue
    std::size_t references = 0;  // guarded by mutex_
  };
  using Counters = std::map<std::uint16_t, Counter>;

 public:
  /// A packet's reference to the counter of its stream.
  class Entry {
   public:
    /// Refers to no counter.
    Entry() = default;
    /// Refers to the counter of `stream_id`. `streams` must outlive the entry. Throws std::bad_alloc.
    Entry(StreamCounter& streams, std::uint16_t stream_id);
    ~Entry();
    Entry(Entry&& other) noexcept
        : streams_(std::exchange(other.streams_, nullptr)), counter_(other.counter_),
          is_last_(other.is_last_) {}
    Entry& operator=(Entry&& other) noexcept {
      std::swap(streams_, other.streams_);
      std::swap(counter_, other.counter_);
      std::swap(is_last_, other.is_last_);
      return *this;
    }

    /// The packet is in the queue. With the queue locked.
    void add() noexcept { ++counter_->second.packets; }
    /// The packet has left the queue. With the queue locked.
    void remove() noexcept { is_last_ = --counter_->second.packets == 0; }
    /// Whether the queue had no other packet of the stream when this one left it.
    bool is_last() const noexcept { return is_last_; }

   private:
    StreamCounter* streams_ = nullptr;
    Counters::iterator counter_{};
    bool is_last_ = false;
  };

  /// Streams that have packets, in the queue or not.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return counters_.size();
  }

 private:
  mutable std::mutex mutex_;
  Counters counters_;
};

}  // namespace orbweaver::streams::detail
