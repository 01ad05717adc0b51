// What the transports are meant to reach, each goal beside what was measured.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "runner.h"

namespace orbweaver::bench {

/// What of a measurement is compared. `tail` is p99.9 over p50: how steady it is;
/// `receiver` its CPU time a message.
enum class Judged { p50, mean, tail, receiver };

/// Orbweaver's figure in one case, over another subject's: in the same case, or in one of its own. Without
/// another subject the limit is in microseconds.
struct Goal {
  std::string text;
  Case ours;
  std::string beside;  ///< a subject, or empty
  Case theirs;
  Judged by = Judged::p50;
  double at_most = 0;

  bool within_rounds() const { return ours == theirs; }
};

/// All of them. `calls` in each process, fewer where a payload is large.
std::vector<Goal> goals(std::uint64_t calls);

/// The cases that the goals need, each once.
std::vector<Case> cases_of(const std::vector<Goal>&);

struct Verdict {
  Goal goal;
  double measured = 0;  ///< the ratio, or microseconds; 0: not measured here
  double ours_us = 0;
  double theirs_us = 0;
  bool met() const { return measured > 0 && measured <= goal.at_most; }
};

/// Ratios of one case are the median of the ratios within each round, others that of the medians.
std::vector<Verdict> judged(const std::vector<Goal>&, const std::vector<Outcome>&);

void print_verdicts(std::ostream&, const std::vector<Verdict>&);
/// An array of `goal, against, by, at_most, measured, ours_us, theirs_us, verdict`.
void write_verdicts(std::ostream&, const std::vector<Verdict>&);

}  // namespace orbweaver::bench
