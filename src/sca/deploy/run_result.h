#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orbweaver::sca {

/// The results of a run. docs/formats/run-result.md defines each member.
struct ComponentResult {
  std::string id;
  std::string name;
  std::int64_t pid = -1;
  std::string placement;
  double cpu_seconds = 0;
  std::string exit;
  std::vector<std::pair<std::string, double>> stats;
  /// Bytes of samples that its ports have copied; empty: unknown, because it does not respond.
  std::optional<std::uint64_t> copied_bytes = {};
};

/// The results of one connection.
struct HopResult {
  std::string from;
  std::string to;
  std::string transport;   ///< Empty: unknown, because the sender does not respond.
  bool has_counts = true;  ///< Whether the receiver has reported the members below; they are 0 otherwise.
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
  std::vector<std::uint64_t> latency;  ///< Counts of the LatencyHistogram's buckets.

  /// Latency percentile in microseconds, as the upper bound of a histogram bucket.
  double percentile_us(double percent) const;
  /// Throughput between the first and the last packet in 10^6 bytes per second; 0 below two packets.
  double mb_per_s() const;
};

/// An output port without a connection.
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

/// Returns the result as JSON (docs/formats/run-result.md).
std::string to_json(const RunResult& result);
/// Writes the JSON to a temporary file and renames it to `path`, so that a reader sees either the complete
/// file or none. Fails with ErrorKind::unavailable.
Result<void> write_json(const RunResult& result, const std::string& path);
/// Returns the tables that `orbweaver run` prints at its end: hops, then components. Lines end with \n.
std::string to_table(const RunResult& result);

}  // namespace orbweaver::sca
