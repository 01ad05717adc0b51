#pragma once

#include <cstddef>

namespace orbweaver::platform {

/// The highest priority of SCHED_FIFO that this process may use: 99 with CAP_SYS_NICE, else its limit
/// RLIMIT_RTPRIO; 0: none.
int highest_fifo_priority() noexcept;

/// Scheduling policy and priority of a thread, as the system has them, without SCHED_RESET_ON_FORK.
struct ThreadPriority {
  int policy = 0;
  int priority = 0;  ///< 1 to 99 with SCHED_FIFO and SCHED_RR, else 0.
  friend bool operator==(const ThreadPriority&, const ThreadPriority&) = default;
};
/// SCHED_FIFO with this priority; SCHED_OTHER for 0.
ThreadPriority fifo_priority(int priority) noexcept;
/// Those of the calling thread.
ThreadPriority this_thread_priority() noexcept;
/// Sets those of the calling thread, with SCHED_RESET_ON_FORK: threads and processes that it starts from now
/// on have SCHED_OTHER. The flag remains, as only CAP_SYS_NICE could clear it. 0, or an errno value: EPERM,
/// EINVAL.
int set_this_thread_priority(const ThreadPriority& priority) noexcept;

/// A thread with a stack of a given size. The destructor joins it.
class SizedThread {
 public:
  SizedThread() = default;
  /// Starts a thread that calls `function(argument)`, which raises nothing. `stack_bytes`: 0: the default;
  /// other sizes are rounded up to a page, and to the least that the system permits. 0, or an errno value;
  /// once.
  int start(std::size_t stack_bytes, void* (*function)(void*), void* argument) noexcept;
  ~SizedThread() { join(); }
  SizedThread(const SizedThread&) = delete;
  SizedThread& operator=(const SizedThread&) = delete;
  /// Whether the calling thread is this one.
  bool is_this_thread() const noexcept;
  /// Joins it now. Once.
  void join() noexcept;
  /// Lets it run on; its resources are freed at its end.
  void detach() noexcept;

 private:
  unsigned long handle_ = 0;  // pthread_t
  bool joinable_ = false;
};

}  // namespace orbweaver::platform
