#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace orbweaver::sca {

/// The first KiB of a description of another program, whose last character, in UTF-8, is whole, and "…".
inline std::string shortened_description(const std::string& text) {
  constexpr std::size_t kMaxBytes = 1024;
  if (text.size() <= kMaxBytes) return text;
  std::size_t end = kMaxBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

/// The processes of devices that have ended most recently. An event may arrive before the operation that has
/// started the process returns. The system gives ids again: an end that was told before a process was
/// started is that of another one. Thread-safe.
class ProcessEnds {
 public:
  using Clock = std::chrono::steady_clock;

  void add(const std::string& device, std::int64_t process, const std::string& description,
           Clock::time_point now = Clock::now()) {
    const std::lock_guard lock(mutex_);
    if (ends_.size() == kMax) ends_.pop_front();
    ends_.push_back({device, process, shortened_description(description), now});
  }
  /// How the process has ended; empty if that is not known.
  std::string find(const std::string& device, std::int64_t process) const {
    const std::lock_guard lock(mutex_);
    for (const End& end : ends_)
      if (end.process == process && end.device == device) return end.description;
    return {};
  }
  /// The process has been started after `since`: forgets earlier ends of its id.
  void started(const std::string& device, std::int64_t process, Clock::time_point since) {
    const std::lock_guard lock(mutex_);
    std::erase_if(ends_, [&](const End& end) {
      return end.process == process && end.device == device && end.time < since;
    });
  }
  /// Forgets the processes of a device, which may use their ids again.
  void remove(const std::string& device) {
    const std::lock_guard lock(mutex_);
    std::erase_if(ends_, [&](const End& end) { return end.device == device; });
  }

 private:
  static constexpr std::size_t kMax = 1024;
  struct End {
    std::string device;
    std::int64_t process;
    std::string description;
    Clock::time_point time;
  };
  mutable std::mutex mutex_;
  std::deque<End> ends_;
};

}  // namespace orbweaver::sca
