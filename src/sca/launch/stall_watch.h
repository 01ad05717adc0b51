#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sca/launch/application.h"

namespace orbweaver::sca {

/// Notices that a run does not go on, and finds out why. While packets arrive at the sinks it costs a comparison;
/// only when none does are the components asked what they do. One thread.
class StallWatch {
 public:
  /// `pids` by component.
  StallWatch(Application& application, const Assembly& assembly, std::vector<int> pids)
      : application_(application), assembly_(assembly), pids_(std::move(pids)) {}

  /// Looks once, some tens of times a second, at how far the sinks have come. Returns a line for the user, or nothing.
  /// Ends a loop that no packet is left in. Throws Deadlocked, with the explanation, where the run can never go on.
  std::string look(const Progress& progress);

 private:
  std::string explain();

  Application& application_;
  const Assembly& assembly_;
  std::vector<int> pids_;
  std::uint64_t packets_ = 0;
  std::int64_t moved_ns_ = 0;  // when something was last seen to move
  std::int64_t looked_ns_ = 0;
  Snapshot last_;
  int unchanged_ = 0;  // snapshots in a row that were like the one before
  std::string told_;   // the explanation that the user has; empty: none since packets last moved
};

}  // namespace orbweaver::sca
