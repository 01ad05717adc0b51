// Time stamps cheap enough to take one a call, and CPU time of either end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace orbweaver::bench {

/// A stamp is a count of unknown rate: subtract two, then ask `TickRate`. Stamps are comparable within one
/// process; no experiment here compares stamps of two.
using Ticks = std::uint64_t;

inline Ticks ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// How stamps become microseconds, and what taking one costs. Measured once (about 20 ms), then shared.
struct TickRate {
  double us_per_tick = 0;
  Ticks overhead = 0;  ///< between two stamps with nothing between them: the median of many

  static const TickRate& of_this_machine();
};

/// CPU time, user and system, that a process has used so far, all its threads together.
/// Works for another process of the same user; 0 if it is gone.
double cpu_us(pid_t process);

}  // namespace orbweaver::bench
