#include "monitor/rates.h"

#include <algorithm>

#include <orbweaver/sca/detail/latency_histogram.h>

namespace orbweaver::monitor {
namespace {

constexpr std::int64_t kWindowNs = 10'000'000'000;

/// What `now` has counted since `before`. All of `now` if it counts again from zero.
std::vector<std::uint64_t> counted_since(const std::vector<std::uint64_t>& before,
                                         const std::vector<std::uint64_t>& now) {
  std::vector<std::uint64_t> difference = now;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i >= now.size() ? before[i] > 0 : before[i] > now[i]) return now;
    if (i < now.size()) difference[i] -= before[i];
  }
  return difference;
}

void measure_latency(const std::vector<std::uint64_t>& counts, std::uint64_t max_ns, ConnectionRates& rates) {
  rates.p50_ns = sca::percentile_ns(counts, 50, max_ns);
  rates.p99_ns = sca::percentile_ns(counts, 99, max_ns);
  const std::size_t used = std::min(counts.size(), sca::LatencyHistogram::kBuckets);
  for (std::size_t i = 0; i < used; ++i) {
    if (counts[i] > 0) rates.histogram.emplace_back(sca::LatencyHistogram::upper_ns(i), counts[i]);
  }
}

}  // namespace

RateMeter::Hop RateMeter::next(const Hop& before, const Connection& now, std::int64_t ns) {
  Hop hop;
  hop.ns = ns;
  hop.packets = now.packets;
  hop.bytes = now.bytes;
  hop.older = before.older;
  hop.newer = before.newer;
  const bool restarted = now.packets < before.packets || now.bytes < before.bytes;
  if (restarted) hop.older = hop.newer = {ns, {}};
  if (ns - hop.newer.ns >= kWindowNs) {
    hop.older = hop.newer;
    hop.newer = {ns, now.latency};
  }
  ConnectionRates rates;
  const double seconds = static_cast<double>(ns - before.ns) / 1e9;
  if (!restarted && seconds > 0) {
    rates.packets_per_s = static_cast<double>(now.packets - before.packets) / seconds;
    rates.bytes_per_s = static_cast<double>(now.bytes - before.bytes) / seconds;
  }
  measure_latency(counted_since(hop.older.latency, now.latency), now.max_latency_ns, rates);
  hop.rates = std::move(rates);
  return hop;
}

void RateMeter::update(const Snapshot& snapshot) {
  std::map<std::string, Hop> hops;
  for (const Connection& each : snapshot.connections) {
    if (!each.measured) continue;
    const auto before = hops_.find(each.id);
    if (before == hops_.end()) {
      const Mark mark{snapshot.read_ns, each.latency};
      hops[each.id] = {snapshot.read_ns, each.packets, each.bytes, mark, mark, {}};
    } else {
      hops[each.id] = next(before->second, each, snapshot.read_ns);
    }
  }
  hops_ = std::move(hops);
  std::map<std::string, Load> loads;
  for (const Component& each : snapshot.components) {
    if (!each.cpu_ns) continue;
    Load load{snapshot.read_ns, *each.cpu_ns, {}};
    const auto before = loads_.find(each.id);
    if (before != loads_.end() && snapshot.read_ns > before->second.ns &&
        load.cpu_ns >= before->second.cpu_ns) {
      load.percent = 100.0 * static_cast<double>(load.cpu_ns - before->second.cpu_ns) /
                     static_cast<double>(snapshot.read_ns - before->second.ns);
    }
    loads[each.id] = load;
  }
  loads_ = std::move(loads);
}

std::optional<ConnectionRates> RateMeter::connection(const std::string& id) const {
  const auto found = hops_.find(id);
  return found == hops_.end() ? std::nullopt : found->second.rates;
}

std::optional<double> RateMeter::cpu_percent(const std::string& component) const {
  const auto found = loads_.find(component);
  return found == loads_.end() ? std::nullopt : found->second.percent;
}

}  // namespace orbweaver::monitor
