#pragma once

#include <sched.h>

namespace orbweaver::platform::testing {

/// Whether this process may set a real-time priority: sets that of the calling thread, and restores it.
inline bool may_set_real_time_priority() {
  const int policy = sched_getscheduler(0);
  sched_param before{};
  if (policy < 0 || sched_getparam(0, &before) != 0) return false;
  sched_param lowest{};
  lowest.sched_priority = 1;
  return sched_setscheduler(0, SCHED_FIFO, &lowest) == 0 && sched_setscheduler(0, policy, &before) == 0;
}

}  // namespace orbweaver::platform::testing
