#include "platform/timed_lock.h"

namespace orbweaver::platform {

bool TimedLock::lock_slowly(Deadline deadline) noexcept {
  // Whoever gets it here cannot know whether others sleep, too: it says so, and its unlock wakes the next.
  while (state_.exchange(kWaitedFor, std::memory_order_acquire) != kFree) {  // T1
    if (deadline.passed()) return false;
    futex_wait(&state_, kWaitedFor, deadline, false);
  }
  return true;
}

}  // namespace orbweaver::platform
