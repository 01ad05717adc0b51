// Runs cases: every round starts a fresh process pair of each subject, one subject after the other, so that
// whatever the machine does meanwhile happens to all of them.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "case.h"
#include "summary.h"

namespace orbweaver::bench {

/// One subject in one case, over all rounds.
struct Outcome {
  Case what;
  std::string subject;
  Summary figures;
  std::vector<Summary> rounds;  ///< what `figures` combines, in the order of the rounds
};

struct Report {
  std::vector<Outcome> outcomes;
  std::vector<std::string> left_out;  ///< "omniorb over shm: it has no shared memory"
  std::vector<std::string> failures;  ///< a subject that said it could, and did not
};

struct RunnerOptions {
  std::string programs;  ///< folder of the subjects' programs, `bench-NAME`
  unsigned rounds = 5;
  std::chrono::milliseconds limit{60'000};  ///< for one process; then it is killed and has failed
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// Blocks until all is measured. Server processes and scratch folders are gone on return, also by exception.
Report run(const std::vector<Case>& cases, const std::vector<std::string>& subjects, const RunnerOptions&);

/// Where this program's own file is: subjects' programs lie beside it.
std::string own_folder();

}  // namespace orbweaver::bench
