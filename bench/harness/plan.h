// From what was asked for to the cases that will be measured, or to one clear complaint.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "case.h"

namespace orbweaver::bench {

/// What a user can ask of `orbweaver bench EXPERIMENT`, with the defaults.
struct Plan {
  Experiment experiment = Experiment::twoway;
  std::vector<std::string> transports = {"inproc", "shm", "unix", "tcp"};
  std::vector<std::string> further_transports;  ///< of plug-ins: may be asked for, too
  std::vector<std::string> types = {"empty", "double"};
  std::vector<std::size_t> bytes = {4096};
  std::uint64_t calls = 10'000;     ///< in each process
  unsigned rounds = 11;             ///< fresh processes of each subject
  std::optional<std::string> wait;  ///< nothing: `default_wait` of each transport
  std::optional<std::string> pin;   ///< nothing: `default_pin` of the wait
  int fifo = 0;                     ///< priority of SCHED_FIFO, 0: the usual policy
  std::vector<std::string> subjects = {"floor", "orbweaver", "omniorb", "iceoryx2"};
};

/// Something in a plan cannot be done; `what()` is for the user: the option, what was found, what would do.
struct BadPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every combination, in the order asked for; an empty payload only once a transport. Throws BadPlan.
std::vector<Case> cases(const Plan&);

/// The subjects to run, the floor first and always among them. Throws BadPlan at an unknown name.
std::vector<std::string> subjects(const Plan&);

}  // namespace orbweaver::bench
