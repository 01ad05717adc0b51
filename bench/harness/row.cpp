#include "row.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

namespace orbweaver::bench {
namespace {

double rounded(double us) { return std::round(us * 1e4) / 1e4; }

/// One statistic of each round, in the order of the rounds.
nlohmann::ordered_json of_rounds(const Outcome& o, double Summary::*statistic) {
  auto values = nlohmann::ordered_json::array();
  for (const Summary& round : o.rounds) values.push_back(rounded(round.*statistic));
  return values;
}

nlohmann::ordered_json row(const Outcome& o) {
  nlohmann::ordered_json r;
  r["experiment"] = name(o.what.experiment);
  r["subject"] = o.subject;
  r["transport"] = o.what.transport;
  r["type"] = name(o.what.type);
  r["bytes"] = o.what.bytes;
  r["calls"] = o.figures.calls;
  r["mean_us"] = rounded(o.figures.mean_us);
  r["p50_us"] = rounded(o.figures.p50_us);
  r["p99_us"] = rounded(o.figures.p99_us);
  r["p999_us"] = rounded(o.figures.p999_us);
  r["min_us"] = rounded(o.figures.min_us);
  r["max_us"] = rounded(o.figures.max_us);
  r["sd_us"] = rounded(o.figures.sd_us);
  r["mb_per_s"] = std::round(mb_per_s(o) * 10) / 10;
  r["cpu_us_per_call"] = rounded(o.figures.cpu_us_per_call);
  if (o.what.experiment == Experiment::oneway) {
    r["receiver_cpu_us_per_call"] = rounded(o.figures.receiver_cpu_us_per_call);
  }
  if (has_receivers(o.what.experiment)) {
    r["receivers"] = o.what.receivers;
    r["copied_bytes"] = o.figures.copied_bytes;
  }
  if (o.what.experiment == Experiment::twoway || o.what.experiment == Experiment::oneway) {
    r["client_resident_kib"] = o.figures.client.resident_kib;
    r["client_private_kib"] = o.figures.client.private_kib;
    r["server_resident_kib"] = o.figures.server.resident_kib;
    r["server_private_kib"] = o.figures.server.private_kib;
  }
  r["rounds_p50_us"] = of_rounds(o, &Summary::p50_us);
  r["rounds_mean_us"] = of_rounds(o, &Summary::mean_us);
  return r;
}

}  // namespace

double mb_per_s(const Outcome& o) {
  return o.figures.mean_us > 0 ? static_cast<double>(o.what.bytes) / o.figures.mean_us : 0;
}

void write_json(std::ostream& out, const std::vector<Outcome>& outcomes) {
  auto rows = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) rows.push_back(row(outcome));
  out << rows.dump(1) << '\n';
}

}  // namespace orbweaver::bench
