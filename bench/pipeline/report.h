// The results of the pipeline as a text table and as JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "result.h"

namespace orbweaver::bench {

/// The conditions printed above the table.
struct PipelineConditions {
  std::string machine;
  std::string commit;
  std::string load;  ///< load average of the last minute, "0.31"
  int fifo = 0;      ///< SCHED_FIFO priority; 0: default scheduling
};

/// Prints the conditions, a row for each run, the send times of each run over time, and the document's
/// figures if the settings are the document's. All runs have the same settings but for the mode.
void print_pipeline(std::ostream&, const std::vector<PipelineResult>&, const PipelineConditions&);

/// Writes one row for each run (docs/bench.md).
void write_pipeline_json(std::ostream&, const std::vector<PipelineResult>&);

}  // namespace orbweaver::bench
