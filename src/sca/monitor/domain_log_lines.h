#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/snapshot.h"
#include "sca/domain/domain_model.h"

namespace orbweaver::sca {

/// The latest thousand events of a domain as lines of a log. Thread-safe.
class DomainLogLines {
 public:
  void add(const std::string& level, const std::string& text);
  /// The lines with a number above `after`, at most `most`, the latest ones.
  std::vector<monitor::LogLine> after(std::uint64_t number, std::size_t most) const;

 private:
  mutable std::mutex mutex_;
  std::deque<monitor::LogLine> lines_;
  std::uint64_t last_ = 0;
};

/// Adds a line for each change of the model from now on: nodes, devices, services and applications that come,
/// change and go.
void log_changes(DomainModel& model, const std::shared_ptr<DomainLogLines>& lines);

/// "deploying", "stopped", "started", "failed", "releasing".
const char* state_text(ApplicationState state);

}  // namespace orbweaver::sca
