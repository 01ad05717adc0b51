// Rows and table of `orbweaver bench profile`.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "bench/harness/summary.h"
#include "settings.h"
#include "stamps.h"

namespace orbweaver::bench {

/// Measurements of one part of the latency.
struct PartRounds {
  std::string part;
  std::vector<Summary> rounds;
  std::uint64_t negative = 0;  ///< packets of all rounds for which it was negative
};

/// Measurements of one subject with one kind of settings.
struct ProfileRow {
  std::string subject;
  ProfileSettings settings;
  Pin pin = Pin::one;
  int fifo = 0;
  unsigned load = 0;
  bool consecutive = false;         ///< the parts are consecutive ones; otherwise they overlap: see parts.h
  std::vector<PartRounds> parts{};  ///< the latency first
  std::vector<double> first_us{};   ///< latencies of packets of the first round, in order

  /// The subject, and whether it stamps in interceptors.
  std::string label() const;
  /// Adds a round. Throws std::runtime_error if a packet was lost.
  void add(const std::vector<PacketStamps>& stamps);
};

/// What is printed above the table.
struct ProfileConditions {
  std::string machine, commit, load_average;
};

/// Prints the tables. Under those of consecutive parts is what interceptors cost: the latency with them to
/// that without, in the same rounds.
void print_profile(std::ostream&, const std::vector<ProfileRow>&, const ProfileConditions&);
/// A row of JSON for each part of each subject, with its histogram; that of the whole latency also has the
/// latencies of packets of the first round.
void write_profile_json(std::ostream&, const std::vector<ProfileRow>&);

/// Cost of a stamp and the smallest difference of two, in nanoseconds: "clock: CLOCK_MONOTONIC, 31 ns a
/// stamp, resolution 1 ns".
std::string describe_clock();

}  // namespace orbweaver::bench
