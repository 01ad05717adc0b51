// Rows and table of `orbweaver bench scale`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "sample.h"
#include "settings.h"

namespace orbweaver::bench {

/// Measurements of one subject in one case.
struct ScaleRow {
  std::string subject;
  ScaleSettings settings;
  std::uint32_t callers = 1;
  Pin pin = Pin::none;
  std::vector<ScaleSample> rounds;  ///< at least one
};

/// What is printed above the table.
struct ScaleConditions {
  std::string machine, commit, load_average;
  unsigned rounds = 0;
};

/// A table for each part, in the order of the rows.
void print_scale(std::ostream&, const std::vector<ScaleRow>&, const ScaleConditions&);
/// A row of JSON for each row.
void write_scale_json(std::ostream&, const std::vector<ScaleRow>&);

}  // namespace orbweaver::bench
