// The result of a run (docs/formats/run-result.md), parsed and validated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace orbweaver::voice {

/// The message names the file and the missing or invalid member.
struct RunResultError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct RunComponent {
  std::string id, name, placement, exit;
  std::int64_t pid = 0;
  double cpu_seconds = 0.0;
  std::map<std::string, double> stats;
};

/// A bucket of a latency histogram.
struct LatencyBucket {
  double le_us = 0.0;  ///< upper bound in microseconds; ascending in a histogram
  std::uint64_t count = 0;
};

/// The results of one connection.
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

  /// The value of the first counter with this name, in the order of the components; nullopt if there is none.
  std::optional<double> stat(const std::string& name) const;
};

/// Parse and validate a result. Throw RunResultError.
RunResult parse_run_result(const std::string& json, const std::string& file_name);
RunResult read_run_result(const std::string& path);

}  // namespace orbweaver::voice
