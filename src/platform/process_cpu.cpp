#include "platform/process_cpu.h"

#include <time.h>

namespace orbweaver::platform {

std::int64_t process_cpu_ns(int pid) noexcept {
  clockid_t clock;
  timespec used;
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return used.tv_sec * 1'000'000'000LL + used.tv_nsec;
}

}  // namespace orbweaver::platform
