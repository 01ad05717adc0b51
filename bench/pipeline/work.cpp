#include "work.h"

#include <time.h>

#include <cerrno>
#include <cmath>

namespace orbweaver::bench {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// Time for which wait_until() polls: longer than most wake-ups take.
constexpr std::int64_t kPoll_ns = 150'000;

std::int64_t time_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * kSecond + t.tv_nsec;
}

/// One pass of a recursive filter over the samples.
double filtered(const double* samples, std::size_t count, double state) {
  for (std::size_t i = 0; i < count; ++i) state = 0.9 * state + 0.1 * samples[i];
  return state;
}

}  // namespace

void wait_until(std::int64_t time_ns) {
  const std::int64_t wake_ns = time_ns - kPoll_ns;
  if (wake_ns > steady_ns()) {
    const timespec wake{static_cast<time_t>(wake_ns / kSecond), static_cast<long>(wake_ns % kSecond)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
    }
  }
  while (steady_ns() < time_ns) {
  }
}

Work::Work(const PipelineSettings& settings)
    : computes_(settings.work == WorkBy::compute),
      work_ns_(static_cast<std::int64_t>(settings.work_ms * 1e6)),
      start_ns_(time_of(computes_ ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC)) {}

void Work::finish(const double* samples, std::size_t count) const {
  if (work_ns_ == 0) return;
  if (!computes_) return wait_until(start_ns_ + work_ns_);
  volatile double result = 0;
  while (time_of(CLOCK_THREAD_CPUTIME_ID) < start_ns_ + work_ns_) result = filtered(samples, count, result);
}

double sample_of(std::uint32_t number, std::size_t index) {
  return static_cast<double>(number) + static_cast<double>(index) / static_cast<double>(kPacketSamples);
}

bool is_packet(std::uint32_t number, const double* samples, std::size_t count) {
  if (count != kPacketSamples) return false;
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) same = same && samples[i] == sample_of(number, i);
  return same;
}

}  // namespace orbweaver::bench
