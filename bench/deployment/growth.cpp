#include "growth.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/harness/table.h"

namespace orbweaver::bench {
namespace {

/// Whether the table has the reading after application `number`: 1, 2, 5, 10, 20, 50, …
bool is_printed(std::size_t number) {
  while (number % 10 == 0) number /= 10;
  return number == 1 || number == 2 || number == 5;
}

void print_header(std::ostream& out, const Growth& growth) {
  out << growth.assembly.text() << "\n" << format("%6s %6s %7s", "", "", "state");
  for (const HeldBy& each : growth.readings.back().processes) out << format("  %22s", each.process.c_str());
  out << "\n" << format("%6s %6s %7s", "appl.", "files", "KiB");
  for (std::size_t i = 0; i < growth.readings.back().processes.size(); ++i)
    out << format("  %8s %6s %6s", "KiB", "descr.", "thr.");
  out << "\n";
}

void print_reading(std::ostream& out, std::size_t number, const Held& held) {
  out << format("%6zu %6ld %7ld", number, held.files, held.state_kib);
  for (const HeldBy& each : held.processes)
    out << format("  %8ld %6ld %6ld", each.private_kib, each.descriptors, each.threads);
  out << "\n";
}

}  // namespace

double Growth::private_kib_each(std::size_t process) const {
  // Least squares, with the applications counted from the middle of the second half.
  const std::size_t first = readings.size() / 2, count = readings.size() - first;
  const double middle = (static_cast<double>(count) - 1) / 2;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& processes = readings[first + i].processes;
    if (process >= processes.size()) return 0;
    const double x = static_cast<double>(i) - middle;
    products += x * static_cast<double>(processes[process].private_kib);
    squares += x * x;
  }
  return squares > 0 ? products / squares : 0;
}

Growth measure_growth(const Assembly& assembly, unsigned applications, MeasuredDomain& domain) {
  Growth growth{assembly, {}};
  domain.install(assembly);
  for (unsigned i = 0; i < applications; ++i) {
    domain.run();
    growth.readings.push_back(domain.held_at_rest());
  }
  return growth;
}

void print(std::ostream& out, const Growth& growth) {
  print_header(out, growth);
  for (std::size_t i = 0; i < growth.readings.size(); ++i)
    if (is_printed(i + 1) || i + 1 == growth.readings.size()) print_reading(out, i + 1, growth.readings[i]);
  out << "private memory in the second half, KiB for each application:";
  const auto& processes = growth.readings.back().processes;
  for (std::size_t i = 0; i < processes.size(); ++i)
    out << (i == 0 ? " " : ", ") << processes[i].process << format(" %+.2f", growth.private_kib_each(i));
  out << "\n\n" << std::flush;
}

nlohmann::json to_json(const Growth& growth) {
  nlohmann::json readings = nlohmann::json::array();
  for (const Held& held : growth.readings) {
    nlohmann::json processes = nlohmann::json::array();
    for (const HeldBy& each : held.processes)
      processes.push_back({{"process", each.process},
                           {"resident_kib", each.resident_kib},
                           {"private_kib", each.private_kib},
                           {"descriptors", each.descriptors},
                           {"threads", each.threads}});
    readings.push_back({{"files", held.files}, {"state_kib", held.state_kib}, {"processes", processes}});
  }
  return {{"experiment", "deployment-growth"},
          {"components", growth.assembly.components},
          {"in_one_process", growth.assembly.in_one_process},
          {"connections", growth.assembly.components * growth.assembly.connections},
          {"readings", readings}};
}

}  // namespace orbweaver::bench
