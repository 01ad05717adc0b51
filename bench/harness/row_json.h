// Members that rows of several experiments have: the values of each round, and histograms.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "summary.h"

namespace orbweaver::bench {

/// Times are written rounded to a tenth of a nanosecond.
double rounded_us(double us);

/// One statistic of each round, in the order of the rounds.
nlohmann::ordered_json values_of(const std::vector<Summary>& rounds, double Summary::*statistic);
/// The private memory of one end in each round, in KiB.
nlohmann::ordered_json private_kib_of(const std::vector<Summary>& rounds, ProcessMemory Summary::*end);

/// Adds `rounds_p50_us`, `rounds_mean_us`, `rounds_p99_us` and `rounds_sd_us`.
void add_rounds(nlohmann::ordered_json& row, const std::vector<Summary>& rounds);

/// Arrays [lower limit of the bin in µs, count].
nlohmann::ordered_json to_json(const LogHistogram&);

}  // namespace orbweaver::bench
