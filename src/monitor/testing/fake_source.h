#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "monitor/source.h"

namespace orbweaver::monitor::testing {

/// A domain with the voice radio, nine components on three nodes, for tests of the monitor. Its counters grow
/// with each reading as if a second had passed. Thread-safe.
class FakeSource : public Source {
 public:
  FakeSource();

  Snapshot read() override;
  std::vector<LogLine> log(std::uint64_t after, std::size_t most) override;
  Result<std::vector<Property>> properties(const std::string& component) override;
  Result<void> set_property(const std::string& component, const std::string& property,
                            const std::string& value) override;
  bool has_application(const std::string& id) override;
  Result<void> start(const std::string& application) override;
  Result<void> stop(const std::string& application) override;
  Result<void> create(const std::string& installed, const std::string& name) override;
  Result<void> release(const std::string& application) override;

  /// Changes the domain directly.
  template <class Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    change(snapshot_);
  }
  void add_log_line(const std::string& level, const std::string& text);
  std::uint64_t reads() const { return reads_; }

 private:
  Result<void> set_state(const std::string& application, const std::string& state);
  void add_radio(const std::string& id, const std::string& name);
  void advance();

  std::mutex mutex_;
  Snapshot snapshot_;                          // mutex_, as the next
  std::map<std::string, std::string> values_;  // of the properties
  std::vector<LogLine> lines_;
  std::atomic<std::uint64_t> reads_ = 0;
};

}  // namespace orbweaver::monitor::testing
