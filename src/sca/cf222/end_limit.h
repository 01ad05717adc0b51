#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace orbweaver::sca {

/// Time after which a domain manager ends although operations are in progress.
inline constexpr std::chrono::seconds kEndLimit{30};

/// Ends the process with status 1, and says why, when the end of a domain manager exceeds kEndLimit. Waits
/// neither for a reader of standard error nor for another thread. What is in progress is undone or completed
/// from the state, by the next domain manager.
[[noreturn]] void end_process(const std::string& program) noexcept;

/// Limits the time of what its owner does: calls a function, in a thread of its own, if it has not been
/// destroyed by the end of that time. The destructor waits for a call in progress.
class EndLimit {
 public:
  EndLimit(std::chrono::milliseconds limit, std::function<void()> at_end)
      : thread_([this, limit, at_end = std::move(at_end)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          changed_.wait_for(lock, stop, limit, [] { return false; });
          if (!stop.stop_requested()) at_end();
        }) {}
  EndLimit(const EndLimit&) = delete;
  EndLimit& operator=(const EndLimit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // destroyed first, by which it is stopped
};

}  // namespace orbweaver::sca
