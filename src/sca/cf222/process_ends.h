#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace orbweaver::sca {

/// The processes of devices that have ended most recently. An event may arrive before the operation that has
/// started the process returns. Thread-safe.
class ProcessEnds {
 public:
  void add(const std::string& device, std::int64_t process, const std::string& description) {
    const std::lock_guard lock(mutex_);
    if (ends_.size() == kMax) ends_.pop_front();
    ends_.push_back({device, process, description});
  }
  /// How the process has ended; empty if that is not known.
  std::string find(const std::string& device, std::int64_t process) const {
    const std::lock_guard lock(mutex_);
    for (const End& end : ends_)
      if (end.process == process && end.device == device) return end.description;
    return {};
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
  };
  mutable std::mutex mutex_;
  std::deque<End> ends_;
};

}  // namespace orbweaver::sca
