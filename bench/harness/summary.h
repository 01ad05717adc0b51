// What many calls come to: percentiles, mean and spread of one process's samples, and of several processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// One process's measurement. Times are microseconds a call.
struct Summary {
  std::uint64_t calls = 0;
  double mean_us = 0;
  double p50_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  double min_us = 0;
  double max_us = 0;
  double sd_us = 0;
  double cpu_us_per_call = 0;  ///< both ends together
  double receiver_cpu_us_per_call = 0;  ///< of one-way messages
};

/// Percentiles are nearest-rank: p99 of 100 samples is the 99th smallest, a value that did happen.
/// `samples_us` is sorted in place. The standard deviation is that of the population. Leaves `calls` and
/// `cpu_us_per_call` to the caller. No samples, no figures: all zero.
Summary summarise(std::vector<double>& samples_us);

/// Several fresh processes as one: the median of each statistic, but the smallest minimum and the largest
/// maximum of all, and the calls added up. Empty in, all zero out.
Summary combine(const std::vector<Summary>& processes);

/// Middle value; of an even count the mean of the two in the middle. 0 of none.
double median(std::vector<double> values);

/// One line that a subject prints for the runner, and back. `parse` throws std::invalid_argument.
std::string to_line(const Summary&);
Summary parse_summary(const std::string& line);

}  // namespace orbweaver::bench
