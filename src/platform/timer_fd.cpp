#include "platform/timer_fd.h"

#include <sys/timerfd.h>

#include <algorithm>

namespace orbweaver::platform {

TimerFd::TimerFd() noexcept : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void TimerFd::set(Deadline when) noexcept {
  itimerspec time{};  // zero: off
  if (!when.is_never()) {
    const std::int64_t ns = std::max<std::int64_t>(when.ns, 1);
    time.it_value = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  }
  timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &time, nullptr);
}

}  // namespace orbweaver::platform
