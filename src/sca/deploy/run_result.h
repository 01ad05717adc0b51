#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace orbweaver::sca {

/// What a run was like; docs/formats/run-result.md says what each member means.
struct ComponentResult {
  std::string id;
  std::string name;
  std::int64_t pid = -1;
  std::string placement;
  double cpu_seconds = 0;
  std::string exit;
  std::vector<std::pair<std::string, double>> stats;
};

struct HopResult {
  std::string from;
  std::string to;
  std::string transport;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t reordered = 0;
  std::uint64_t max_ns = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  bool end_of_stream = false;
  std::uint64_t queue_high_water = 0;
  std::uint64_t queue_limit = 0;
  std::vector<std::uint64_t> latency;  ///< LatencyHistogram's counts.

  double percentile_us(double percent) const;
  double mb_per_s() const;
};

/// An output that the assembly connects to nothing.
struct UnconnectedResult {
  std::string port;  ///< "source_1.out"
  std::uint64_t dropped_packets = 0;
};

enum class Outcome { completed, interrupted, failed };

struct RunResult {
  std::string assembly;
  std::string sad;
  std::string started;
  double seconds = 0;
  Outcome outcome = Outcome::completed;
  std::string message;
  bool realtime = false;
  std::vector<ComponentResult> components;
  std::vector<HopResult> hops;
  std::vector<UnconnectedResult> unconnected;
};

/// The JSON of docs/formats/run-result.md.
std::string to_json(const RunResult& result);
/// Writes it beside `path` and renames: a reader sees all of it or nothing. Fails with Remedy::give_up.
Result<void> write_json(const RunResult& result, const std::string& path);
/// The tables that `orbweaver run` ends with: hops, then components. Lines end with \n.
std::string to_table(const RunResult& result);

}  // namespace orbweaver::sca
