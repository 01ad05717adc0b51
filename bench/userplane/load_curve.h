// Throughput by the processor time of the receiver: points of a sweep, and the value at one load.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace orbweaver::bench {

/// One point of a sweep.
struct LoadPoint {
  std::uint32_t spacing_us = 0;
  std::uint64_t sent = 0;      ///< packets
  std::uint64_t received = 0;  ///< packets
  std::uint64_t bytes = 0;     ///< of the received packets
  std::uint64_t wrong = 0;
  std::uint64_t reordered = 0;
  double elapsed_us = 0;
  double cpu_us = 0;     ///< of the receiver
  double waited_us = 0;  ///< of the receiver, for a processor that others used

  /// User data that has been received, in 10^6 bits a second; 0 without time.
  double mbit_per_s() const;
  /// Processor time of the receiver, in percent of one processor; more than 100 if several threads work.
  double cpu_percent() const;
  /// Waiting for a processor, in percent of the time.
  double waited_percent() const;
  std::uint64_t lost() const { return sent > received ? sent - received : 0; }
  double lost_percent() const;
};

/// A point at which more packets were lost is not used: the receiver was overloaded.
inline constexpr double kMostLostPercent = 1;

/// A receiver that waited longer for a processor was disturbed by other processes.
inline constexpr double kMostWaitedPercent = 20;

/// The throughput at one load of the receiver.
struct AtLoad {
  double mbit_per_s = 0;
  double cpu_percent = 0;
  bool reached = false;  ///< false: the receiver has not had that load; the values are those of the most data
};

/// Throughput at which the receiver uses `cpu_percent`, between the first two neighbours in the order of
/// throughput of which the second one uses more; without packets it uses nothing. nullopt without points.
std::optional<AtLoad> throughput_at(std::vector<LoadPoint> points, double cpu_percent);

/// The ratio of the throughput of one to that of another, at the same load.
struct LoadRatio {
  double value = 0;
  bool at_least = false;  ///< the first one has not reached the load
  bool at_most = false;   ///< the second one has not reached it; both: the ratio is unknown
};

/// Median of the ratios of a to b round by round, without the rounds that one of them does not have; a bound
/// if one of the ratios is a bound. nullopt without a common round.
std::optional<LoadRatio> ratio_of(const std::vector<std::optional<AtLoad>>& a,
                                  const std::vector<std::optional<AtLoad>>& b);

}  // namespace orbweaver::bench
