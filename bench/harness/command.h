// `orbweaver bench EXPERIMENT`, without its command line: plan in, table and JSON out.
#pragma once

#include <iosfwd>
#include <string>

#include "plan.h"

namespace orbweaver::bench {

/// Measures, prints the table to `out` and progress and failures to `err`; writes the rows to `json_file`
/// unless that is empty ("-": to `out`, and the table to `err`). Returns the exit status: 0; 1 if a subject
/// failed or a file could not be written; 2 for a plan that cannot be done, with one line on `err`.
int run_command(const Plan& plan, const std::string& json_file, std::ostream& out, std::ostream& err);

/// The same for every goal (goals.h) whose text has `filter` in it; of the plan counts how often, with which
/// subjects and how. A goal that is missed does not change the status.
int run_goals(const Plan& plan, const std::string& filter, const std::string& json_file, std::ostream& out,
              std::ostream& err);

}  // namespace orbweaver::bench
