#include "platform/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace orbweaver::platform {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel operates on the word itself");

/// The call that takes this program's timespec: 32-bit machines have one for each size of time_t.
#ifdef SYS_futex_time64
constexpr long kFutexCall = sizeof(timespec::tv_sec) > sizeof(long) ? SYS_futex_time64 : SYS_futex;
#else
constexpr long kFutexCall = SYS_futex;
#endif

long futex(const std::atomic<std::uint32_t>* word, int operation, std::uint32_t value,
           const timespec* until) noexcept {
  return syscall(kFutexCall, word, operation, value, until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

FutexWait futex_wait(const std::atomic<std::uint32_t>* word, std::uint32_t expected, Deadline deadline,
                     bool shared) noexcept {
  // FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC, as Deadline has it: no clock read is needed.
  const int operation = FUTEX_WAIT_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG);
  long result;
  if (deadline.is_never()) {
    result = futex(word, operation, expected, nullptr);
  } else {
    const std::int64_t ns = deadline.ns > 0 ? deadline.ns : 0;
    const timespec until{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    result = futex(word, operation, expected, &until);
  }
  if (result == 0) return FutexWait::woken;
  switch (errno) {
    case ETIMEDOUT: return FutexWait::timeout;
    case EAGAIN: return FutexWait::changed;
    case EINTR: return FutexWait::interrupted;
    default: return FutexWait::woken;
  }
}

int futex_wake(const std::atomic<std::uint32_t>* word, int count, bool shared) noexcept {
  const int operation = FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG);
  const long woken = futex(word, operation, static_cast<std::uint32_t>(count), nullptr);
  return woken < 0 ? 0 : static_cast<int>(woken);
}

}  // namespace orbweaver::platform
