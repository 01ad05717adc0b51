#pragma once

#include <cstdint>
#include <string>

#include "monitor/snapshot.h"

namespace orbweaver::monitor {

/// What the monitor knows of itself.
struct MonitorStatus {
  std::uint64_t readings = 0;   ///< Of the domain.
  std::int64_t reading_ns = 0;  ///< Duration of the last one.
  std::size_t watches = 0;      ///< Event streams.
  std::size_t connections = 0;  ///< Of HTTP.
};

/// Metrics in the text format of Prometheus, version 0.0.4. docs/monitor.md lists them. Histograms of
/// latencies have a bucket for each power of four of microseconds; their sum is computed from the middles of
/// the buckets of LatencyBuckets (Stream.idl), so that it is right within 1/16.
std::string metrics_of(const Snapshot& snapshot, const MonitorStatus& status);

}  // namespace orbweaver::monitor
