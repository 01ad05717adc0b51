// The work of a stage, and its clock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "settings.h"

namespace orbweaver::bench {

/// CLOCK_MONOTONIC in nanoseconds, the same in all processes.
std::int64_t steady_ns();

/// Returns at `time_ns` of steady_ns(): sleeps until shortly before, then polls the clock, because a wake-up
/// takes tens of microseconds.
void wait_until(std::int64_t time_ns);

/// Works on a packet for the time of the settings: uses as much processor time, computing with the samples,
/// or waits. Any thread; several threads work at the same time.
void work_on(const PipelineSettings&, const double* samples, std::size_t count);

/// Sample `index` of packet `number`.
double sample_of(std::uint32_t number, std::size_t index);
/// Whether these are the samples of the packet.
bool is_packet(std::uint32_t number, const double* samples, std::size_t count);

}  // namespace orbweaver::bench
