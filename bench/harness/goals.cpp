#include "goals.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "payload.h"
#include "table.h"

namespace orbweaver::bench {
namespace {

constexpr std::size_t kKiB = 1024;

Case over(std::string_view transport, std::size_t bytes, std::uint64_t calls) {
  Case c;
  c.transport = transport;
  c.type = bytes ? PayloadType::doubles : PayloadType::empty;
  c.bytes = bytes;
  c.wait = default_wait(transport);
  c.pin = default_pin(c.wait);
  // A process should run for tenths of a second whatever the payload size.
  c.calls = std::min(calls, std::max<std::uint64_t>(calls * 40 * kKiB / std::max(bytes, kKiB), 200));
  return c;
}

Case blocking(Case c) {
  c.wait = Wait::block;
  c.pin = Pin::one;
  return c;
}

/// 4 KiB of another type: 256 strings, 1,024 structs of two shorts, or an any of 512 doubles.
Case of_type(PayloadType type, std::string_view transport, std::uint64_t calls) {
  Case c = blocking(over(transport, 4 * kKiB, calls));
  c.type = type;
  return c;
}

Case flood(Case c) {
  c.experiment = Experiment::oneway;
  return c;
}

Case block(Case c) {
  c.type = PayloadType::block;
  return c;
}

Case mix(Case c) {
  c.experiment = Experiment::oneway;
  c.type = PayloadType::mix;
  c.bytes = kMixBytes / kMixSizes.size();
  return c;
}

/// Packets through eight processes, or to eight.
Case packets(Experiment experiment, Case c) {
  c = blocking(std::move(c));
  c.experiment = experiment;
  c.receivers = 8;
  return c;
}

Goal ratio(std::string text, const Case& c, const char* beside, double at_most, Metric by = Metric::p50) {
  return {std::move(text), c, beside, c, by, at_most};
}

Goal absolute(std::string text, const Case& c, Metric by, double at_most_us) {
  return {std::move(text), c, "", c, by, at_most_us};
}

const Outcome* find(const std::vector<Outcome>& all, const Case& c, std::string_view subject) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Outcome& o) { return o.what == c && o.subject == subject; });
  return found == all.end() ? nullptr : &*found;
}

double value(Metric by, const Summary& s) {
  if (by == Metric::mean) return s.mean_us;
  if (by == Metric::receiver) return s.receiver_cpu_us_per_call;
  if (by == Metric::copied) return s.copied_bytes;
  return by == Metric::p50 ? s.p50_us : s.p50_us > 0 ? s.p999_us / s.p50_us : 0;
}

std::vector<double> rounds_of(Metric metric, const Outcome& outcome) {
  std::vector<double> values;
  for (const Summary& round : outcome.rounds) values.push_back(value(metric, round));
  return values;
}

std::optional<double> ratio_of(const Goal& goal, const Outcome& ours, const Outcome& theirs) {
  if (!goal.within_rounds()) {
    const double below = value(goal.by, theirs.figures);
    return below > 0 ? std::optional(value(goal.by, ours.figures) / below) : std::nullopt;
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.rounds.size() && i < theirs.rounds.size(); ++i)
    if (const double below = value(goal.by, theirs.rounds[i]); below > 0)
      ratios.push_back(value(goal.by, ours.rounds[i]) / below);
  return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)));
}

std::string verdict(const Verdict& v) { return !v.measured ? "not measured" : v.met() ? "met" : "missed"; }

std::string_view metric_name(Metric by) {
  return by == Metric::p50        ? "p50"
         : by == Metric::mean     ? "mean"
         : by == Metric::receiver ? "rx cpu"
         : by == Metric::copied   ? "copied/B"
                                  : "p99.9/p50";
}

}  // namespace

std::vector<Goal> goals(std::uint64_t calls) {
  const auto at = [calls](std::string_view transport, std::size_t bytes) {
    return over(transport, bytes, calls);
  };
  const Case shm = at("shm", 0), shm_128 = at("shm", 128), omniorb = at("unix", 0);
  std::vector<Goal> all = {
      ratio("shm, two-way, empty", shm, "floor", 1.5),
      ratio("shm, two-way, 128 B", shm_128, "floor", 1.5),
      ratio("shm, two-way, empty", shm, "iceoryx2", 0.45),
      ratio("shm, two-way, 128 B", shm_128, "iceoryx2", 0.45),
      {"shm, two-way, empty; omniORB over a Unix socket", shm, "omniorb", omniorb, Metric::p50, 1 / 9.0},
      ratio("shm, two-way, 4 KiB read in place", at("shm", 4 * kKiB), "floor", 1.1),
      ratio("shm, two-way, 32 KiB read in place", at("shm", 32 * kKiB), "floor", 1.0),
      ratio("shm, two-way, 1 MiB in a loaned block", block(at("shm", 1024 * kKiB)), "floor", 1.05),
      absolute("shm, one-way, 128 B, us a message", flood(shm_128), Metric::mean, 0.2),
      ratio("shm, one-way, 32 KiB", flood(at("shm", 32 * kKiB)), "floor", 1 / 0.9, Metric::mean),
      ratio("shm, two-way, empty, blocking on one core", blocking(shm), "floor", 1.3)};
  const Case hop_1m = packets(Experiment::hops, block(at("shm", 1024 * kKiB)));
  all.push_back(
      ratio("shm, hop of eight, 8 KiB", packets(Experiment::hops, at("shm", 8 * kKiB)), "floor", 1.3));
  all.push_back({"shm, hop of eight, 1 MiB in a loaned block; an empty one", hop_1m, "orbweaver",
                 packets(Experiment::hops, shm), Metric::p50, 2});
  all.push_back(absolute("shm, eight hops, 1 MiB in a loaned block, bytes", hop_1m, Metric::copied, 0));
  all.push_back(ratio("shm, fan-out of a 64 KiB block to eight",
                      packets(Experiment::fanout, block(at("shm", 64 * kKiB))), "floor", 1.5));
  for (const std::string transport : {"unix", "tcp"}) {
    for (const std::size_t bytes : {std::size_t{0}, 4 * kKiB, 32 * kKiB}) {
      const std::string text =
          transport + ", two-way, " + (bytes ? std::to_string(bytes / kKiB) + " KiB" : std::string("empty"));
      all.push_back(ratio(text, at(transport, bytes), "floor", 1.12));
      all.push_back(ratio(text, at(transport, bytes), "omniorb", bytes ? 0.8 : 0.95));
    }
  }
  for (const std::string transport : {"unix", "tcp"}) {
    const auto goal = [&](const char* what, PayloadType type, double at_most) {
      all.push_back(
          ratio(transport + ", two-way, " + what, of_type(type, transport, calls), "omniorb", at_most));
    };
    goal("256 strings, blocking on one core", PayloadType::string, 0.55);
    goal("any of 4 KiB, blocking on one core", PayloadType::any, 0.88);
    goal("1,024 structs, blocking on one core", PayloadType::structs, 0.76);
  }
  all.push_back(ratio("shm, two-way, any of 4 KiB, blocking on one core",
                      of_type(PayloadType::any, "shm", calls), "floor", 1.3));
  all.push_back(ratio("shm, two-way, 256 strings, blocking on one core",
                      of_type(PayloadType::string, "shm", calls), "floor", 1.45));
  for (const std::string transport : {"udp", "tcp"})
    all.push_back(ratio(transport + ", one-way, Internet mix, CPU at the receiver", mix(at(transport, kKiB)),
                        "floor", 1.0, Metric::receiver));
  all.push_back(ratio("mqueue, two-way, 1 KiB", at("mqueue", kKiB), "floor", 1.2));
  all.push_back(absolute("collocated, two-way, us", at("inproc", 0), Metric::p50, 0.025));
  all.push_back(absolute("collocated, one-way, queued, us", flood(at("inproc", 0)), Metric::mean, 0.150));
  all.push_back(ratio("shm, two-way, empty", shm, "floor", 1.0, Metric::tail));
  all.push_back(ratio("shm, two-way, 128 B", shm_128, "floor", 1.0, Metric::tail));
  return all;
}

std::vector<Case> cases_of(const std::vector<Goal>& goals) {
  std::vector<Case> all;
  for (const Goal& goal : goals)
    for (const Case& c : {goal.ours, goal.theirs})
      if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
  return all;
}

std::vector<Verdict> evaluate(const std::vector<Goal>& goals, const std::vector<Outcome>& outcomes) {
  std::vector<Verdict> all;
  for (const Goal& goal : goals) {
    Verdict v{goal};
    const Outcome* ours = find(outcomes, goal.ours, "orbweaver");
    const Outcome* theirs = find(outcomes, goal.theirs, goal.beside);
    const Metric shown = goal.by == Metric::tail || goal.by == Metric::copied ? Metric::p50 : goal.by;
    if (ours) v.ours_us = value(shown, ours->figures);
    if (theirs) v.theirs_us = value(shown, theirs->figures);
    if (ours) v.ours_rounds = rounds_of(goal.by, *ours);
    if (theirs) v.theirs_rounds = rounds_of(goal.by, *theirs);
    if (ours && goal.beside.empty()) v.measured = value(goal.by, ours->figures);
    if (ours && theirs) v.measured = ratio_of(goal, *ours, *theirs);
    all.push_back(std::move(v));
  }
  return all;
}

void print_verdicts(std::ostream& out, const std::vector<Verdict>& verdicts) {
  out << format("\n%-50s %-9s %-8s  %7s %8s  %8s %8s\n", "goal", "by", "against", "at most", "measured",
                "ours/us", "its/us");
  for (const Verdict& v : verdicts)
    out << format("%-50s %-9s %-8s  %7.3f %8.3f  %8.3f %8.3f  %s\n", v.goal.text.c_str(),
                  std::string(metric_name(v.goal.by)).c_str(), v.goal.beside.c_str(), v.goal.at_most,
                  v.measured.value_or(0), v.ours_us, v.theirs_us, verdict(v).c_str());
  const auto met = std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.met(); });
  out << met << " of " << verdicts.size() << " goals met\n";
}

void write_verdicts(std::ostream& out, const std::vector<Verdict>& verdicts) {
  auto all = nlohmann::ordered_json::array();
  for (const Verdict& v : verdicts) {
    nlohmann::ordered_json row;
    row["goal"] = v.goal.text;
    row["against"] = v.goal.beside;
    row["by"] = metric_name(v.goal.by);
    row["at_most"] = v.goal.at_most;
    row["measured"] = v.measured.value_or(0);
    row["ours_us"] = v.ours_us;
    row["theirs_us"] = v.theirs_us;
    row["verdict"] = verdict(v);
    row["within_rounds"] = v.goal.within_rounds();
    row["rounds_ours"] = v.ours_rounds;
    row["rounds_theirs"] = v.theirs_rounds;
    all.push_back(std::move(row));
  }
  out << all.dump(1) << '\n';
}

}  // namespace orbweaver::bench
