// Performance goals of the transports, and their comparison with measurements.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner.h"

namespace orbweaver::bench {

/// The compared statistic. `tail` is p99.9 over p50, a measure of steadiness; `receiver` is the receiver's
/// processor time per message; `copied` the bytes of a packet that were copied.
enum class Metric { p50, mean, tail, receiver, copied };

/// An upper limit for Orbweaver's figure in one case divided by another subject's figure, in the same case or
/// in another one. Without another subject the limit is in microseconds, or in bytes.
struct Goal {
  std::string text;
  Case ours;
  std::string beside;  ///< a subject, or empty
  Case theirs;
  Metric by = Metric::p50;
  double at_most = 0;

  bool within_rounds() const { return ours == theirs; }
};

/// Returns all goals. Each process makes `calls` calls, fewer for large payloads.
std::vector<Goal> goals(std::uint64_t calls);

/// Returns the cases that the goals need, without duplicates.
std::vector<Case> cases_of(const std::vector<Goal>&);

/// The comparison of a goal with its measurement.
struct Verdict {
  Goal goal;
  std::optional<double> measured =
      std::nullopt;  ///< the ratio, microseconds or bytes; nullopt: not measured here
  double ours_us = 0;
  double theirs_us = 0;
  std::vector<double> ours_rounds = {}, theirs_rounds = {};  ///< the compared statistic of each round
  bool met() const { return measured && *measured <= goal.at_most; }
};

/// Compares goals with measurements. The ratio within one case is the median of the ratios of the rounds;
/// between two cases it is the ratio of the medians.
std::vector<Verdict> evaluate(const std::vector<Goal>&, const std::vector<Outcome>&);

void print_verdicts(std::ostream&, const std::vector<Verdict>&);
/// Writes a JSON array of `goal, against, by, at_most, measured, ours_us, theirs_us, verdict, within_rounds,
/// rounds_ours, rounds_theirs`.
void write_verdicts(std::ostream&, const std::vector<Verdict>&);

}  // namespace orbweaver::bench
