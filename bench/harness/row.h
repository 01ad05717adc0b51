// The bench's file format: an array of flat rows, one a subject and case. Other programs read it; the names
// of the fields are fixed (docs/bench.md).
#pragma once

#include <iosfwd>
#include <vector>

#include "runner.h"

namespace orbweaver::bench {

/// Payload bytes, one direction, a second: 10^6 bytes each. 0 for an empty payload.
double mb_per_s(const Outcome&);

/// Writes the rows as JSON, times in microseconds to a tenth of a nanosecond.
void write_json(std::ostream&, const std::vector<Outcome>&);

}  // namespace orbweaver::bench
