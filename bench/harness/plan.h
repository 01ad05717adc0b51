// Converts the options of `orbweaver bench` to the cases to measure, or to an error message.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "case.h"

namespace orbweaver::bench {

/// The options of `orbweaver bench EXPERIMENT` with their defaults.
struct Plan {
  Experiment experiment = Experiment::twoway;
  std::vector<std::string> transports = {"inproc", "shm", "unix", "tcp"};
  std::vector<std::string> plugin_transports;  ///< transports of plug-ins, also valid in `transports`
  std::vector<std::string> types = {"empty", "double"};
  std::vector<std::size_t> bytes = {4096};
  std::uint64_t calls = 10'000;     ///< calls of each process
  unsigned rounds = 11;             ///< rounds with new processes of each subject
  std::optional<std::string> wait;  ///< nullopt: `default_wait` of each transport
  std::optional<std::string> pin;   ///< nullopt: `default_pin` of the wait
  unsigned receivers = 8;           ///< of `hops` and `fanout`, which block by default
  int fifo = 0;                     ///< SCHED_FIFO priority; 0: default scheduling
  std::vector<std::string> subjects = {"floor", "orbweaver", "omniorb", "iceoryx2"};
};

/// An invalid option in a plan. what() is for the user: the option, the value found, the valid values.
struct InvalidPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns every combination, in the order of the options; one case per transport for an empty payload.
/// Throws InvalidPlan.
std::vector<Case> cases(const Plan&);

/// Returns the subjects to run; the floor is always included and first. Throws InvalidPlan for an unknown
/// name.
std::vector<std::string> subjects(const Plan&);

}  // namespace orbweaver::bench
