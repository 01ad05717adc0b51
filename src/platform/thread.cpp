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

int this_core() noexcept { return sched_getcpu(); }

}  // namespace orbweaver::platform
