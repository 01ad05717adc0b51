#include "command.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "goals.h"
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

/// Writes by `write` to the file, or to `out` where it is "-".
template <class Write>
bool write_file(const std::string& file, Write write, std::ostream& out, std::ostream& err) {
  if (file.empty()) return true;
  if (file == "-") {
    write(out);
    return true;
  }
  std::ofstream json(file);
  write(json);
  json.close();
  if (!json) err << "orbweaver bench: cannot write " << file << "\n";
  return static_cast<bool>(json);
}

/// Complains of what cannot be done before the first is measured.
Report measured(const Plan& plan, const std::vector<Case>& all, std::ostream& err) {
  for (const Case& each : all) (void)placement(each.pin, allowed_cpus());
  const std::vector<std::string> wanted = subjects(plan);
  run_in_real_time(plan.fifo);
  RunnerOptions options;
  options.programs = own_folder();
  if (!std::filesystem::exists(options.programs + "/bench-floor")) {
    throw std::runtime_error("its programs are not in " + options.programs +
                             ": they are not installed; run it from a build folder of Orbweaver (`make bench`)");
  }
  options.rounds = plan.rounds;
  options.progress = progress_to(err);
  Report report = run(all, wanted, options);
  options.progress("");
  return report;
}

Setting setting_of(const Plan& plan) {
  return {machine_description(), built_from(), plan.rounds, plan.calls, plan.fifo};
}

int complain(const std::runtime_error& problem, std::ostream& err) {
  err << "orbweaver bench: " << problem.what() << "\n";
  return 2;
}

int status_of(const Report& report, bool written, std::ostream& err) {
  for (const std::string& each : report.failures) err << "failed: " << each << "\n";
  return written && report.failures.empty() ? 0 : 1;
}

}  // namespace

int run_command(const Plan& plan, const std::string& json_file, std::ostream& out, std::ostream& err) {
  Report report;
  try {
    report = measured(plan, cases(plan), err);
  } catch (const std::runtime_error& problem) {
    return complain(problem, err);
  }
  print_table(json_file == "-" ? err : out, report, setting_of(plan));
  const auto rows = [&](std::ostream& to) { write_json(to, report.outcomes); };
  return status_of(report, write_file(json_file, rows, out, err), err);
}

int run_goals(const Plan& plan, const std::string& filter, const std::string& json_file, std::ostream& out,
              std::ostream& err) {
  Report report;
  std::vector<Goal> wanted = goals(plan.calls);
  std::erase_if(wanted, [&](const Goal& goal) { return goal.text.find(filter) == std::string::npos; });
  try {
    (void)cases(plan);  // complains of its numbers
    if (wanted.empty()) throw BadPlan("--goal: no goal has '" + filter + "' in it");
    report = measured(plan, cases_of(wanted), err);
  } catch (const std::runtime_error& problem) {
    return complain(problem, err);
  }
  const std::vector<Verdict> verdicts = judged(wanted, report.outcomes);
  std::ostream& table = json_file == "-" ? err : out;
  print_setting(table, setting_of(plan));
  print_verdicts(table, verdicts);
  print_left_out(table, report);
  const auto rows = [&](std::ostream& to) { write_verdicts(to, verdicts); };
  return status_of(report, write_file(json_file, rows, out, err), err);
}

}  // namespace orbweaver::bench
