// Converts the options of `orbweaver bench userplane` to the cases to measure, or to an error message.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "command.h"
#include "message_mix.h"

namespace orbweaver::bench {

/// Messages of the sender.
struct Traffic {
  std::string type;  ///< "mix", or "octet" if all have one size
  std::string name;  ///< for the tables: "Internet mix, 345.5 bytes in the mean", "1024 bytes"
  MessageSizes sizes;
};

/// One sweep, with the same work for each of its subjects.
struct UserplaneSweep {
  std::string subject;
  UserplaneSettings settings;
};

/// Sweeps whose results are compared with each other.
struct UserplaneCase {
  std::size_t traffic = 0;  ///< an index of UserplaneCases::traffic
  std::vector<UserplaneSweep> sweeps;
};

struct UserplaneCases {
  std::vector<Traffic> traffic;
  std::vector<UserplaneCase> cases;
  Pin pin = Pin::two;
};

/// Returns all combinations, in the order of the options. `programs` as in run_userplane_command(). Throws
/// InvalidPlan and InvalidMix.
UserplaneCases userplane_cases(const UserplanePlan& plan, const std::string& programs);

}  // namespace orbweaver::bench
