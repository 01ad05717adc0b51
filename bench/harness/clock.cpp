#include "clock.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace orbweaver::bench {
namespace {

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

TickRate measured() {
  TickRate rate;
  constexpr double kCalibration_us = 20'000;
  const double began_us = now_us();
  const Ticks began = ticks();
  double ended_us = began_us;
  while (ended_us - began_us < kCalibration_us) ended_us = now_us();
  rate.us_per_tick = (ended_us - began_us) / static_cast<double>(ticks() - began);

  std::array<Ticks, 2001> stamps{};
  for (Ticks& stamp : stamps) stamp = ticks();
  for (std::size_t i = stamps.size() - 1; i > 0; --i) stamps[i] -= stamps[i - 1];
  std::sort(stamps.begin() + 1, stamps.end());
  rate.overhead = stamps[stamps.size() / 2];
  return rate;
}

}  // namespace

const TickRate& TickRate::of_this_machine() {
  static const TickRate rate = measured();
  return rate;
}

std::string describe_ticks() {
#if defined(__x86_64__)
  constexpr const char* kName = "time-stamp counter";
#else
  constexpr const char* kName = "steady clock";
#endif
  const TickRate& rate = TickRate::of_this_machine();
  char text[128];
  std::snprintf(text, sizeof text, "clock: %s, %.0f ns a stamp (subtracted), %.2f ns a tick", kName,
                static_cast<double>(rate.overhead) * rate.us_per_tick * 1e3, rate.us_per_tick * 1e3);
  return text;
}

std::int64_t steady_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

double cpu_us(pid_t process) {
  clockid_t clock{};
  timespec t{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

}  // namespace orbweaver::bench
