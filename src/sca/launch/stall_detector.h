#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sca/launch/application.h"

namespace orbweaver::sca {

/// Detects that a run makes no progress and explains why. While packets arrive at the sinks a check costs one
/// comparison; only otherwise are the components queried. Not thread-safe.
class StallDetector {
 public:
  /// `pids` are the process ids by component.
  StallDetector(LaunchedAssembly& application, const Assembly& assembly, std::vector<int> pids)
      : application_(application), assembly_(assembly), pids_(std::move(pids)) {}

  /// Checks the progress of the sinks; call some tens of times a second. Returns a line for the user, or an
  /// empty string. Ends a loop that has no packets left. Throws DeadlockError with the explanation if the run
  /// can never continue.
  std::string check(const Progress& progress);

 private:
  std::string explain();

  LaunchedAssembly& application_;
  const Assembly& assembly_;
  std::vector<int> pids_;
  std::uint64_t packets_ = 0;
  std::int64_t last_progress_ns_ = 0;  // time of the last observed progress
  std::int64_t last_snapshot_ns_ = 0;
  Snapshot last_;
  int unchanged_snapshots_ = 0;   // consecutive snapshots equal to the previous one
  std::string last_explanation_;  // last one shown since packets moved; or empty
};

}  // namespace orbweaver::sca
