#include "footprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <stdexcept>

#include "child.h"
#include "elf_size.h"
#include "machine.h"
#include "plan.h"
#include "row_json.h"
#include "runner.h"
#include "subject.h"
#include "table.h"

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kLimit(60);

/// Sizes in bytes, and memory, of one subject.
struct Footprint {
  std::string subject;
  std::uint64_t generated = 0, libraries = 0, program = 0;
  ProcessMemory client, server;
  std::vector<Summary> rounds;
};

/// Whether every C++ program has the library.
bool is_run_time(const std::string& name) {
  constexpr std::array<std::string_view, 9> kRunTime = {"libc.so",     "libm.so",       "libstdc++.so",
                                                        "libgcc_s.so", "libpthread.so", "libdl.so",
                                                        "librt.so",    "libresolv.so",  "ld-linux"};
  return std::any_of(kRunTime.begin(), kRunTime.end(),
                     [&](std::string_view each) { return name.starts_with(each); });
}

/// The libraries that a program has loaded, but for the C and C++ run time: the system's own, and those that
/// it needs.
std::uint64_t size_of_libraries(const std::string& program) {
  std::uint64_t bytes = 0;
  Child child(program, {"libraries"});
  while (const auto file = child.read_line(kLimit)) {
    if (!is_run_time(fs::path(*file).filename())) bytes += loaded_bytes(*file);
  }
  return child.wait(kLimit) == 0 ? bytes : 0;
}

Footprint measure(const Outcome& outcome, const std::string& programs) {
  const std::string program = programs + "/bench-" + outcome.subject;
  return {outcome.subject,
          size_of_generated_code(outcome.subject, programs),
          size_of_libraries(program),
          loaded_bytes(program),
          outcome.figures.client,
          outcome.figures.server,
          outcome.rounds};
}

double kib(std::uint64_t bytes) { return std::round(static_cast<double>(bytes) / 102.4) / 10; }

nlohmann::ordered_json json_row(const Footprint& each, const std::string& transport) {
  return {{"experiment", "footprint"},
          {"subject", each.subject},
          {"transport", transport},
          {"generated_kib", kib(each.generated)},
          {"libraries_kib", kib(each.libraries)},
          {"program_kib", kib(each.program)},
          {"client_resident_kib", each.client.resident_kib},
          {"client_private_kib", each.client.private_kib},
          {"server_resident_kib", each.server.resident_kib},
          {"server_private_kib", each.server.private_kib},
          {"rounds_client_private_kib", private_kib_of(each.rounds, &Summary::client)},
          {"rounds_server_private_kib", private_kib_of(each.rounds, &Summary::server)}};
}

void print(std::ostream& out, const std::vector<Footprint>& all, const FootprintPlan& plan) {
  out << machine_description() << ", commit " << build_commit() << "\n"
      << "KiB; code without symbols: generated from bench.idl, libraries (but for the C++ run time), the "
         "program of both ends;\n"
      << "memory of client and server after 10,000 calls of 4 KiB over " << plan.transport << ", "
      << plan.rounds << " rounds\n\n"
      << format("%-16s %10s %10s %10s %10s %10s %10s %10s", "subject", "generated", "libraries", "program",
                "client", "private", "server", "private")
      << "\n";
  for (const Footprint& each : all)
    out << format("%-16s %10.1f %10.1f %10.1f %10.0f %10.0f %10.0f %10.0f", each.subject.c_str(),
                  kib(each.generated), kib(each.libraries), kib(each.program), each.client.resident_kib,
                  each.client.private_kib, each.server.resident_kib, each.server.private_kib)
        << "\n";
}

/// Whether an object file was compiled from generated code: of bench.idl by an IDL compiler, in a folder of
/// its own, or of the sink.proto, sink.capnp … of another system.
bool is_generated(const fs::path& object) {
  const std::string name = object.filename(), folder = object.parent_path().filename();
  if (object.extension() != ".o") return false;
  return (name.starts_with("bench") && folder.ends_with("idl")) || name.starts_with("sink.");
}

}  // namespace

std::uint64_t size_of_generated_code(const std::string& subject, const std::string& programs) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  std::string folder = subject;
  std::replace(folder.begin(), folder.end(), '-', '_');
  for (const std::string& each : std::set<std::string>{subject, folder}) {
    const fs::path objects = fs::path(programs).parent_path() / "bench" / each;
    for (const auto& entry : fs::recursive_directory_iterator(objects, ignored))
      if (is_generated(entry.path())) bytes += loaded_bytes(entry.path());
  }
  return bytes;
}

int run_footprint_command(const FootprintPlan& plan, const std::string& programs,
                          const std::string& json_file, std::ostream& out, std::ostream& err) {
  try {
    Case what;
    what.transport = plan.transport;
    what.type = PayloadType::doubles;
    what.bytes = 4096;
    what.calls = 10'000;
    what.wait = default_wait(plan.transport);
    what.pin = default_pin(what.wait);
    if (!has_server(what)) throw InvalidPlan("--transport: both ends are in one process over inproc");
    if (plan.rounds < 1 || plan.rounds > 1000) throw InvalidPlan("--rounds: from 1 to 1000");
    const Report report = run({what}, plan.subjects, {programs, plan.rounds});
    for (const std::string& text : report.skipped) err << "bench footprint: skipped: " << text << "\n";
    for (const std::string& text : report.failures) err << "bench footprint: " << text << "\n";
    std::vector<Footprint> all;
    for (const Outcome& outcome : report.outcomes) all.push_back(measure(outcome, programs));
    auto rows = nlohmann::ordered_json::array();
    for (const Footprint& each : all) rows.push_back(json_row(each, plan.transport));
    if (json_file == "-") {
      out << rows.dump(1) << "\n";
    } else {
      print(out, all, plan);
    }
    if (!json_file.empty() && json_file != "-") {
      std::ofstream file(json_file);
      file << rows.dump(1) << "\n";
      file.close();
      if (!file) throw std::runtime_error("cannot write " + json_file);
    }
    return report.failures.empty() && !all.empty() ? 0 : 1;
  } catch (const InvalidPlan& e) {
    err << "bench footprint: " << e.what() << "\n";
    return 2;
  } catch (const std::exception& e) {
    err << "bench footprint: " << e.what() << "\n";
    return 1;
  }
}

}  // namespace orbweaver::bench
