/// Applications: what is done after a restart of the domain manager.
#include <algorithm>
#include <memory>
#include <utility>

#include "sca/cf222/applications.h"
#include "sca/cf222/exclusive_application.h"
#include "sca/cf222/remote_calls.h"
#include "sca/deployment/concurrently.h"
#include "sca/profile/new_id.h"

namespace orbweaver::sca {
namespace {

/// Time limit of the question whether a component exists.
constexpr std::chrono::seconds kExistenceLimit{1};
/// Time until the removal of an application is tried again that could not be stored; it is doubled each time.
constexpr std::chrono::milliseconds kFirstRemovalPause{500}, kLongestRemovalPause{30'000};

/// Whether the creation or the release of the application has begun, and has not ended.
bool is_interrupted(const Application& record) {
  return record.state == ApplicationState::deploying || record.state == ApplicationState::releasing;
}

}  // namespace

/// An application whose creation or release was interrupted; nobody else changes it until that is finished.
struct Applications::Interrupted {
  std::string id;
  std::unique_ptr<Exclusive> exclusive;
};

void Applications::recover() {
  const std::vector<Application> applications = parts_.model.applications();
  struct Question {
    const Application* application;
    const DeployedComponent* component;
  };
  std::vector<Question> questions;
  std::vector<Interrupted> interrupted;
  for (const Application& application : applications) {
    if (is_interrupted(application)) {
      auto exclusive = std::make_unique<Exclusive>(*this, application.id);
      // Otherwise a client releases it already.
      if (*exclusive) interrupted.push_back({application.id, std::move(exclusive)});
    }
    if (!runs(application)) continue;
    for (const DeployedComponent& component : application.components)
      if (!component.reference.empty()) questions.push_back({&application, &component});
  }
  run_concurrently(questions.size(), [&](std::size_t i) {
    const DeployedComponent& component = *questions[i].component;
    std::string reason = "does not exist any more";
    try {
      const auto object = limited<CORBA::Object>(parts_.orb, component.reference, kExistenceLimit);
      if (object && !object->_non_existent()) return;
    } catch (const CORBA::TIMEOUT&) {  // it exists, and is busy
      return;
    } catch (const CORBA::SystemException& e) {
      reason += std::string(" (") + e.what() + ")";
    }
    fail(questions[i].application->id,
         {part_text(component) + " was lost while the domain manager did not run: it " + reason});
  });
  if (!interrupted.empty())
    recovery_ = std::jthread([this, interrupted = std::move(interrupted)]() mutable {
      run_concurrently(interrupted.size(), [&](std::size_t i) {
        finish_interrupted(interrupted[i].id);
        interrupted[i].exclusive.reset();
      });
    });
  redeploy_lost();
  redeployments_.begin();
}

void Applications::finish_interrupted(const std::string& id) noexcept {
  try {
    // A client may have released it before others were excluded.
    const auto record = parts_.model.application(id);
    if (!record || !is_interrupted(*record)) return;
    const bool is_release = record->state == ApplicationState::releasing;
    const std::string what = is_release ? "the release" : "the creation";
    const bool is_repeated = !is_release && record->redeployment.lost;
    const std::vector<std::string> left = undo(*record);
    parts_.log.event(what + " of application '" + record->name + "' was interrupted: it is " +
                     (is_repeated ? "repeated" : "removed"));
    if (!left.empty())
      parts_.log.problem("application '" + record->name + "': " + kIncomplete + joined_lines(left));
    if (const auto now = parts_.model.application(id); now && is_interrupted(*now))
      remove_later(*now, "the state of the domain cannot be stored");
  } catch (const std::exception& e) {
    parts_.log.problem("application '" + id + "': " + e.what());
  }
}

void Applications::remove_later(const Application& record, const std::string& reason) {
  parts_.log.problem("application '" + record.name + "' cannot be removed from the state: " + reason +
                     "; this is tried again, and the name is in use until then");
  {
    const std::lock_guard lock(mutex_);
    unremoved_.emplace(record.id, kFirstRemovalPause);
  }
  redeployments_.add(record.id);
}

std::optional<std::chrono::milliseconds> Applications::remove_again(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (!unremoved_.contains(id)) return std::nullopt;
  }
  // The record may say more than is left: it could not be stored, either, what had been undone.
  if (const auto record = parts_.model.application(id)) {
    const std::vector<std::string> left = undo(*record);
    if (parts_.model.application(id)) {
      const std::lock_guard lock(mutex_);
      const auto pause = unremoved_.at(id);
      unremoved_[id] = std::min(2 * pause, kLongestRemovalPause);
      return pause;
    }
    parts_.log.event("application '" + record->name + "' is removed from the state: its name is free");
    if (!left.empty())
      parts_.log.problem("application '" + record->name + "': " + kIncomplete + joined_lines(left));
  }
  const std::lock_guard lock(mutex_);
  unremoved_.erase(id);
  return std::chrono::milliseconds(0);
}

std::vector<std::string> Applications::undo(Application record) {
  std::set<std::string> kept = orphans_.lost_devices(record);
  std::vector<std::string> left = functions_.undeploy(record, domain_);
  if (!left.empty()) {
    kept.merge(Orphans::devices_of(record));
    domain_.remove_naming_context(record.name);
  }
  if (record.redeployment.lost && record.state == ApplicationState::deploying) {
    const auto next = replace_by_failed(record, kept, new_id());
    if (next && next->redeployment.enabled) redeployments_.add(next->id);
    return left;
  }
  if (auto removed = orphans_.remove_application(record, kept); !removed) {
    left.push_back(removed.error().message);
    return left;
  }
  deployed_.remove(record.id);
  objects_.remove_application(record.id);
  if (record.state == ApplicationState::releasing)
    parts_.channels.removed(Category::APPLICATION, record.id, record.name, record.id);
  return left;
}

}  // namespace orbweaver::sca
