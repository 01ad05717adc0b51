// Runs the processes of `orbweaver bench scale`.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "sample.h"
#include "settings.h"

namespace orbweaver::bench {

/// Runs the program `program` (contract in subject.h): a server and a client on the processors of `pin`, or
/// the starter of components, which are not pinned. Blocks until the end; on return, also by exception, all
/// processes have ended. Throws std::runtime_error that says which of them failed, and how.
std::vector<ScaleSample> run_scale(const ScaleSettings&, const std::string& program, Pin pin);

}  // namespace orbweaver::bench
