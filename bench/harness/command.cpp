#include "command.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "experiment.h"
#include "goals.h"
#include "machine.h"
#include "row.h"
#include "runner.h"
#include "table.h"

namespace orbweaver::bench {
namespace {

/// Returns a function that prints one progress line, refreshed in place, if standard error is a terminal.
std::function<void(const std::string&)> progress_to(std::ostream& err) {
  if (!isatty(STDERR_FILENO)) return [](const std::string&) {};
  return [&err](const std::string& text) { err << "\r\x1b[K" << text << std::flush; };
}

/// Measures the cases. Checks the whole plan before the first measurement.
Report measured(const Plan& plan, const std::vector<Case>& all, std::ostream& err) {
  for (const Case& c : all) (void)placement(c.pin, allowed_cpus());
  const std::vector<std::string> names = subjects(plan);
  set_real_time_priority(plan.fifo);
  RunnerOptions options;
  options.programs = own_folder();
  if (!std::filesystem::exists(options.programs + "/bench-floor")) {
    throw std::runtime_error(
        "the bench programs are missing in " + options.programs +
        ": they are not installed; run it from a build folder of Orbweaver (`make bench`)");
  }
  options.rounds = plan.rounds;
  options.progress = progress_to(err);
  Report report = run(all, names, options);
  options.progress("");
  return report;
}

RunConditions conditions_of(const Plan& plan) {
  return {machine_description(), build_commit(), plan.rounds, plan.calls, plan.fifo};
}

int complain(const std::runtime_error& problem, std::ostream& err) {
  err << "orbweaver bench: " << problem.what() << "\n";
  return 2;
}

int status_of(const Report& report, bool written, std::ostream& err) {
  for (const std::string& failure : report.failures) err << "failed: " << failure << "\n";
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
  print_table(json_file == "-" ? err : out, report, conditions_of(plan));
  const auto rows = [&](std::ostream& to) { write_json(to, report.outcomes); };
  return status_of(report, write_rows(json_file, rows, out, err), err);
}

int run_goals(const Plan& plan, const std::string& filter, const std::string& json_file, std::ostream& out,
              std::ostream& err) {
  Report report;
  std::vector<Goal> selected = goals(plan.calls);
  std::erase_if(selected, [&](const Goal& goal) { return goal.text.find(filter) == std::string::npos; });
  try {
    (void)cases(plan);  // checks the plan's numbers
    if (selected.empty()) throw InvalidPlan("--goal: no goal contains '" + filter + "'");
    report = measured(plan, cases_of(selected), err);
  } catch (const std::runtime_error& problem) {
    return complain(problem, err);
  }
  const std::vector<Verdict> verdicts = evaluate(selected, report.outcomes);
  std::ostream& table = json_file == "-" ? err : out;
  print_conditions(table, conditions_of(plan));
  print_verdicts(table, verdicts);
  print_skipped(table, report);
  const auto rows = [&](std::ostream& to) { write_verdicts(to, verdicts); };
  return status_of(report, write_rows(json_file, rows, out, err), err);
}

}  // namespace orbweaver::bench
