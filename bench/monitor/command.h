// Implementation of `orbweaver bench monitor` without its command line.
#pragma once

#include <iosfwd>
#include <string>

namespace orbweaver::bench {

struct MonitorPlan {
  unsigned components = 9;    ///< of the pipeline, each a process
  unsigned browsers = 10;     ///< event streams while it is watched
  unsigned window_ms = 2000;  ///< duration of each measurement
  unsigned rounds = 10;       ///< of three measurements: not watched, watched, not watched
};

/// Runs one pipeline in a domain, watched and not watched in turn, and prints the table to `out`. Writes the
/// row to `json_file` unless it is empty ("-": to `out`, table to `err`). `program`: orbweaver. Returns the
/// exit status: 0; 1 if a process failed or a file could not be written; 2 for an invalid plan, with one line
/// on `err`.
int run_monitor_command(const MonitorPlan& plan, const std::string& program, const std::string& json_file,
                        std::ostream& out, std::ostream& err);

}  // namespace orbweaver::bench
