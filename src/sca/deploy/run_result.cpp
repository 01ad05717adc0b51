#include "sca/deploy/run_result.h"

#include <nlohmann/json.hpp>

#include <orbweaver/sca/detail/latency_histogram.h>

#include "base/whole_file.h"

namespace orbweaver::sca {
namespace {

using Json = nlohmann::ordered_json;  // members in the order of the documentation

const char* word(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed: return "completed";
    case Outcome::interrupted: return "interrupted";
    case Outcome::failed: break;
  }
  return "failed";
}

double us(std::uint64_t ns) { return static_cast<double>(ns) / 1000.0; }

Json json(const ComponentResult& c) {
  Json stats = Json::object();
  for (const auto& [name, value] : c.stats) stats[name] = value;
  return {{"id", c.id},
          {"name", c.name},
          {"pid", c.pid},
          {"placement", c.placement},
          {"cpu_seconds", c.cpu_seconds},
          {"copied_bytes", c.copied_bytes ? Json(*c.copied_bytes) : Json()},
          {"exit", c.exit},
          {"stats", stats}};
}

Json json(const HopResult& h) {
  Json histogram = Json::array();
  for (std::size_t i = 0; i < h.latency.size() && i < LatencyHistogram::kBuckets; ++i) {
    if (h.latency[i] > 0)
      histogram.push_back({{"le_us", us(LatencyHistogram::upper_ns(i))}, {"count", h.latency[i]}});
  }
  return {{"from", h.from},
          {"to", h.to},
          {"transport", h.transport.empty() ? "unknown" : h.transport},
          {"has_counts", h.has_counts},
          {"packets", h.packets},
          {"bytes", h.bytes},
          {"lost", h.lost},
          {"reordered", h.reordered},
          {"p50_us", h.percentile_us(50)},
          {"p99_us", h.percentile_us(99)},
          {"max_us", us(h.max_ns)},
          {"mb_per_s", h.mb_per_s()},
          {"end_of_stream", h.end_of_stream},
          {"queue_high_water", h.queue_high_water},
          {"queue_limit", h.queue_limit},
          {"histogram", histogram}};
}

}  // namespace

double HopResult::percentile_us(double percent) const { return us(percentile_ns(latency, percent, max_ns)); }

double HopResult::mb_per_s() const {
  const std::int64_t ns = last_ns - first_ns;
  return packets < 2 || ns <= 0 ? 0 : static_cast<double>(bytes) * 1000.0 / static_cast<double>(ns);
}

std::string to_json(const RunResult& r) {
  Json all = {{"format", 1},          {"assembly", r.assembly}, {"sad", r.sad},
              {"started", r.started}, {"seconds", r.seconds},   {"outcome", word(r.outcome)},
              {"message", r.message}, {"realtime", r.realtime}};
  all["components"] = Json::array();
  all["hops"] = Json::array();
  for (const auto& c : r.components) all["components"].push_back(json(c));
  for (const auto& h : r.hops) all["hops"].push_back(json(h));
  all["unconnected"] = Json::array();
  for (const auto& u : r.unconnected)
    all["unconnected"].push_back({{"port", u.port}, {"dropped_packets", u.dropped_packets}});
  // Components may print text or use names that are not UTF-8; the JSON file is always valid UTF-8.
  // In ASCII: ids and texts of components may have characters that control a terminal.
  return all.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

Result<void> write_json(const RunResult& result, const std::string& path) {
  if (!write_whole_file(path, to_json(result))) {
    return Error{ErrorKind::unavailable,
                 path + ": the result cannot be written there; check the folder and its permissions"};
  }
  return {};
}

}  // namespace orbweaver::sca
