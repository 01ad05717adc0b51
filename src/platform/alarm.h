#pragma once

#include "platform/clock.h"
#include "platform/fd.h"

namespace orbweaver::platform {

/// A descriptor that is readable from a point in time on, for those who wait at descriptors (timerfd). Any thread.
class Alarm {
 public:
  Alarm() noexcept;
  const Fd& fd() const noexcept { return fd_; }  ///< Empty where the process has no descriptors left.

  /// Rings then, and no longer when it was to before; never: not at all.
  void set(Deadline when) noexcept;

 private:
  const Fd fd_;
};

}  // namespace orbweaver::platform
