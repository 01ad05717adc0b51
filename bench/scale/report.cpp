#include "report.h"

#include <cmath>
#include <ostream>

#include "bench/harness/row_json.h"
#include "bench/harness/table.h"

namespace orbweaver::bench {
namespace {

double rounded(double value) { return std::round(value * 1e3) / 1e3; }

double figure(const ScaleSample& sample, const char* name) {
  const auto found = sample.figures.find(name);
  return found == sample.figures.end() ? 0 : found->second;
}

/// Name, number and times, which all tables begin with.
std::string times_of(const ScaleRow& row, const Summary& times, double unit) {
  return format("  %-10s %7u %8.*f %8.*f %8.*f %9.*f", row.subject.c_str(), row.settings.count,
                unit == 1 ? 1 : 2, times.p50_us / unit, unit == 1 ? 1 : 2, times.p90_us / unit,
                unit == 1 ? 1 : 2, times.p99_us / unit, unit == 1 ? 1 : 2, times.max_us / unit);
}

void print_clients(std::ostream& out, const ScaleRow& row, const ScaleSample& all) {
  out << times_of(row, all.times, 1)
      << format(" %7u %-10s %7.1f %7.1f %6.0f %6.0f %6.0f %9.0f %9.0f %7.1f %9.1f", row.callers,
                row.settings.threads.c_str(), all.times.cpu_us_per_call, all.times.receiver_cpu_us_per_call,
                figure(all, "connections"), figure(all, "server_threads"), figure(all, "server_descriptors"),
                all.times.server.resident_kib, all.times.server.private_kib, figure(all, "server_kib_each"),
                figure(all, "connect_ms"))
      << "\n";
}

void print_objects(std::ostream& out, const ScaleRow& row, const ScaleSample& all) {
  out << times_of(row, all.times, 1)
      << format(" %7.1f %7.1f %6.0f %9.0f %9.0f %7.2f %9.2f %9.2f %7.2f", all.times.cpu_us_per_call,
                all.times.receiver_cpu_us_per_call, figure(all, "server_threads"),
                all.times.server.resident_kib, all.times.server.private_kib, figure(all, "server_kib_each"),
                figure(all, "client_kib_each"), figure(all, "activate_ms"), figure(all, "activate_us_each"))
      << "\n";
}

void print_components(std::ostream& out, const ScaleRow& row, const ScaleSample& all) {
  out << times_of(row, all.times, 1e3)
      << format(" %8.2f %8.2f %9.1f %8.2f %9.0f %9.0f %8.0f", all.times.min_us / 1e3, all.times.sd_us / 1e3,
                figure(all, "all_ms"), figure(all, "component_cpu_us") / 1e3, all.times.server.resident_kib,
                all.times.server.private_kib, figure(all, "component_threads"))
      << "\n";
}

void print_heading(std::ostream& out, const ScaleRow& row) {
  const char* const pin = row.pin == Pin::one   ? "both ends on one core"
                          : row.pin == Pin::two ? "a core each"
                                                : "not pinned";
  switch (row.settings.part) {
    case ScalePart::clients:
      out << "\nclients of one server: connections of one process over TCP, " << row.settings.calls
          << " calls without arguments, round-robin (" << pin << ")\n"
          << format("  %-10s %7s %8s %8s %8s %9s %7s %-10s %7s %7s %6s %6s %6s %9s %9s %7s %9s", "subject",
                    "clients", "p50/us", "p90/us", "p99/us", "max/us", "callers", "threads", "cpu/us",
                    "server", "conn.", "thr.", "descr.", "resident", "private", "each", "connect/ms");
      break;
    case ScalePart::objects:
      out << "\nactive objects of one server: " << row.settings.calls
          << " calls in pseudo-random order over one TCP connection (" << pin << ")\n"
          << format("  %-10s %7s %8s %8s %8s %9s %7s %7s %6s %9s %9s %7s %9s %9s %7s", "subject", "objects",
                    "p50/us", "p90/us", "p99/us", "max/us", "cpu/us", "server", "thr.", "resident", "private",
                    "each", "reference", "activ./ms", "us each");
      break;
    case ScalePart::components:
      out << "\ncomponents: from exec of each process until its first packet has arrived\n"
          << format("  %-10s %7s %8s %8s %8s %9s %8s %8s %9s %8s %9s %9s %8s", "subject", "number", "p50/ms",
                    "p90/ms", "p99/ms", "max/ms", "min/ms", "sd/ms", "all/ms", "cpu/ms", "resident",
                    "private", "threads");
      break;
  }
  out << "\n";
}

nlohmann::ordered_json json_row(const ScaleRow& row) {
  const ScaleSample all = combine(row.rounds);
  const bool components = row.settings.part == ScalePart::components;
  nlohmann::ordered_json r{{"experiment", "scale"},
                           {"subject", row.subject},
                           {"type", std::string(name(row.settings.part))},
                           {"count", row.settings.count},
                           {"transport", "tcp"},
                           {"bytes", 0},
                           {"callers", row.callers},
                           {"threads", row.settings.threads},
                           {"pin", std::string(name(row.pin))},
                           {"calls", all.times.calls},
                           {"mean_us", rounded(all.times.mean_us)},
                           {"p50_us", rounded(all.times.p50_us)},
                           {"p90_us", rounded(all.times.p90_us)},
                           {"p99_us", rounded(all.times.p99_us)},
                           {"p999_us", rounded(all.times.p999_us)},
                           {"min_us", rounded(all.times.min_us)},
                           {"max_us", rounded(all.times.max_us)},
                           {"sd_us", rounded(all.times.sd_us)}};
  if (components) {
    r["component_resident_kib"] = all.times.server.resident_kib;
    r["component_private_kib"] = all.times.server.private_kib;
  } else {
    r["cpu_us_per_call"] = rounded(all.times.cpu_us_per_call);
    r["server_cpu_us_per_call"] = rounded(all.times.receiver_cpu_us_per_call);
    r["client_resident_kib"] = all.times.client.resident_kib;
    r["client_private_kib"] = all.times.client.private_kib;
    r["server_resident_kib"] = all.times.server.resident_kib;
    r["server_private_kib"] = all.times.server.private_kib;
  }
  for (const auto& [name, value] : all.figures) r[name] = rounded(value);
  std::vector<Summary> times;
  for (const ScaleSample& round : row.rounds) times.push_back(round.times);
  add_rounds(r, times);
  if (!components) {
    r["rounds_cpu_us_per_call"] = values_of(times, &Summary::cpu_us_per_call);
    r["rounds_server_cpu_us_per_call"] = values_of(times, &Summary::receiver_cpu_us_per_call);
  }
  r[components ? "rounds_component_private_kib" : "rounds_server_private_kib"] =
      private_kib_of(times, &Summary::server);
  for (const auto& [name, value] : all.figures) {
    auto& values = r["rounds_" + name] = nlohmann::ordered_json::array();
    for (const ScaleSample& round : row.rounds) values.push_back(rounded(figure(round, name.c_str())));
  }
  r["histogram"] = to_json(all.times.histogram);
  return r;
}

}  // namespace

void print_scale(std::ostream& out, const std::vector<ScaleRow>& rows, const ScaleConditions& conditions) {
  out << conditions.machine << "; commit " << conditions.commit << "; load average "
      << conditions.load_average << "; medians of " << conditions.rounds
      << (conditions.rounds == 1 ? " round" : " rounds") << "\n"
      << "resident, private: memory of the server, or of a component, in KiB; each: of it for each client or "
         "object;\n"
      << "cpu: processor time of both ends for a call, server: that of the server alone; thr.: threads of "
         "the "
         "server\n";
  const ScaleRow* previous = nullptr;
  for (const ScaleRow& row : rows) {
    if (previous == nullptr || previous->settings.part != row.settings.part) print_heading(out, row);
    previous = &row;
    const ScaleSample all = combine(row.rounds);
    switch (row.settings.part) {
      case ScalePart::clients: print_clients(out, row, all); break;
      case ScalePart::objects: print_objects(out, row, all); break;
      case ScalePart::components: print_components(out, row, all); break;
    }
  }
}

void write_scale_json(std::ostream& out, const std::vector<ScaleRow>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const ScaleRow& row : rows) all.push_back(json_row(row));
  out << all.dump(1) << "\n";
}

}  // namespace orbweaver::bench
