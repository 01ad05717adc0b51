#pragma once

#include <cstdint>

namespace orbweaver::transport {

/// How long Wait::adaptive spins before it sleeps. It learns: spinning that paid keeps the whole budget,
/// spinning in vain halves it, down to none (both ends on one core: the peer cannot move while we spin),
/// and a short try now and then finds out whether that has changed. One waiting thread's own.
class SpinBudget {
 public:
  /// Nanoseconds to spin in this wait; 0: sleep at once.
  std::int64_t next_ns() noexcept {
    if (budget_ns_ >= kLeast_ns) return budget_ns_;
    if (++skipped_ < kProbeEvery) return 0;
    skipped_ = 0;
    return kLeast_ns;
  }
  void paid() noexcept { budget_ns_ = kMost_ns; }
  void wasted() noexcept { budget_ns_ /= 2; }

 private:
  // About what falling asleep and being woken across cores costs: spinning longer than that cannot win.
  static constexpr std::int64_t kMost_ns = 50'000;
  static constexpr std::int64_t kLeast_ns = 4'000;
  static constexpr std::uint32_t kProbeEvery = 64;

  std::int64_t budget_ns_ = kMost_ns;
  std::uint32_t skipped_ = 0;
};

}  // namespace orbweaver::transport
