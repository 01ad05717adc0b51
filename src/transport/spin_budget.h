#pragma once

#include <cstdint>

namespace orbweaver::transport {

/// Adaptive limit of the time that WaitStrategy::adaptive spins before it sleeps. A successful spin restores
/// the whole budget; a failed one halves it, down to none (both ends on one core: the peer cannot run while
/// this thread spins). A short spin at intervals detects a change. Used by one waiting thread.
class SpinBudget {
 public:
  /// Nanoseconds to spin in this wait; 0: sleep at once.
  std::int64_t next_ns() noexcept {
    if (budget_ns_ >= kMin_ns) return budget_ns_;
    if (++skipped_ < kProbeEvery) return 0;
    skipped_ = 0;
    return kMin_ns;
  }
  void record_success() noexcept { budget_ns_ = kMax_ns; }
  void record_failure() noexcept { budget_ns_ /= 2; }

 private:
  // About the cost of sleeping and being woken across cores; spinning longer does not pay.
  static constexpr std::int64_t kMax_ns = 50'000;
  static constexpr std::int64_t kMin_ns = 4'000;
  static constexpr std::uint32_t kProbeEvery = 64;

  std::int64_t budget_ns_ = kMax_ns;
  std::uint32_t skipped_ = 0;
};

}  // namespace orbweaver::transport
