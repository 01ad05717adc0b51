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

/// The rounds of one subject in one mode.
using PipelineRounds = std::vector<PipelineResult>;

/// The round whose last packet was neither early nor late: the median of the last stage's last packets, of an
/// even number the earlier one. There is at least one round.
const PipelineResult& median_round(const PipelineRounds&);

/// Writes one row for each subject and mode: its median round, and the figures of each round (docs/bench.md).
void write_pipeline_json(std::ostream&, const std::vector<PipelineRounds>&);

}  // namespace orbweaver::bench
