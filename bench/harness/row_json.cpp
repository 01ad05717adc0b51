#include "row_json.h"

#include <cmath>

namespace orbweaver::bench {

double rounded_us(double us) { return std::round(us * 1e4) / 1e4; }

nlohmann::ordered_json values_of(const std::vector<Summary>& rounds, double Summary::*statistic) {
  auto values = nlohmann::ordered_json::array();
  for (const Summary& round : rounds) values.push_back(rounded_us(round.*statistic));
  return values;
}

nlohmann::ordered_json private_kib_of(const std::vector<Summary>& rounds, ProcessMemory Summary::*end) {
  auto values = nlohmann::ordered_json::array();
  for (const Summary& round : rounds) values.push_back((round.*end).private_kib);
  return values;
}

void add_rounds(nlohmann::ordered_json& row, const std::vector<Summary>& rounds) {
  row["rounds_p50_us"] = values_of(rounds, &Summary::p50_us);
  row["rounds_mean_us"] = values_of(rounds, &Summary::mean_us);
  row["rounds_p99_us"] = values_of(rounds, &Summary::p99_us);
  row["rounds_sd_us"] = values_of(rounds, &Summary::sd_us);
}

nlohmann::ordered_json to_json(const LogHistogram& histogram) {
  auto bins = nlohmann::ordered_json::array();
  for (const auto& [us, count] : histogram.bins()) bins.push_back({rounded_us(us), count});
  return bins;
}

}  // namespace orbweaver::bench
