#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace orbweaver::orb {

/// Progress of the shutdown of an ORB. Thread-safe.
class ShutdownState {
 public:
  /// False from `request` on.
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// Raises BAD_INV_ORDER (minor::kOrbShutDown) from `request` on.
  void check_running() const;

  /// Ends `running`; `wait` returns. May be repeated.
  void request();
  /// Blocks until `request`.
  void wait();
  /// Called after `request`. True: the caller performs the shutdown, then calls `end_finish`. False: another
  /// thread has performed it; blocks until that thread has called `end_finish`.
  bool begin_finish();
  void end_finish();

 private:
  enum class Phase { not_begun, in_progress, done };

  std::atomic<bool> running_{true};
  std::mutex mutex_;
  std::condition_variable changed_;
  Phase phase_ = Phase::not_begun;  // guarded by mutex_
};

}  // namespace orbweaver::orb
