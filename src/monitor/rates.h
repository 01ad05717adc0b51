#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitor/snapshot.h"

namespace orbweaver::monitor {

/// Rates and latencies of a connection.
struct ConnectionRates {
  double packets_per_s = 0;  ///< Between the last two snapshots, as the next.
  double bytes_per_s = 0;
  std::uint64_t p50_ns = 0;  ///< Of the last 10 to 20 s, or since the first snapshot; 0: no packet.
  std::uint64_t p99_ns = 0;
  /// Packets in that time by latency: the upper end of each bucket in nanoseconds, and its count.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> histogram;
};

/// Derives rates from successive snapshots. Not thread-safe.
class RateMeter {
 public:
  /// Takes the next snapshot, in the order of their read_ns.
  void update(const Snapshot& snapshot);
  /// Rates of a connection; empty before its second snapshot.
  std::optional<ConnectionRates> connection(const std::string& id) const;
  /// Processor use in percent of a core between the last two snapshots; empty before the second.
  std::optional<double> cpu_percent(const std::string& component) const;

 private:
  /// Buckets at the begin of a window of latencies.
  struct Mark {
    std::int64_t ns = 0;
    std::vector<std::uint64_t> latency;
  };
  struct Hop {
    std::int64_t ns = 0;
    std::uint64_t packets = 0, bytes = 0;
    Mark older, newer;
    std::optional<ConnectionRates> rates;
  };
  struct Load {
    std::int64_t ns = 0;
    std::uint64_t cpu_ns = 0;
    std::optional<double> percent;
  };

  static Hop next(const Hop& before, const Connection& now, std::int64_t ns);

  std::map<std::string, Hop> hops_;
  std::map<std::string, Load> loads_;
};

}  // namespace orbweaver::monitor
