// Implementation of `orbweaver bench EXPERIMENT` without its command line: from a plan to table and JSON.
#pragma once

#include <iosfwd>
#include <string>

#include "plan.h"

namespace orbweaver::bench {

/// Measures the plan. Prints the table to `out`, progress and failures to `err`, and writes the rows to
/// `json_file` unless it is empty ("-": rows to `out`, table to `err`). Returns the exit status: 0; 1 if a
/// subject failed or a file could not be written; 2 for an invalid plan, with one line on `err`.
int run_command(const Plan& plan, const std::string& json_file, std::ostream& out, std::ostream& err);

/// Measures every goal (goals.h) whose text contains `filter`, with the calls, rounds and subjects of the
/// plan. Output and exit status as for run_command(). A missed goal does not change the status.
int run_goals(const Plan& plan, const std::string& filter, const std::string& json_file, std::ostream& out,
              std::ostream& err);

}  // namespace orbweaver::bench
