// The bench's file format: an array of flat rows, one per subject and case. Other programs read it; the field
// names are fixed (docs/bench.md).
#pragma once

#include <iosfwd>
#include <vector>

#include "runner.h"

namespace orbweaver::bench {

/// Payload throughput in one direction in 10^6 bytes per second; 0 for an empty payload.
double mb_per_s(const Outcome&);

/// Writes the rows as JSON, times in microseconds rounded to a tenth of a nanosecond.
void write_json(std::ostream&, const std::vector<Outcome>&);

}  // namespace orbweaver::bench
