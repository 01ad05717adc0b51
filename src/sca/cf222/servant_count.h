#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace orbweaver::sca {

/// Counts the servants that refer to an object which is about to be destroyed. A servant that has been
/// deactivated exists until its last request has been served. Thread-safe.
class ServantCount {
 public:
  /// A member of a servant, which counts it while it exists. The count outlives it.
  class Entry {
   public:
    explicit Entry(ServantCount& count) : count_(count) {
      const std::lock_guard lock(count_.mutex_);
      ++count_.servants_;
    }
    ~Entry() {
      const std::lock_guard lock(count_.mutex_);
      --count_.servants_;
      count_.changed_.notify_all();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    ServantCount& count_;
  };

  /// Waits until there is none. False at the time limit.
  bool wait_for_none(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return servants_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t servants_ = 0;  // mutex_
};

}  // namespace orbweaver::sca
