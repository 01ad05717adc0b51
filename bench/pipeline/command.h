// Implementation of `orbweaver bench pipeline` without its command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "settings.h"

namespace orbweaver::bench {

/// The options of `orbweaver bench pipeline` with their defaults.
struct PipelinePlan {
  std::vector<std::string> modes;  ///< empty: all
  PipelineSettings settings;       ///< its mode and work are replaced
  std::string work_by;  ///< empty: computation if there is a core for each stage, else a timed wait
  std::vector<std::string> subjects = {"orbweaver", "omniorb"};
  int fifo = 0;         ///< SCHED_FIFO priority; 0: default scheduling
  unsigned rounds = 1;  ///< runs of each subject in each mode, interleaved
};

/// Runs the pipeline in each mode, with each subject that has it. Prints the table to `out`, progress and
/// failures to `err`, and writes the rows to `json_file` unless it is empty ("-": rows to `out`, table to
/// `err`). Returns the exit status: 0; 1 if a mode failed or a file could not be written; 2 for an invalid
/// plan, with one line on `err`.
int run_pipeline_command(const PipelinePlan& plan, const std::string& json_file, std::ostream& out,
                         std::ostream& err);

}  // namespace orbweaver::bench
