#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/source.h"

namespace orbweaver::sca {

/// The properties of components, which all readers of a monitor share: a component is asked at most once in
/// an interval, however many ask for them. Thread-safe; no lock is held while a component is asked.
class SharedProperties {
 public:
  using Outcome = Result<std::vector<monitor::Property>>;
  using OutcomeRef = std::shared_ptr<const Outcome>;

  explicit SharedProperties(std::chrono::nanoseconds interval) : interval_(interval) {}

  /// What was read, until less than an interval ago, of the component with this reference, or what `read()`
  /// returns now. Waits for another thread that reads it. Not null.
  OutcomeRef get(const std::string& reference, const std::function<Outcome()>& read);
  /// The component has been changed: what was read before is not returned any more.
  void forget(const std::string& reference);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    OutcomeRef outcome;  // null: none
    Clock::time_point read_at;
    bool is_being_read = false;
    bool is_outdated = false;  // what is being read
  };
  void forget_old(Clock::time_point now);  // with mutex_

  const std::chrono::nanoseconds interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry> entries_;  // mutex_; by reference
};

}  // namespace orbweaver::sca
