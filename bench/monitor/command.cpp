#include "command.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <vector>

#include <orbweaver/result.h>

#include "bench/harness/machine.h"
#include "bench/harness/plan.h"
#include "bench/harness/runner.h"
#include "bench/harness/summary.h"
#include "bench/harness/table.h"
#include "event_streams.h"
#include "sca/control/call_error.h"
#include "watched_pipeline.h"

namespace orbweaver::bench {
namespace {

constexpr std::chrono::seconds kFirstEvents(60);

/// Three measurements, one after another.
struct Round {
  PipelineTime before, watched, after;
  double events_per_s = 0, kib_per_s = 0;  // of one browser

  double unwatched_packets_per_s() const { return (before.packets_per_s + after.packets_per_s) / 2; }
  /// Time of a packet when it is watched, to that when it is not.
  double ratio() const { return unwatched_packets_per_s() / watched.packets_per_s; }
  /// The same of the two measurements without browsers: what is not due to the monitor.
  double ratio_of_unwatched() const { return before.packets_per_s / after.packets_per_s; }
  /// As ratio(), of the processor time of the components: other programs of the machine do not change it
  /// much.
  double cpu_ratio() const { return 2 * watched.cpu_us / (before.cpu_us + after.cpu_us); }
  double cpu_ratio_of_unwatched() const { return before.cpu_us / after.cpu_us; }
  double unwatched_cpu_us() const { return (before.cpu_us + after.cpu_us) / 2; }
  double unwatched_cpu_percent() const { return (before.cpu_percent + after.cpu_percent) / 2; }
};

using Rounds = std::vector<Round>;

template <class Figure>
std::vector<double> values(const Rounds& rounds, Figure figure) {
  std::vector<double> all;
  for (const Round& each : rounds) all.push_back((each.*figure)());
  return all;
}
std::vector<double> values(const Rounds& rounds, double Round::*figure) {
  std::vector<double> all;
  for (const Round& each : rounds) all.push_back(each.*figure);
  return all;
}
std::vector<double> watched(const Rounds& rounds, double PipelineTime::*figure) {
  std::vector<double> all;
  for (const Round& each : rounds) all.push_back(each.watched.*figure);
  return all;
}

Round measure_round(const MonitorPlan& plan, WatchedPipeline& pipeline) {
  Round round;
  round.before = pipeline.measure(plan.window_ms);
  {
    const EventStreams browsers(pipeline.monitor_url(), plan.browsers);
    if (!browsers.wait_for_changes(1, kFirstEvents))
      throw std::runtime_error("the monitor sends no events to " + std::to_string(plan.browsers) +
                               " clients");
    const unsigned long events = browsers.changes(), bytes = browsers.bytes();
    round.watched = pipeline.measure(plan.window_ms);
    const double seconds = plan.window_ms / 1e3;
    round.events_per_s = static_cast<double>(browsers.changes() - events) / seconds;
    round.kib_per_s = static_cast<double>(browsers.bytes() - bytes) / 1024 / seconds / plan.browsers;
  }
  round.after = pipeline.measure(plan.window_ms);
  if (round.before.packets_per_s <= 0 || round.watched.packets_per_s <= 0 || round.after.packets_per_s <= 0)
    throw std::runtime_error("no packets have arrived at the sink");
  return round;
}

nlohmann::json to_json(const MonitorPlan& plan, const Rounds& rounds) {
  return {{"experiment", "monitor"},
          {"components", plan.components},
          {"browsers", plan.browsers},
          {"window_ms", plan.window_ms},
          {"packets_per_s", values(rounds, &Round::unwatched_packets_per_s)},
          {"watched_packets_per_s", watched(rounds, &PipelineTime::packets_per_s)},
          {"ratio", values(rounds, &Round::ratio)},
          {"ratio_of_unwatched", values(rounds, &Round::ratio_of_unwatched)},
          {"cpu_us_per_packet", values(rounds, &Round::unwatched_cpu_us)},
          {"watched_cpu_us_per_packet", watched(rounds, &PipelineTime::cpu_us)},
          {"cpu_ratio", values(rounds, &Round::cpu_ratio)},
          {"cpu_ratio_of_unwatched", values(rounds, &Round::cpu_ratio_of_unwatched)},
          {"cpu_percent", values(rounds, &Round::unwatched_cpu_percent)},
          {"watched_cpu_percent", watched(rounds, &PipelineTime::cpu_percent)},
          {"events_per_s", values(rounds, &Round::events_per_s)},
          {"kib_per_s", values(rounds, &Round::kib_per_s)}};
}

void print_line(std::ostream& out, const char* name, const std::vector<double>& of_rounds, int digits) {
  const auto [least, most] = std::minmax_element(of_rounds.begin(), of_rounds.end());
  out << format("%-52s %10.*f %10.*f %10.*f\n", name, digits, median(of_rounds), digits, *least, digits,
                *most);
}

void print(std::ostream& out, const MonitorPlan& plan, const Rounds& rounds) {
  out << machine_description() << ", commit " << build_commit() << "\n"
      << "a pipeline of " << plan.components << " processes, packets of 2 KiB without a pause; "
      << rounds.size() << " rounds of " << plan.window_ms << " ms\nwithout, with and without "
      << plan.browsers << " event streams of the monitor\n\n"
      << format("%-52s %10s %10s %10s\n", "", "p50", "min", "max");
  print_line(out, "packets/s, not watched", values(rounds, &Round::unwatched_packets_per_s), 0);
  print_line(out, "packets/s, watched", watched(rounds, &PipelineTime::packets_per_s), 0);
  print_line(out, "time of a packet, watched to not watched", values(rounds, &Round::ratio), 3);
  print_line(out, "the same of two times without a browser", values(rounds, &Round::ratio_of_unwatched), 3);
  print_line(out, "processor time of a packet in us, not watched", values(rounds, &Round::unwatched_cpu_us),
             2);
  print_line(out, "the same, watched to not watched", values(rounds, &Round::cpu_ratio), 3);
  print_line(out, "the same of two times without a browser", values(rounds, &Round::cpu_ratio_of_unwatched),
             3);
  print_line(out, "domain manager, % of a core, not watched", values(rounds, &Round::unwatched_cpu_percent),
             2);
  print_line(out, "domain manager with monitor, % of a core, watched",
             watched(rounds, &PipelineTime::cpu_percent), 2);
  print_line(out, "events/s of a browser", values(rounds, &Round::events_per_s), 1);
  print_line(out, "KiB/s of a browser", values(rounds, &Round::kib_per_s), 1);
  out << std::flush;
}

void check(const MonitorPlan& plan) {
  if (plan.components < 2 || plan.components > 200) throw InvalidPlan("--components: from 2 to 200");
  if (plan.browsers < 1 || plan.browsers > 48) throw InvalidPlan("--browsers: from 1 to 48");
  if (plan.window_ms < 100 || plan.window_ms > 600'000) throw InvalidPlan("--window: from 100 to 600000");
  if (plan.rounds < 1 || plan.rounds > 10'000) throw InvalidPlan("--rounds: from 1 to 10000");
}

}  // namespace

int run_monitor_command(const MonitorPlan& plan, const std::string& program, const std::string& json_file,
                        std::ostream& out, std::ostream& err) {
  try {
    check(plan);
    Rounds rounds;
    {
      WatchedPipeline pipeline(program, plan.components);
      pipeline.measure(std::min(plan.window_ms, 500u));  // the queues fill
      for (unsigned i = 0; i < plan.rounds; ++i) rounds.push_back(measure_round(plan, pipeline));
    }
    print(json_file == "-" ? err : out, plan, rounds);
    const nlohmann::json rows = nlohmann::json::array({to_json(plan, rounds)});
    if (json_file.empty()) return 0;
    if (json_file == "-") return (out << rows.dump(2) << "\n" << std::flush) ? 0 : 1;
    std::ofstream file(json_file);
    file << rows.dump(2) << "\n";
    file.close();
    if (file) return 0;
    err << "bench monitor: cannot write " << json_file << "\n";
    return 1;
  } catch (const InvalidPlan& e) {
    err << "bench monitor: " << e.what() << "\n";
    return 2;
  } catch (const Error& e) {
    err << "bench monitor: " << e.message << "\n";
  } catch (const CORBA::Exception& e) {
    err << "bench monitor: " << sca::describe(e) << "\n";
  } catch (const std::exception& e) {
    err << "bench monitor: " << e.what() << "\n";
  }
  return 1;
}

}  // namespace orbweaver::bench
