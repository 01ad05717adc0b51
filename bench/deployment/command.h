// Implementation of `orbweaver bench deployment` without its command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace orbweaver::bench {

struct DeploymentPlan {
  std::vector<unsigned> components = {1, 9, 50, 200};  ///< of each application whose components are processes
  unsigned libraries = 9;    ///< components of the application in one process; 0: none
  unsigned connections = 5;  ///< of each component, at most to each other one
  unsigned cycles = 20;      ///< applications that are created and released, one after another
  /// What the processes hold after each application instead of the times; with a naming service in a process
  /// of its own.
  bool growth = false;
};

/// Creates the applications, each beside its floor, and prints the table to `out`. Writes the rows to
/// `json_file` unless it is empty ("-": rows to `out`, table to `err`). `program`: orbweaver. Returns the
/// exit status: 0; 1 if a process failed or a file could not be written; 2 for an invalid plan, with one line
/// on `err`.
int run_deployment_command(const DeploymentPlan& plan, const std::string& program,
                           const std::string& json_file, std::ostream& out, std::ostream& err);

}  // namespace orbweaver::bench
