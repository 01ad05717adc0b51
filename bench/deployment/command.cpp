#include "command.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include <orbweaver/result.h>

#include "bench/harness/machine.h"
#include "bench/harness/plan.h"
#include "bench/harness/runner.h"
#include "bench/harness/summary.h"
#include "bench/harness/table.h"
#include "growth.h"
#include "measured_domain.h"
#include "sca/control/call_error.h"

namespace orbweaver::bench {
namespace {

constexpr unsigned kMaxComponents = 1000;

/// Measurements of one assembly.
struct Row {
  Assembly assembly;
  std::vector<double> create_to_started_ms, release_ms, floor_ms;
  Held before, after;  // the first cycle, which fills caches, is before both

  double p50_ms() const { return median(create_to_started_ms); }
  double ratio() const { return median(floor_ms) > 0 ? p50_ms() / median(floor_ms) : 0; }
  double per_component_ms() const { return p50_ms() / assembly.components; }
};

/// Time in which processes that do nothing begin, or one process loads the libraries.
double floor_ms(const Assembly& assembly, const MeasuredDomain& domain) {
  std::vector<std::string> arguments{"processes", std::to_string(assembly.components)};
  if (assembly.in_one_process) {
    arguments = {"libraries"};
    for (unsigned i = 0; i < assembly.components; ++i)
      arguments.push_back(domain.folder() + "/" + library_name(i));
  }
  Child start(own_folder() + "/bench-start", arguments);
  const auto line = start.read_line(std::chrono::seconds(60));
  if (!line) throw std::runtime_error("bench-start has failed");
  return std::stod(*line) / 1e3;
}

Row measure(const Assembly& assembly, unsigned cycles, MeasuredDomain& domain) {
  Row row{assembly, {}, {}, {}, {}, {}};
  domain.install(assembly);
  domain.run();
  row.before = domain.held();
  for (unsigned i = 0; i < cycles; ++i) {
    row.floor_ms.push_back(floor_ms(assembly, domain));
    const Cycle cycle = domain.run();
    row.create_to_started_ms.push_back(cycle.create_ms + cycle.start_ms);
    row.release_ms.push_back(cycle.release_ms);
  }
  row.after = domain.held();
  return row;
}

nlohmann::json to_json(const Row& row) {
  return {{"experiment", "deployment"},
          {"components", row.assembly.components},
          {"in_one_process", row.assembly.in_one_process},
          {"connections", row.assembly.components * row.assembly.connections},
          {"create_to_started_ms", row.create_to_started_ms},
          {"floor_ms", row.floor_ms},
          {"release_ms", row.release_ms},
          {"resident_kib", {row.before.resident_kib(), row.after.resident_kib()}},
          {"descriptors", {row.before.descriptors(), row.after.descriptors()}},
          {"files", {row.before.files, row.after.files}}};
}

void print_header(std::ostream& out) {
  out << format("%-26s %8s %8s %8s %9s %6s %8s %8s %8s %6s %5s", "", "p50/ms", "min/ms", "max/ms", "floor/ms",
                "ratio", "each/ms", "release", "KiB", "descr.", "files")
      << "\n";
}

void print_row(std::ostream& out, const Row& row) {
  const auto [least, most] =
      std::minmax_element(row.create_to_started_ms.begin(), row.create_to_started_ms.end());
  out << format("%-26s %8.1f %8.1f %8.1f %9.2f %6.2f %8.2f %8.1f %+8ld %+6ld %+5ld",
                row.assembly.text().c_str(), row.p50_ms(), *least, *most, median(row.floor_ms), row.ratio(),
                row.per_component_ms(), median(row.release_ms),
                row.after.resident_kib() - row.before.resident_kib(),
                row.after.descriptors() - row.before.descriptors(), row.after.files - row.before.files)
      << "\n"
      << std::flush;
}

void check(const DeploymentPlan& plan) {
  for (const unsigned count : plan.components)
    if (count < 1 || count > kMaxComponents) throw InvalidPlan("--components: each from 1 to 1000");
  if (plan.libraries > kMaxComponents) throw InvalidPlan("--libraries: from 0 to 1000");
  if (plan.cycles < 1 || plan.cycles > 100'000) throw InvalidPlan("--cycles: from 1 to 100000");
  if (plan.connections > 100) throw InvalidPlan("--connections: from 0 to 100");
}

/// Calls `measure` with each assembly of the plan.
template <class Measure>
void for_each_assembly(const DeploymentPlan& plan, Measure measure) {
  const auto assembly = [&](unsigned components, bool in_one_process) {
    return Assembly{components, std::min(plan.connections, components - 1), in_one_process};
  };
  for (const unsigned count : plan.components) measure(assembly(count, false));
  if (plan.libraries > 0) measure(assembly(plan.libraries, true));
}

nlohmann::json measure_growth_of_all(const DeploymentPlan& plan, const std::string& program,
                                     std::ostream& table) {
  table << machine_description() << ", commit " << build_commit() << "\n"
        << "held after each of " << plan.cycles << " applications that were created, started, stopped and "
        << "released; " << plan.connections << " connections of each component; KiB: private memory\n\n";
  MeasuredDomain domain(program, {true, false});
  nlohmann::json rows = nlohmann::json::array();
  for_each_assembly(plan, [&](const Assembly& assembly) {
    const Growth growth = measure_growth(assembly, plan.cycles, domain);
    print(table, growth);
    rows.push_back(to_json(growth));
  });
  return rows;
}

nlohmann::json measure_times_of_all(const DeploymentPlan& plan, const std::string& program,
                                    std::ostream& table) {
  table << machine_description() << ", commit " << build_commit() << "\n"
        << "from create() to a started application, " << plan.cycles << " times; " << plan.connections
        << " connections of each component\n"
        << "floor: processes that do nothing, or a process that loads the same libraries\n"
        << "release: of the stop and the release, in ms; KiB, descriptors and files: growth of domain and "
           "node\n\n";
  print_header(table);
  MeasuredDomain domain(program);
  nlohmann::json rows = nlohmann::json::array();
  for_each_assembly(plan, [&](const Assembly& assembly) {
    const Row row = measure(assembly, plan.cycles, domain);
    print_row(table, row);
    rows.push_back(to_json(row));
  });
  return rows;
}

}  // namespace

int run_deployment_command(const DeploymentPlan& plan, const std::string& program,
                           const std::string& json_file, std::ostream& out, std::ostream& err) {
  try {
    check(plan);
    std::ostream& table = json_file == "-" ? err : out;
    const nlohmann::json rows = plan.growth ? measure_growth_of_all(plan, program, table)
                                            : measure_times_of_all(plan, program, table);
    if (json_file.empty()) return 0;
    if (json_file == "-") return (out << rows.dump(2) << "\n" << std::flush) ? 0 : 1;
    std::ofstream file(json_file);
    file << rows.dump(2) << "\n";
    file.close();
    if (file) return 0;
    err << "bench deployment: cannot write " << json_file << "\n";
    return 1;
  } catch (const InvalidPlan& e) {
    err << "bench deployment: " << e.what() << "\n";
    return 2;
  } catch (const Error& e) {
    err << "bench deployment: " << e.message << "\n";
  } catch (const CORBA::Exception& e) {
    err << "bench deployment: " << sca::describe(e) << "\n";
  } catch (const std::exception& e) {
    err << "bench deployment: " << e.what() << "\n";
  }
  return 1;
}

}  // namespace orbweaver::bench
