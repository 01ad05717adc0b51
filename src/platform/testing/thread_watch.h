#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace orbweaver::platform::testing {

/// The kernel's number of the calling thread.
inline pid_t this_thread_id() { return gettid(); }

/// The state of a thread: the letter in /proc/PID/task/TID/stat; 0 if there is no such thread.
inline char state_in(const std::filesystem::path& stat) {
  std::ifstream in(stat);
  in.ignore(std::numeric_limits<std::streamsize>::max(), ')');  // "tid (name) state …"
  char state = 0;
  in >> state;
  return state;
}

/// Do all threads of the process sleep, but for the calling one? Then nothing happens in it without an event from
/// outside or a time-out.
inline bool others_sleep(pid_t process = getpid()) {
  const std::string self = std::to_string(this_thread_id());
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    if (task.path().filename() == self) continue;
    const char state = state_in(task.path() / "stat");
    if (state != 'S' && state != 0) return false;
  }
  return true;
}

/// What another thread of this process does, as the kernel sees it: for tests that wait until a thread waits, however
/// busy the processors are.
class ThreadWatch {
 public:
  explicit ThreadWatch(pid_t thread)
      : stat_("/proc/self/task/" + std::to_string(thread) + "/stat"),
        clock_(static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6)),  // its processor time: see clock_getcpuclockid
        used_ns_(used_ns()) {}

  /// The thread sleeps in the kernel: it waits for an event that has not happened, and not for a processor.
  bool asleep() const { return state_in(stat_) == 'S'; }

  /// The thread sleeps, or has run for a millisecond since this was last true: had there been anything for it to do, it
  /// would have done it.
  bool had_its_turn() {
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
