#include "sca/monitor/domain_log_lines.h"

#include <chrono>

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

constexpr std::size_t kMostLines = 1000;
/// Length of a line, whose failure of an application may be a text of a component.
constexpr std::size_t kMostLineBytes = 2000;

const char* noun(DomainChange::Subject subject) {
  switch (subject) {
    case DomainChange::Subject::node: return "node";
    case DomainChange::Subject::device: return "device";
    case DomainChange::Subject::service: return "service";
    case DomainChange::Subject::installed_application: return "installed application";
    case DomainChange::Subject::application: break;
  }
  return "application";
}

const char* verb(const DomainChange& change) {
  if (change.kind == DomainChange::Kind::removed) return "removed";
  return change.kind == DomainChange::Kind::added ? "added" : "changed";
}

void add_application(const DomainModel& model, const std::string& id, DomainLogLines& lines) {
  const auto application = model.application(id);
  if (!application) return;
  const bool failed = application->state == ApplicationState::failed;
  lines.add(failed ? "error" : "info",
            "application " + application->name + " is " + state_text(application->state) +
                (failed && !application->failure.empty() ? ": " + application->failure : ""));
}

}  // namespace

const char* state_text(ApplicationState state) {
  switch (state) {
    case ApplicationState::deploying: return "deploying";
    case ApplicationState::stopped: return "stopped";
    case ApplicationState::started: return "started";
    case ApplicationState::failed: return "failed";
    case ApplicationState::releasing:
    case ApplicationState::orphaned: break;  // no application of the model
  }
  return "releasing";
}

void DomainLogLines::add(const std::string& level, const std::string& given) {
  const std::string text = given.size() > kMostLineBytes ? printable(given, kMostLineBytes) : given;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::lock_guard lock(mutex_);
  // A record that is stored several times in the same state is one event.
  if (!lines_.empty() && lines_.back().text == text) return;
  lines_.push_back({++last_, ms, level, "domain", text});
  if (lines_.size() > kMostLines) lines_.pop_front();
}

std::vector<monitor::LogLine> DomainLogLines::after(std::uint64_t number, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<monitor::LogLine> result;
  const std::size_t first = lines_.size() > most ? lines_.size() - most : 0;
  for (std::size_t i = first; i < lines_.size(); ++i) {
    if (lines_[i].number > number) result.push_back(lines_[i]);
  }
  return result;
}

void log_changes(DomainModel& model, const std::shared_ptr<DomainLogLines>& lines) {
  model.observe([&model, lines](const DomainChange& change) {
    const bool of_application = change.subject == DomainChange::Subject::application;
    if (of_application && change.kind != DomainChange::Kind::removed) {
      add_application(model, change.id, *lines);
    } else {
      lines->add("info", std::string(noun(change.subject)) + " " + change.id + " " + verb(change));
    }
  });
}

}  // namespace orbweaver::sca
