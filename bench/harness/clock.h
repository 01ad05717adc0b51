// Time stamps that are cheap enough for one per call, and processor time of either end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace orbweaver::bench {

/// CLOCK_MONOTONIC in nanoseconds, the same in all processes.
std::int64_t steady_ns();

/// A time stamp in ticks of unknown rate; TickRate converts differences. Stamps are comparable within one
/// process only.
using Ticks = std::uint64_t;

inline Ticks ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Conversion of ticks to microseconds, and the cost of taking a stamp. Measured once (about 20 ms), then
/// shared.
struct TickRate {
  double us_per_tick = 0;
  Ticks overhead = 0;  ///< median difference of two consecutive stamps

  static const TickRate& of_this_machine();
};

/// The clock of ticks(), for the conditions of a measurement: "clock: time-stamp counter, 11 ns a stamp
/// (subtracted), 0.38 ns a tick".
std::string describe_ticks();

/// Processor time (user and system) that a process has used so far, all threads together. Works for other
/// processes of the same user; 0 if the process does not exist.
double cpu_us(pid_t process);

}  // namespace orbweaver::bench
