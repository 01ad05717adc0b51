#include "platform/asymmetric_fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orbweaver::platform {
namespace {

bool register_membarrier() noexcept {
#if defined(__SANITIZE_THREAD__)
  return false;  // ThreadSanitizer models fences, but not membarrier
#else
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

}  // namespace

const bool detail::kHasMembarrier = register_membarrier();

void heavy_fence() noexcept {
  if (detail::kHasMembarrier) {
    // Cannot fail once the process has registered; a forked child inherits the registration.
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

}  // namespace orbweaver::platform
