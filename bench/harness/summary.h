// Statistics of many calls: percentiles, mean and spread of the samples of one process, and of several
// processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "histogram.h"
#include "memory.h"

namespace orbweaver::bench {

/// Statistics of one process. Times are in microseconds per call.
struct Summary {
  std::uint64_t calls = 0;
  double mean_us = 0;
  double p50_us = 0;
  double p90_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  double min_us = 0;
  double max_us = 0;
  double sd_us = 0;
  double cpu_us_per_call = 0;           ///< both ends together
  double receiver_cpu_us_per_call = 0;  ///< of one-way messages
  double copied_bytes = 0;              ///< of a packet, on its way to all receivers; `hops` and `fanout`
  ProcessMemory client, server;         ///< after the calls; without a server process it is zero
  LogHistogram histogram;               ///< of all samples
};

/// Computes the statistics of `samples_us`, which it sorts. Percentiles are nearest-rank: p99 of 100 samples
/// is the 99th smallest, an actual sample. The standard deviation is that of the population. The caller sets
/// `calls` and the processor times. All zero without samples.
Summary summarise(std::vector<double>& samples_us);

/// Combines several processes: the median of each statistic, the smallest minimum, the largest maximum, and
/// the sum of the calls and of the histograms. All zero without processes.
Summary combine(const std::vector<Summary>& processes);

/// Returns the middle value, for an even count the mean of the two middle values, or 0 without values.
double median(std::vector<double> values);

/// Converts a summary to the line that a subject prints for the runner, and back. parse_summary() throws
/// std::invalid_argument.
std::string to_line(const Summary&);
Summary parse_summary(const std::string& line);

}  // namespace orbweaver::bench
