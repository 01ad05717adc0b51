#include "table.h"

#include <algorithm>
#include <ostream>

#include "clock.h"
#include "machine.h"
#include "row.h"

namespace orbweaver::bench {
namespace {

std::string heading(const Case& c) {
  std::string text(name(c.experiment));
  text.append(" ").append(c.transport).append(", ").append(name(c.type));
  if (c.bytes) text.append(" ").append(std::to_string(c.bytes)).append(" B");
  if (has_receivers(c.experiment))
    text.append(", ").append(std::to_string(c.receivers)).append(" receivers   (all ");
  else
    text.append("   (both ends ");
  text.append(name(c.wait));
  const bool many = has_receivers(c.experiment);
  return text.append(c.pin == Pin::one   ? ", one core)"
                     : c.pin == Pin::two ? many ? ", two cores)" : ", a core each)"
                                         : ", not pinned)");
}

const Outcome* floor_of(const std::vector<Outcome>& all, const Case& c) {
  for (const Outcome& outcome : all)
    if (outcome.what == c && outcome.subject == "floor") return &outcome;
  return nullptr;
}

std::string ratio(const std::vector<Outcome>& all, const Outcome& o) {
  const Outcome* floor = floor_of(all, o.what);
  const double times = floor ? ratio_to_floor(o, *floor) : 0;
  return times > 0 ? format("%8.2f", times) : std::string("       -");
}

std::string range(const Outcome& o) {
  const auto by_p50 = [](const Summary& a, const Summary& b) { return a.p50_us < b.p50_us; };
  const auto [low, high] = std::minmax_element(o.rounds.begin(), o.rounds.end(), by_p50);
  return format("%7.3f-%-7.3f", low->p50_us, high->p50_us);
}

std::string rate(const Outcome& o) {
  return o.what.bytes ? format("%9.0f", mb_per_s(o)) : std::string("        -");
}

}  // namespace

void print_skipped(std::ostream& out, const Report& report) {
  if (!report.skipped.empty()) out << "\nskipped:\n";
  for (const std::string& reason : report.skipped) out << "  " << reason << "\n";
}

double metric_us(Experiment experiment, const Summary& s) {
  return experiment == Experiment::oneway ? s.mean_us : s.p50_us;
}

double ratio_to_floor(const Outcome& subject, const Outcome& floor) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < subject.rounds.size() && i < floor.rounds.size(); ++i) {
    const double below = metric_us(floor.what.experiment, floor.rounds[i]);
    if (below > 0) ratios.push_back(metric_us(subject.what.experiment, subject.rounds[i]) / below);
  }
  return median(std::move(ratios));
}

void print_conditions(std::ostream& out, const RunConditions& setting) {
  out << setting.machine << "; commit " << setting.commit;
  if (setting.fifo) out << "; " << priority_description(setting.fifo);
  out << "\n"
      << describe_ticks() << "\n"
      << setting.rounds << " rounds of new processes, interleaved, " << setting.calls
      << " calls each; microseconds a call, median over rounds\n";
}

void print_table(std::ostream& out, const Report& report, const RunConditions& setting) {
  print_conditions(out, setting);
  out << "range: lowest and highest p50 of a round; tail: p99.9 / p50; x floor: median of the rounds' "
         "ratios\n";
  const Case* last = nullptr;
  for (const Outcome& o : report.outcomes) {
    if (!last || !(*last == o.what))
      out << "\n"
          << heading(o.what) << "\n"
          << "  subject         p50           range     mean      p99    p99.9        max   tail       cpu"
             "      MB/s  x floor"
          << (has_receivers(o.what.experiment) ? "    copied/B\n" : "\n");
    last = &o.what;
    const Summary& f = o.figures;
    out << format("  %-12s %6.3f %s %8.3f %8.3f %8.3f %10.1f %6.1f %9.3f ", o.subject.c_str(), f.p50_us,
                  range(o).c_str(), f.mean_us, f.p99_us, f.p999_us, f.max_us,
                  f.p50_us > 0 ? f.p999_us / f.p50_us : 0, f.cpu_us_per_call)
        << rate(o) << " " << ratio(report.outcomes, o)
        << (has_receivers(o.what.experiment) ? format(" %11.0f\n", f.copied_bytes) : std::string("\n"));
  }
  print_skipped(out, report);
}

}  // namespace orbweaver::bench
