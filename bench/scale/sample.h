// What a program of `orbweaver bench scale` has measured, and its text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/summary.h"

namespace orbweaver::bench {

/// Results of one measurement in one process.
struct ScaleSample {
  std::uint32_t callers = 1;
  /// Times of calls, with the memory of both ends after them; of components, the times from `exec` to the
  /// first packet, with the median memory of a component as that of the server.
  Summary times;
  /// Further figures by their name in a row of JSON (docs/bench.md).
  std::map<std::string, double> figures;
};

/// The lines that a program prints for the runner, the last one "done".
std::string to_lines(const std::vector<ScaleSample>&);

/// Collects the samples from these lines.
class ScaleSampleReader {
 public:
  /// Takes one line; false after the last one. Throws std::invalid_argument for any other line.
  bool add(const std::string& line);
  std::vector<ScaleSample> samples() const { return samples_; }

 private:
  std::vector<ScaleSample> samples_;
};

/// Samples of several processes in the same case: as combine() of their times, and medians of the figures.
ScaleSample combine(const std::vector<ScaleSample>& processes);

}  // namespace orbweaver::bench
