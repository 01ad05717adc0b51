#pragma once

#include <cstdint>
#include <vector>

namespace orbweaver::platform {

/// How the system runs a thread.
struct Schedule {
  enum class Policy : std::uint8_t {
    other,        ///< Shares the cores with everybody, as threads do by default.
    fifo,         ///< SCHED_FIFO: before all of lower priority, until it waits.
    round_robin,  ///< SCHED_RR: takes turns with those of its priority.
  };
  Policy policy = Policy::other;
  int priority = 0;        ///< Of fifo and round_robin, 1 to 99.
  std::vector<int> cores;  ///< Where it may run; empty: wherever the process may.
};
inline constexpr int kMostCores = 1024;

/// What `schedule` changes of the calling thread. 0, or an errno value: EPERM without CAP_SYS_NICE and RLIMIT_RTPRIO,
/// EINVAL where none of the cores is this process's.
int schedule_this_thread(const Schedule& schedule) noexcept;

/// Names the calling thread for ps, top and debuggers; at most 15 characters are kept.
void name_this_thread(const char* name) noexcept;

/// The core that the calling thread runs on now; -1 where not known.
int this_core() noexcept;

}  // namespace orbweaver::platform
