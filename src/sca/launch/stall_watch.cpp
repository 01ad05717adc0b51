#include "sca/launch/stall_watch.h"

#include "platform/clock.h"

namespace orbweaver::sca {
namespace {

/// Without a packet at a sink for so long, the components are looked at; then again and again.
constexpr std::int64_t kQuietNs = 1'000'000'000;
constexpr std::int64_t kLookNs = 500'000'000;
/// So many looks must show the same before it is called a stall: a thread that waits for a processor, on a busy machine,
/// has moved by then.
constexpr int kUnchangedLooks = 4;

}  // namespace

std::string StallWatch::look(const Progress& progress) {
  const std::int64_t now = platform::now_ns();
  if (moved_ns_ == 0 || progress.packets != packets_) {
    packets_ = progress.packets;
    moved_ns_ = now;
    unchanged_ = 0;
    last_ = {};
    if (told_.empty()) return {};
    told_.clear();
    return "packets move again";
  }
  if (now - moved_ns_ < kQuietNs || now - looked_ns_ < kLookNs) return {};
  Snapshot snapshot = application_.snapshot(pids_);
  looked_ns_ = platform::now_ns();
  unchanged_ = snapshot.same_as(last_) ? unchanged_ + 1 : 0;
  if (unchanged_ == 0 && !last_.components.empty()) moved_ns_ = now;
  last_ = std::move(snapshot);
  return unchanged_ >= kUnchangedLooks ? explain() : std::string();
}

std::string StallWatch::explain() {
  const Stall stall =
      explain_stall(assembly_, last_, static_cast<double>(platform::now_ns() - moved_ns_) / 1e9);
  switch (stall.kind) {
    case Stall::Kind::none:
      break;
    case Stall::Kind::deadlock:
    case Stall::Kind::broken:
      throw Deadlocked(stall.text);
    case Stall::Kind::empty_loop:
      application_.end_streams(stall.component);
      unchanged_ = 0;
      return stall.text + ": ending it at " + application_.id(stall.component);
    case Stall::Kind::waiting:
      if (!told_.empty()) break;
      told_ = stall.text;
      return stall.text;
  }
  return {};
}

}  // namespace orbweaver::sca
