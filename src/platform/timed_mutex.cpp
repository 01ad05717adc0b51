#include "platform/timed_mutex.h"

namespace orbweaver::platform {

bool TimedMutex::lock_contended(Deadline deadline) noexcept {
  // Sets kContended, not kLocked, because other threads may sleep as well: unlock then wakes the next.
  while (state_.exchange(kContended, std::memory_order_acquire) != kUnlocked) {  // T1
    if (deadline.passed()) return false;
    futex_wait(&state_, kContended, deadline, false);
  }
  return true;
}

}  // namespace orbweaver::platform
