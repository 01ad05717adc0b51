// Runs the processes of a pipeline.
#pragma once

#include <chrono>
#include <string>

#include "result.h"

namespace orbweaver::bench {

/// Runs the pipeline with the program `program` (docs in subject.h), one process for each stage and one for
/// the producer, or one in all if it is collocated. Blocks until the end; on return, also by exception, all
/// processes have ended. Throws std::runtime_error that names the process that failed, or says which packets
/// were wrong.
PipelineResult run_pipeline(const PipelineSettings&, const std::string& program);

}  // namespace orbweaver::bench
