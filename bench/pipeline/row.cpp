#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "report.h"

namespace orbweaver::bench {
namespace {

double rounded(double value) { return std::round(value * 1e3) / 1e3; }

nlohmann::ordered_json row(const PipelineResult& result) {
  const PipelineSettings& s = result.settings;
  nlohmann::ordered_json r;
  r["experiment"] = "pipeline";
  r["subject"] = result.subject;
  r["mode"] = name(s.mode);
  r["transport"] = s.collocated ? "inproc" : s.transport;
  r["stages"] = s.stages;
  r["packets"] = s.packets;
  r["work_ms"] = s.work_ms;
  r["pace_ms"] = s.pace_ms;
  r["work_by"] = name(s.work);
  r["theoretical_ms"] = theoretical_ms(s, s.stages);
  auto& last = r["last_packet_ms"] = nlohmann::ordered_json::array();
  auto& reordered = r["reordered"] = nlohmann::ordered_json::array();
  auto& on_arrival = r["reordered_on_arrival"] = nlohmann::ordered_json::array();
  auto& late = r["late_us"] = nlohmann::ordered_json::array();
  auto& between = r["between_us"] = nlohmann::ordered_json::array();
  auto& pass_on = r["pass_on_us"] = nlohmann::ordered_json::array();
  for (const StageResult& stage : result.stages) {
    last.push_back(rounded(stage.last_packet_ms));
    reordered.push_back(stage.reordered);
    on_arrival.push_back(stage.reordered_on_arrival);
    late.push_back(rounded(stage.overhead.late_us));
    between.push_back(rounded(stage.overhead.between_us));
    pass_on.push_back(rounded(stage.overhead.pass_on_us));
  }
  r["lost"] = lost(result);
  r["send_p50_us"] = rounded(send_p50_us(result));
  r["send_max_us"] = rounded(send_max_us(result));
  r["producer_peak_kib"] = result.producer_peak_kib;
  r["send_us"] = result.send_us;
  return r;
}

}  // namespace

void write_pipeline_json(std::ostream& out, const std::vector<PipelineResult>& results) {
  auto rows = nlohmann::ordered_json::array();
  for (const PipelineResult& result : results) rows.push_back(row(result));
  out << rows.dump(1) << '\n';
}

}  // namespace orbweaver::bench
