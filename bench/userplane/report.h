// Rows and tables of `orbweaver bench userplane`.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "load_curve.h"
#include "plan.h"

namespace orbweaver::bench {

/// Sweeps of one subject: a list of points for each round, empty if the round failed.
struct UserplaneRow {
  std::string subject;
  UserplaneSettings settings;
  const Traffic* traffic;
  Pin pin = Pin::two;
  std::vector<std::vector<LoadPoint>> rounds;

  bool has_points() const;
  /// The throughput at a load in each round.
  std::vector<std::optional<AtLoad>> at(double cpu_percent) const;
  /// Medians over the rounds of throughput and processor time of each point, and the sums of its packets.
  std::vector<LoadPoint> points() const;
};

/// Its name in tables: "orbweaver", "floor, batched".
std::string label(const UserplaneRow&);

/// What is printed above the tables, and the load at which throughput is compared.
struct UserplaneConditions {
  std::string machine, commit, load_average;
  double cpu_percent = 20;
};

void print_userplane(std::ostream&, const std::vector<UserplaneRow>&, const UserplaneConditions&);
/// A row of JSON for each subject of each case.
void write_userplane_json(std::ostream&, const std::vector<UserplaneRow>&, double cpu_percent);

}  // namespace orbweaver::bench
