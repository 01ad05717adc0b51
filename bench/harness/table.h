// The results as text tables: conditions, then each subject with its floor and the ratio to it.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <string>

#include "runner.h"

namespace orbweaver::bench {

/// Formats like printf, up to 255 characters.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, pattern, values...);
  return line;
}

/// The conditions printed above the tables.
struct RunConditions {
  std::string machine;
  std::string commit;
  unsigned rounds = 0;
  std::uint64_t calls = 0;
  int fifo = 0;
};

/// Prints the tables. Ratios to the floor are computed within each round, in which the two ran next to each
/// other, and their median is shown, so that changes of the machine's speed between rounds cancel out.
void print_table(std::ostream&, const Report&, const RunConditions&);
void print_conditions(std::ostream&, const RunConditions&);
void print_skipped(std::ostream&, const Report&);

/// The statistic that subjects are compared by: p50, but the mean of one-way calls, whose percentiles cover
/// the sender only while the mean is the cost of a message.
double metric_us(Experiment, const Summary&);

/// Median over the rounds of subject / floor; 0 if there is no floor.
double ratio_to_floor(const Outcome& subject, const Outcome& floor);

}  // namespace orbweaver::bench
