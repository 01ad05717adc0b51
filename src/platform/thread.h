#pragma once

#include <cstdint>
#include <vector>

namespace orbweaver::platform {

/// The scheduling of a thread.
struct Schedule {
  enum class Policy : std::uint8_t {
    other,        ///< SCHED_OTHER, the default: not changed.
    fifo,         ///< SCHED_FIFO: runs before all threads of lower priority, until it waits.
    round_robin,  ///< SCHED_RR: as fifo, in time slices with threads of the same priority.
  };
  Policy policy = Policy::other;
  int priority = 0;        ///< For fifo and round_robin: 1 to 99.
  std::vector<int> cores;  ///< The thread's affinity; empty: not changed.
};
/// Core numbers are less than this.
inline constexpr int kMaxCores = 1024;

/// Applies `schedule` to the calling thread. 0, or an errno value: EPERM without CAP_SYS_NICE and
/// RLIMIT_RTPRIO, EINVAL if this process may use none of the cores.
int schedule_this_thread(const Schedule& schedule) noexcept;

/// Names the calling thread for ps, top and debuggers; at most 15 characters are kept.
void name_this_thread(const char* name) noexcept;

/// The core on which the calling thread runs now; -1 if not known.
int this_core() noexcept;

}  // namespace orbweaver::platform
