#include "platform/thread_priority.h"

#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace orbweaver::platform {
namespace {

bool has_cap_sys_nice() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_SYS_NICE)].effective & CAP_TO_MASK(CAP_SYS_NICE)) != 0;
}

}  // namespace

int highest_fifo_priority() noexcept {
  const int highest = sched_get_priority_max(SCHED_FIFO);
  if (has_cap_sys_nice()) return highest;
  rlimit limit{};
  if (getrlimit(RLIMIT_RTPRIO, &limit) != 0) return 0;
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(highest)));
}

ThreadPriority fifo_priority(int priority) noexcept {
  return {priority == 0 ? SCHED_OTHER : SCHED_FIFO, priority};
}

// Asks the kernel: pthread_getschedparam returns the creator's scheduling if that has been reset.
ThreadPriority this_thread_priority() noexcept {
  ThreadPriority now;
  sched_param how{};
  const int policy = sched_getscheduler(0);
  if (policy < 0 || sched_getparam(0, &how) != 0) return now;
  now.policy = policy & ~SCHED_RESET_ON_FORK;
  now.priority = how.sched_priority;
  return now;
}

int set_this_thread_priority(const ThreadPriority& priority) noexcept {
  sched_param how{};
  how.sched_priority = priority.priority;
  return pthread_setschedparam(pthread_self(), priority.policy | SCHED_RESET_ON_FORK, &how);
}

int SizedThread::start(std::size_t stack_bytes, void* (*function)(void*), void* argument) noexcept {
  static_assert(sizeof handle_ >= sizeof(pthread_t));
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  if (stack_bytes != 0) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = std::max(stack_bytes, static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN)));
    error = pthread_attr_setstacksize(&attributes, (bytes + page - 1) / page * page);
  }
  if (error == 0) error = pthread_create(&handle_, &attributes, function, argument);
  pthread_attr_destroy(&attributes);
  joinable_ = error == 0;
  return error;
}

bool SizedThread::is_this_thread() const noexcept {
  return joinable_ && pthread_equal(handle_, pthread_self()) != 0;
}

void SizedThread::join() noexcept {
  if (!joinable_) return;
  joinable_ = false;
  pthread_join(handle_, nullptr);
}

void SizedThread::detach() noexcept {
  if (!joinable_) return;
  joinable_ = false;
  pthread_detach(handle_);
}

}  // namespace orbweaver::platform
