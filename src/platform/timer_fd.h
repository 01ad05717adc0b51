#pragma once

#include "platform/clock.h"
#include "platform/fd.h"

namespace orbweaver::platform {

/// A descriptor that becomes readable at a point in time (timerfd), for threads that wait in poll. Any
/// thread.
class TimerFd {
 public:
  TimerFd() noexcept;
  const Fd& fd() const noexcept { return fd_; }  ///< Empty if the process had no descriptor left.

  /// Sets the time, in place of any time set before; never: switches the timer off.
  void set(Deadline when) noexcept;

 private:
  const Fd fd_;
};

}  // namespace orbweaver::platform
