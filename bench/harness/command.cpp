#include "command.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "machine.h"
#include "row.h"
#include "runner.h"
#include "table.h"

namespace orbweaver::bench {
namespace {

/// One line that overwrites itself, where somebody watches.
std::function<void(const std::string&)> progress_to(std::ostream& err) {
  if (!isatty(STDERR_FILENO)) return [](const std::string&) {};
  return [&err](const std::string& text) { err << "\r\x1b[K" << text << std::flush; };
}

bool write_rows(const std::string& file, const Report& report, std::ostream& out, std::ostream& err) {
  if (file.empty()) return true;
  if (file == "-") {
    write_json(out, report.outcomes);
    return true;
  }
  std::ofstream json(file);
  write_json(json, report.outcomes);
  json.close();
  if (!json) err << "orbweaver bench: cannot write " << file << "\n";
  return static_cast<bool>(json);
}

}  // namespace

int run_command(const Plan& plan, const std::string& json_file, std::ostream& out, std::ostream& err) {
  Report report;
  const auto progress = progress_to(err);
  try {
    const std::vector<Case> all = cases(plan);
    for (const Case& each : all) (void)placement(each.pin, allowed_cpus());  // complain now, not halfway
    RunnerOptions options;
    options.programs = own_folder();
    options.rounds = plan.rounds;
    options.progress = progress;
    report = run(all, subjects(plan), options);
    progress("");
  } catch (const std::runtime_error& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 2;
  }
  const bool rows_on_out = json_file == "-";
  print_table(rows_on_out ? err : out, report,
              {machine_description(), built_from(), plan.rounds, plan.calls});
  const bool written = write_rows(json_file, report, out, err);
  for (const std::string& each : report.failures) err << "failed: " << each << "\n";
  return written && report.failures.empty() ? 0 : 1;
}

}  // namespace orbweaver::bench
