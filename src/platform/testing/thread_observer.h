#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace orbweaver::platform::testing {

/// The kernel's id of the calling thread.
inline pid_t this_thread_id() { return gettid(); }

/// The state of a thread: the letter in /proc/PID/task/TID/stat; 0 if there is no such thread.
inline char read_thread_state(const std::filesystem::path& stat) {
  std::ifstream in(stat);
  in.ignore(std::numeric_limits<std::streamsize>::max(), ')');  // "tid (name) state …"
  char state = 0;
  in >> state;
  return state;
}

/// Whether all threads of the process sleep, except for the calling one. If so, nothing happens in the
/// process without an external event or a time-out.
inline bool other_threads_sleep(pid_t process = getpid()) {
  const std::string self = std::to_string(this_thread_id());
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    if (task.path().filename() == self) continue;
    const char state = read_thread_state(task.path() / "stat");
    if (state != 'S' && state != 0) return false;
  }
  return true;
}

/// Observes the kernel's state of another thread of this process, so that a test can wait until the thread
/// waits, at any load of the processors.
class ThreadObserver {
 public:
  explicit ThreadObserver(pid_t thread)
      : stat_("/proc/self/task/" + std::to_string(thread) + "/stat"),
        clock_(static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) |
                                      6)),  // its CPU time: see clock_getcpuclockid
        used_ns_(used_ns()) {}

  /// Whether the thread sleeps in the kernel: it waits for an event, not for a processor.
  bool asleep() const { return read_thread_state(stat_) == 'S'; }

  /// Whether the thread sleeps, or has run for a millisecond since this last returned true: it had time to do
  /// any pending work.
  bool slept_or_ran() {
    const std::int64_t now_ns = used_ns();
    if (!asleep() && now_ns - used_ns_ < 1'000'000) return false;
    used_ns_ = now_ns;
    return true;
  }

 private:
  std::int64_t used_ns() const {
    timespec used{};
    clock_gettime(clock_, &used);
    return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
  }

  const std::string stat_;
  const clockid_t clock_;
  std::int64_t used_ns_;
};

}  // namespace orbweaver::platform::testing
