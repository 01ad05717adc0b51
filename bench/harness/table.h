// The figures for a reader at a terminal: under the machine, the floor beside everything, ratios at the end.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <string>

#include "runner.h"

namespace orbweaver::bench {

/// As printf, up to 255 characters: a line of a table.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, pattern, values...);
  return line;
}

/// What stands above the figures.
struct Setting {
  std::string machine;
  std::string commit;
  unsigned rounds = 0;
  std::uint64_t calls = 0;
  int fifo = 0;
};

/// Ratios to the floor are taken within each round, where the two ran next to each other, and their median
/// is shown: a machine whose cores drift apart and together from minute to minute moves both.
void print_table(std::ostream&, const Report&, const Setting&);
void print_setting(std::ostream&, const Setting&);
void print_left_out(std::ostream&, const Report&);

/// What a subject is judged by: p50 where calls are two-way, the mean where they are one-way (there the
/// percentiles are of the sender alone, and the mean is what a message costs).
double judged_us(Experiment, const Summary&);

/// Median over rounds of subject / floor; 0 where there is no floor to compare with.
double ratio_to_floor(const Outcome& subject, const Outcome& floor);

}  // namespace orbweaver::bench
