// The work of a stage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/harness/clock.h"
#include "settings.h"

namespace orbweaver::bench {

/// Returns at `time_ns` of steady_ns(): sleeps until shortly before, then polls the clock, because a wake-up
/// takes tens of microseconds.
void wait_until(std::int64_t time_ns);

/// The work of a stage on one packet, by one thread.
class Work {
 public:
  /// Begins the work; reading the packet is part of it.
  explicit Work(const PipelineSettings& settings);
  /// Returns when the time of the settings has passed since the beginning: waits, or computes with the
  /// samples until the thread has used as much processor time.
  void finish(const double* samples, std::size_t count) const;

 private:
  const bool computes_;
  const std::int64_t work_ns_;
  const std::int64_t start_ns_;
};

/// Sample `index` of packet `number`.
double sample_of(std::uint32_t number, std::size_t index);
/// Whether these are the samples of the packet.
bool is_packet(std::uint32_t number, const double* samples, std::size_t count);

}  // namespace orbweaver::bench
