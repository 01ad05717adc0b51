// Runs cases. Each round starts a new process pair of each subject, one subject after the other, so that
// changes of the machine's speed affect all subjects alike.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "case.h"
#include "summary.h"

namespace orbweaver::bench {

/// The results of one subject in one case, over all rounds.
struct Outcome {
  Case what;
  std::string subject;
  Summary figures;
  std::vector<Summary> rounds;  ///< the figures of each round, combined in `figures`
};

/// The results of all cases and subjects.
struct Report {
  std::vector<Outcome> outcomes;
  std::vector<std::string> skipped;   ///< "omniorb over shm: it has no shared memory"
  std::vector<std::string> failures;  ///< subjects that support a case but failed in it
};

/// The options of run().
struct RunnerOptions {
  std::string programs;  ///< folder of the subjects' programs, `bench-NAME`
  unsigned rounds = 5;
  std::chrono::milliseconds limit{60'000};  ///< of one process, which is then killed and fails
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// Measures all cases; blocks until the end. On return, also by exception, all server processes have ended
/// and all temporary folders are removed.
Report run(const std::vector<Case>& cases, const std::vector<std::string>& subjects, const RunnerOptions&);

/// Returns the folder of this program, which also has the subjects' programs.
std::string own_folder();

}  // namespace orbweaver::bench
