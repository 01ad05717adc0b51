// The result of a run, as docs/formats/run-result.md has it: read and checked, so that the page's makers can
// rely on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace orbweaver::voice {

/// Names the file and the member that is missing or wrong.
struct RunResultError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct RunComponent {
  std::string id, name, placement, exit;
  std::int64_t pid = 0;
  double cpu_seconds = 0.0;
  std::map<std::string, double> stats;
};

struct LatencyBucket {
  double le_us = 0.0;  ///< upper bound, microseconds; rising along a histogram
  std::uint64_t count = 0;
};

struct RunHop {
  std::string from, to, transport;  ///< from and to are "component.port"
  std::uint64_t packets = 0, bytes = 0, lost = 0, reordered = 0;
  double p50_us = 0.0, p99_us = 0.0, max_us = 0.0, mb_per_s = 0.0;
  bool end_of_stream = false;
  std::uint64_t queue_high_water = 0, queue_limit = 0;
  std::vector<LatencyBucket> histogram;
};

struct RunResult {
  std::string assembly, sad, started, outcome, message;
  double seconds = 0.0;
  bool realtime = false;
  std::vector<RunComponent> components;
  std::vector<RunHop> hops;

  /// The counter `name` of the first component that has one of that name.
  std::optional<double> stat(const std::string& name) const;
};

/// Throws RunResultError.
RunResult parse_run_result(const std::string& json, const std::string& file_name);
RunResult read_run_result(const std::string& path);

}  // namespace orbweaver::voice
