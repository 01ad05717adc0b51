#pragma once

#include <ostream>

#include "bench/harness/case.h"

namespace orbweaver::bench {

/// Prints the name of an experiment in GoogleTest's messages instead of its bytes.
inline void PrintTo(Experiment experiment, std::ostream* out) { *out << name(experiment); }

}  // namespace orbweaver::bench
