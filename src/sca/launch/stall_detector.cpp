#include "sca/launch/stall_detector.h"

#include <orbweaver/deadline.h>

namespace orbweaver::sca {
namespace {

/// Time without a packet at a sink after which snapshots of the components are taken, every
/// kSnapshotIntervalNs.
constexpr std::int64_t kStallThresholdNs = 1'000'000'000;
constexpr std::int64_t kSnapshotIntervalNs = 500'000'000;
/// Number of unchanged snapshots that make a stall. On a busy machine, a thread that waits for a processor
/// has run within that time.
constexpr int kUnchangedSnapshots = 4;

}  // namespace

std::string StallDetector::check(const Progress& progress) {
  const std::int64_t now = now_ns();
  if (last_progress_ns_ == 0 || progress.packets != packets_) {
    packets_ = progress.packets;
    last_progress_ns_ = now;
    unchanged_snapshots_ = 0;
    last_ = {};
    if (last_explanation_.empty()) return {};
    last_explanation_.clear();
    return "packets are moving again";
  }
  if (now - last_progress_ns_ < kStallThresholdNs || now - last_snapshot_ns_ < kSnapshotIntervalNs) return {};
  Snapshot snapshot = application_.snapshot(pids_);
  last_snapshot_ns_ = now_ns();
  unchanged_snapshots_ = snapshot.same_as(last_) ? unchanged_snapshots_ + 1 : 0;
  if (unchanged_snapshots_ == 0 && !last_.components.empty()) last_progress_ns_ = now;
  last_ = std::move(snapshot);
  return unchanged_snapshots_ >= kUnchangedSnapshots ? explain() : std::string();
}

std::string StallDetector::explain() {
  const Stall stall =
      explain_stall(assembly_, last_, static_cast<double>(now_ns() - last_progress_ns_) / 1e9);
  switch (stall.kind) {
    case Stall::Kind::none: break;
    case Stall::Kind::deadlock:
    case Stall::Kind::broken: throw DeadlockError(stall.text);
    case Stall::Kind::empty_loop:
      application_.end_streams(stall.component);
      unchanged_snapshots_ = 0;
      return stall.text + ": ending it at " + application_.id(stall.component);
    case Stall::Kind::waiting:
      if (!last_explanation_.empty()) break;
      last_explanation_ = stall.text;
      return stall.text;
  }
  return {};
}

}  // namespace orbweaver::sca
