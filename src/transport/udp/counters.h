#pragma once

#include <orbweaver/statistics.h>

#include <atomic>

namespace orbweaver::transport::udp {

/// Statistics of one end of a channel, received and sent. Each counter is written by one thread at a time and
/// read by any. `publish` adds the increments to the process's totals (orbweaver::datagram_statistics).
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
    std::atomic<std::uint64_t> now_{0}, published_{0};  // counters only: no ordering is needed
  };

  Count frames;       ///< Delivered.
  Count frames_lost;  ///< Skipped numbers: some part did not arrive in time.
  Count late;         ///< Parts of skipped frames: dropped.
  Count duplicates;   ///< Parts received before: dropped.
  Count too_old;      ///< Datagrams beyond the receiver's max_age_ms: dropped.
  Count foreign;      ///< Datagrams with another connection's number, or of an unknown kind: dropped.
  Count malformed;    ///< Datagrams of this connection with contradictory numbers: dropped.
  /// Datagrams that this host could not send before the deadline. Written by the sending thread.
  Count unsent;

  void publish() noexcept;
};

}  // namespace orbweaver::transport::udp
