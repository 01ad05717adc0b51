#include "row.h"

#include <cmath>
#include <ostream>

#include "row_json.h"

namespace orbweaver::bench {
namespace {

nlohmann::ordered_json row(const Outcome& o) {
  nlohmann::ordered_json r;
  r["experiment"] = name(o.what.experiment);
  r["subject"] = o.subject;
  r["transport"] = o.what.transport;
  r["type"] = name(o.what.type);
  r["bytes"] = o.what.bytes;
  r["calls"] = o.figures.calls;
  r["mean_us"] = rounded_us(o.figures.mean_us);
  r["p50_us"] = rounded_us(o.figures.p50_us);
  r["p99_us"] = rounded_us(o.figures.p99_us);
  r["p999_us"] = rounded_us(o.figures.p999_us);
  r["min_us"] = rounded_us(o.figures.min_us);
  r["max_us"] = rounded_us(o.figures.max_us);
  r["sd_us"] = rounded_us(o.figures.sd_us);
  r["mb_per_s"] = std::round(mb_per_s(o) * 10) / 10;
  r["cpu_us_per_call"] = rounded_us(o.figures.cpu_us_per_call);
  if (o.what.experiment == Experiment::oneway) {
    r["receiver_cpu_us_per_call"] = rounded_us(o.figures.receiver_cpu_us_per_call);
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
  r["wait"] = name(o.what.wait);
  r["pin"] = name(o.what.pin);
  add_rounds(r, o.rounds);
  r["rounds_cpu_us_per_call"] = values_of(o.rounds, &Summary::cpu_us_per_call);
  if (o.what.experiment == Experiment::oneway)
    r["rounds_receiver_cpu_us_per_call"] = values_of(o.rounds, &Summary::receiver_cpu_us_per_call);
  r["histogram"] = to_json(o.figures.histogram);
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
