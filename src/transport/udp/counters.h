#pragma once

#include <orbweaver/statistics.h>

#include <atomic>

namespace orbweaver::transport::datagram {

/// What became of what arrived at one end of a channel, and of all that was to leave it. Each is written by one thread
/// at a time; any may read it. `publish` adds what is new to the process's sums (orbweaver::datagram_statistics).
class Counters {
 public:
  class Count {
   public:
    void operator++() noexcept { add(1); }
    void add(std::uint64_t n) noexcept {
      now_.store(now_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    operator std::uint64_t() const noexcept { return now_.load(std::memory_order_relaxed); }

   private:
    friend class Counters;
    std::atomic<std::uint64_t> now_{0}, told_{0};  // figures alone: nothing is ordered by them
  };

  Count frames;        ///< Delivered.
  Count frames_lost;   ///< Their numbers were passed over: a part or all of them never came in time.
  Count late;          ///< Parts of frames that were passed over before: dropped.
  Count duplicates;    ///< Parts that had been taken already: dropped.
  Count too_old;       ///< Datagrams beyond the receiver's max_age_ms: dropped.
  Count foreign;       ///< Datagrams with another connection's number, or of no kind known: dropped.
  Count malformed;     ///< Datagrams of this connection whose numbers contradict each other: dropped.
  Count unsent;        ///< Datagrams that this host had no room for before the deadline: the sender's.

  void publish() noexcept;
};

}  // namespace orbweaver::transport::datagram
