#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <orbweaver/deadline.h>

namespace orbweaver::streams::detail {

/// Waits for a notification of `condition`, at most until `deadline`. May also return without either, as
/// std::condition_variable::wait: the caller checks its own condition. `lock` is locked before and
/// afterwards.
inline void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                       Deadline deadline) {
  if (deadline.is_never()) {
    condition.wait(lock);
  } else {
    condition.wait_until(lock, std::chrono::steady_clock::time_point{std::chrono::nanoseconds(deadline.ns)});
  }
}

}  // namespace orbweaver::streams::detail
