// The timed loop of every subject's client, so that all subjects are timed alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "clock.h"
#include "summary.h"

namespace orbweaver::bench {

/// How a client's loop is timed.
struct Loop {
  std::uint64_t calls = 0;
  /// Calls per sample. More than one if a call is about as short as taking a time stamp (collocated calls); a
  /// sample is then the mean of its calls.
  std::uint64_t batch = 1;
  pid_t server = 0;  ///< process whose CPU time is added to the client's; 0: none
  /// False: two-way calls are made without time stamps and statistics, so that bench/count-instructions
  /// counts calls only.
  bool timed = true;

  std::uint64_t warm_up() const { return std::max<std::uint64_t>(calls / 10, 500); }
};

/// Processor time of both ends since construction.
class CpuMeter {
 public:
  explicit CpuMeter(pid_t server) : server_(server), began_us_(now()) {}
  double elapsed_us() const { return now() - began_us_; }
  double receiver_elapsed_us() const { return receiver() - receiver_began_us_; }

 private:
  double receiver() const { return server_ > 0 ? cpu_us(server_) : 0; }
  double now() const { return cpu_us(0) + receiver(); }
  pid_t server_;
  double began_us_;
  double receiver_began_us_ = receiver();
};

namespace detail {

/// Takes one stamp per sample. A sample is the difference of consecutive stamps, so that it includes the cost
/// of one stamp, which is subtracted later. The memory is touched before the loop; all computation is left
/// for after it.
template <class Call>
std::vector<Ticks> stamp_each(const Loop& loop, Call& call) {
  const std::uint64_t samples = std::max<std::uint64_t>(loop.calls / loop.batch, 1);
  std::vector<Ticks> stamps(samples + 1, 1);
  stamps[0] = ticks();
  for (std::uint64_t i = 1; i <= samples; ++i) {
    for (std::uint64_t n = 0; n < loop.batch; ++n) call();
    stamps[i] = ticks();
  }
  return stamps;
}

inline Summary summarise_stamps(const std::vector<Ticks>& stamps, std::uint64_t batch) {
  const TickRate& rate = TickRate::of_this_machine();
  std::vector<double> us(stamps.size() - 1);
  for (std::size_t i = 0; i < us.size(); ++i) {
    const Ticks spent = stamps[i + 1] - stamps[i];
    const Ticks net = spent > rate.overhead ? spent - rate.overhead : 0;
    us[i] = static_cast<double>(net) * rate.us_per_tick / static_cast<double>(batch);
  }
  Summary s = summarise(us);
  s.calls = us.size() * batch;
  return s;
}

}  // namespace detail

namespace detail {

inline void take_memory(const Loop& loop, Summary& s) {
  s.client = memory_of(0);
  if (loop.server > 0) s.server = memory_of(loop.server);
}

}  // namespace detail

/// Measures two-way calls. A sample is one round trip, made by `call()`. All zero if the loop is not timed.
template <class Call>
Summary measure_calls(const Loop& loop, Call call) {
  if (!loop.timed) {
    for (std::uint64_t i = 0; i < loop.calls; ++i) call();
    return {};
  }
  (void)TickRate::of_this_machine();
  for (std::uint64_t i = 0; i < loop.warm_up(); ++i) call();
  const CpuMeter cpu(loop.server);
  const std::vector<Ticks> stamps = detail::stamp_each(loop, call);
  const double cpu_total_us = cpu.elapsed_us();
  Summary s = detail::summarise_stamps(stamps, loop.batch);
  s.cpu_us_per_call = cpu_total_us / static_cast<double>(s.calls);
  detail::take_memory(loop, s);
  return s;
}

/// Measures one-way messages in two floods of `calls` messages. `send()` sends one message; `drained()`
/// returns once the receiver has consumed all of them. The first flood has no stamps inside: the mean is its
/// duration, from the first send until the last message was consumed, divided by the messages. The second
/// flood gives the percentiles, which are of single sends: the time for which the sender was blocked.
template <class Send, class Drained>
Summary measure_stream(const Loop& loop, Send send, Drained drained) {
  const TickRate& rate = TickRate::of_this_machine();
  for (std::uint64_t i = 0; i < loop.warm_up(); ++i) send();
  drained();

  const CpuMeter cpu(loop.server);
  const Ticks began = ticks();
  for (std::uint64_t i = 0; i < loop.calls; ++i) send();
  drained();
  const Ticks ended = ticks();
  const double cpu_total_us = cpu.elapsed_us(), receiver_us = cpu.receiver_elapsed_us();

  const std::vector<Ticks> stamps = detail::stamp_each(loop, send);
  drained();
  Summary s = detail::summarise_stamps(stamps, loop.batch);
  s.calls = loop.calls;
  s.mean_us = static_cast<double>(ended - began) * rate.us_per_tick / static_cast<double>(loop.calls);
  s.cpu_us_per_call = cpu_total_us / static_cast<double>(loop.calls);
  s.receiver_cpu_us_per_call = receiver_us / static_cast<double>(loop.calls);
  detail::take_memory(loop, s);
  return s;
}

}  // namespace orbweaver::bench
