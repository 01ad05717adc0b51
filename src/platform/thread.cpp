#include "platform/thread.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

namespace orbweaver::platform {

void name_this_thread(const char* name) noexcept {
  char cut[16];
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = 0;
  pthread_setname_np(pthread_self(), cut);
}

int schedule_this_thread(const Schedule& schedule) noexcept {
  if (schedule.policy != Schedule::Policy::other) {
    sched_param how{};
    how.sched_priority = schedule.priority;
    const int policy = schedule.policy == Schedule::Policy::fifo ? SCHED_FIFO : SCHED_RR;
    if (const int error = pthread_setschedparam(pthread_self(), policy, &how); error != 0) return error;
  }
  if (schedule.cores.empty()) return 0;
  static_assert(kMaxCores <= CPU_SETSIZE);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const int core : schedule.cores) CPU_SET(static_cast<std::size_t>(core), &cores);
  return pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

int this_core() noexcept { return sched_getcpu(); }

}  // namespace orbweaver::platform
