// The processes of the experiments `hops` and `fanout`: a producer and the receivers that it forks. They
// report through shared memory, so that reports are no messages of the measured mechanism.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "case.h"
#include "summary.h"
#include "timed_loop.h"

namespace orbweaver::bench {

/// Whether each packet is forwarded from one receiver to the next; otherwise the producer sends it to each.
inline bool is_chain(const Case& c) { return c.experiment == Experiment::hops; }

/// Report of the receivers, in memory shared by all processes. Zeroed at first.
class ReceptionBoard {
 public:
  /// Receiver: the current packet arrived at `arrived_ns`, with or without the expected content. The producer
  /// may send the next packet as soon as all have called it: the last access to the packet is before.
  void note_arrival(std::int64_t arrived_ns, bool intact) noexcept;
  /// Receiver: `bytes` bytes of the payload were copied on their way to it.
  void note_copy(std::size_t bytes) noexcept { copied_.fetch_add(bytes, std::memory_order_relaxed); }

  /// Producer: waits until `receivers` processes have noted the packet, for at most `limit_ms`. False at the
  /// limit.
  bool wait_for(std::uint32_t receivers, int limit_ms) noexcept;
  /// Producer, after wait_for(): time of the last arrival; and begins the next packet.
  std::int64_t take_last_arrival() noexcept;

  std::uint64_t copied_bytes() const noexcept { return copied_.load(std::memory_order_relaxed); }
  std::uint64_t corrupt() const noexcept { return corrupt_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> arrivals_;
  std::atomic<std::uint32_t> expected_;  // the producer sleeps until arrivals_ has this value; 0: it is awake
  std::atomic<std::int64_t> last_ns_;
  std::atomic<std::uint64_t> copied_;
  std::atomic<std::uint64_t> corrupt_;
};

/// One receiver, in its own process.
struct Receiver {
  unsigned number;   ///< from 1
  std::string next;  ///< address of the receiver to which it forwards; empty: it forwards to none
  ReceptionBoard& board;
  /// Call once, when the receiver is ready, with its address: one line.
  std::function<void(const std::string& address)> ready;
};

/// Owns the receivers of a case. Kills and reaps them on destruction. One thread.
class Receivers {
 public:
  /// Forks `c.receivers` processes, the last one first, which call `serve` and must not return from it;
  /// returns when all are ready. This process must have one thread. Pins all processes as `c.pin` says.
  /// Throws std::runtime_error if a process ends.
  Receivers(const Case& c, const std::function<void(const Receiver&)>& serve);
  ~Receivers();
  Receivers(const Receivers&) = delete;
  Receivers& operator=(const Receivers&) = delete;

  /// Addresses of the receivers to which the producer sends: the first one of a chain, otherwise all.
  const std::vector<std::string>& destinations() const { return destinations_; }

  /// Sends packets one by one, each after the one before it has arrived. `send(number)` sends packet `number`
  /// and returns the time from which its arrival is measured. A sample is the time until the packet has
  /// arrived at every receiver, for a chain divided by the number of receivers. Throws std::runtime_error if
  /// a receiver ends, or has received a packet with wrong content.
  Summary measure(const Loop& loop, const std::function<std::int64_t(std::uint32_t number)>& send);

 private:
  void start_all(const std::function<void(const Receiver&)>& serve);
  void end_all();
  void start(unsigned number, const std::string& next, const std::function<void(const Receiver&)>& serve);
  void wait_for_arrivals();
  double cpu_us_of_all() const;

  const Case what_;
  ReceptionBoard* board_;
  std::vector<pid_t> processes_;
  std::vector<std::string> destinations_;
};

/// Returns a reason if a process of the case would have no processor while others spin.
std::optional<std::string> cannot_spin(const Case& c);

/// Content of packet `number`: all elements have the value `number`.
void fill_packet(double* data, std::size_t count, std::uint32_t number);
/// Changes the first and last element only: the content of `packet_is` for a packet that was filled before.
void mark_packet(double* data, std::size_t count, std::uint32_t number);
/// Whether the first and last element are those of packet `number`: reading everything would delay the other
/// receivers, which may share the processor.
bool packet_is(std::uint32_t number, const double* data, std::size_t count, std::size_t expected_count);

}  // namespace orbweaver::bench
