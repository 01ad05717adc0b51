// The experiments of the report of `make bench`, as bench/lab/experiments.toml lists them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::bench {

/// One execution of `orbweaver bench`.
struct ReportRun {
  std::string name;
  std::vector<std::string> arguments;  ///< of `orbweaver bench`
  bool optional = false;               ///< only executed if it is named

  bool operator==(const ReportRun&) const = default;
};

/// A section of the report.
struct ReportExperiment {
  std::string name;
  std::string title;
  std::vector<ReportRun> runs;

  bool operator==(const ReportExperiment&) const = default;
};

/// Reads names, titles and runs from the text of experiments.toml, in which each value is on one line and has
/// no escaped quotes. bench/lab/plan_test.py checks that.
std::vector<ReportExperiment> parse_report_experiments(std::string_view toml);

/// Those of the file at the time of the build.
std::vector<ReportExperiment> report_experiments();

}  // namespace orbweaver::bench
