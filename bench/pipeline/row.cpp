#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "report.h"

namespace orbweaver::bench {
namespace {

double rounded(double value) { return std::round(value * 1e3) / 1e3; }

double end_ms(const PipelineResult& result) {
  return result.stages.empty() ? 0 : result.stages.back().last_packet_ms;
}

template <class Figure>
nlohmann::ordered_json of_rounds(const PipelineRounds& rounds, Figure figure) {
  auto values = nlohmann::ordered_json::array();
  for (const PipelineResult& round : rounds) values.push_back(figure(round));
  return values;
}

nlohmann::ordered_json row(const PipelineRounds& rounds) {
  const PipelineResult& result = median_round(rounds);
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
  r["rounds_last_packet_ms"] = of_rounds(rounds, [](const auto& round) { return rounded(end_ms(round)); });
  r["rounds_reordered"] = of_rounds(
      rounds, [](const auto& round) { return round.stages.empty() ? 0 : round.stages.back().reordered; });
  r["rounds_send_p50_us"] = of_rounds(rounds, [](const auto& round) { return rounded(send_p50_us(round)); });
  r["rounds_send_max_us"] = of_rounds(rounds, [](const auto& round) { return rounded(send_max_us(round)); });
  r["rounds_producer_peak_kib"] =
      of_rounds(rounds, [](const auto& round) { return round.producer_peak_kib; });
  r["send_us"] = result.send_us;
  return r;
}

}  // namespace

const PipelineResult& median_round(const PipelineRounds& rounds) {
  std::vector<const PipelineResult*> sorted;
  for (const PipelineResult& round : rounds) sorted.push_back(&round);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return end_ms(*a) < end_ms(*b); });
  return *sorted.at((sorted.size() - 1) / 2);
}

void write_pipeline_json(std::ostream& out, const std::vector<PipelineRounds>& all) {
  auto rows = nlohmann::ordered_json::array();
  for (const PipelineRounds& rounds : all) rows.push_back(row(rounds));
  out << rows.dump(1) << '\n';
}

}  // namespace orbweaver::bench
