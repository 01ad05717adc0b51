/// Applications: those of lost nodes, which are created again.
#include <exception>
#include <utility>

#include "base/printable.h"
#include "sca/cf/call_error.h"
#include "sca/cf222/applications.h"
#include "sca/cf222/exclusive_application.h"
#include "sca/cf222/given_arguments.h"
#include "sca/cf222/redeployment_pause.h"
#include "sca/cf222/unix_time.h"
#include "sca/profile/new_id.h"

namespace orbweaver::sca {
namespace {

/// Time until an application is tried again of which another operation is in progress.
constexpr std::chrono::milliseconds kBusyPause{50};

/// One whose creation or release is incomplete is to be released.
bool awaits_redeployment(const Application& record) {
  return record.state == ApplicationState::failed && record.redeployment.lost &&
         record.redeployment.enabled && !is_incompletely_released(record);
}

/// Whether it awaits its redeployment, or does so when an attempt in progress has failed, which may have
/// begun before there was space.
bool may_await_redeployment(Application record) {
  if (record.state == ApplicationState::deploying) record.state = ApplicationState::failed;
  return awaits_redeployment(record);
}

/// Without all that a deployment has made.
Application failed_record(const Application& of, const std::string& id) {
  Application record;
  record.id = id;
  record.name = of.name;
  record.installed = of.installed;
  record.profile = of.profile;
  record.state = ApplicationState::failed;
  record.redeployment = of.redeployment;
  record.failure = of.redeployment.reason;
  if (of.redeployment.enabled) record.failure += "; it is being created again";
  return record;
}

bool has_parts(const Application& record) {
  return !record.components.empty() || !record.loads.empty() || !record.allocations.empty();
}

}  // namespace

void Applications::set_redeploy(const std::string& id, bool redeploy) {
  bool exists = false, awaits = false, is_possible = true;
  const auto stored = update(id, [&](Application& application) {
    exists = true;
    is_possible = !redeploy || application.redeployment.has_arguments;
    if (!is_possible) return false;
    if (application.redeployment.enabled == redeploy) return false;
    application.redeployment.enabled = redeploy;
    application.redeployment.losses = application.redeployment.pause_until_s = 0;
    awaits = may_await_redeployment(application);
    return true;
  });
  if (!exists) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  if (!is_possible)
    throw CORBA::IMP_LIMIT(0, CORBA::CompletionStatus::COMPLETED_NO,
                           std::string("the application cannot be created again: ") + kTooLarge);
  if (!stored)
    throw CORBA::PERSIST_STORE(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "the state of the domain cannot be stored: " + stored.error().message);
  if (awaits) redeployments_.add(id);
}

void Applications::devices_registered(const std::vector<std::string>& devices) {
  orphans_.devices_registered(devices);
  redeploy_lost();
}

void Applications::redeploy_lost() {
  for (const Application& each : parts_.model.applications())
    if (may_await_redeployment(each)) redeployments_.add(each.id);
}

Redeployments::Outcome Applications::redeploy(const std::string& id) noexcept {
  try {
    const Exclusive exclusive(*this, id);
    if (!exclusive) return {kBusyPause, {}};
    if (const auto pause = remove_again(id)) return {*pause, {}};
    const auto record = parts_.model.application(id);
    if (!record || !awaits_redeployment(*record)) return {};
    if (const std::int64_t left = left_pause_s(record->redeployment, unix_time_s()); left > 0)
      return {std::chrono::seconds(left), {}};
    return {{}, has_parts(*record) ? release_and_create_again(*record) : create_again(*record)};
  } catch (const std::exception& e) {
    parts_.log.problem("application '" + id + "' cannot be created again: " + printable(e.what()));
    const std::lock_guard lock(mutex_);
    if (unremoved_.contains(id)) return {std::chrono::seconds(30), {}};  // its removal is tried again
  }
  return {};
}

std::string Applications::release_and_create_again(Application record) {
  std::set<std::string> kept = orphans_.lost_devices(record);
  const std::vector<std::string> left = functions_.undeploy(record, domain_);
  for (const std::string& each : left)
    parts_.log.problem("application '" + record.name + "': " + kIncomplete + each);
  if (!left.empty()) {
    kept.merge(Orphans::devices_of(record));
    // What was left has kept its names; the next application has the same ones.
    domain_.remove_naming_context(record.name);
  }
  const std::string id = new_id();
  const Exclusive exclusive(*this, id);  // from before clients can find it
  const auto next = replace_by_failed(record, kept, id);
  return next && next->redeployment.enabled ? create_again(*next) : std::string();
}

std::optional<Application> Applications::replace_by_failed(const Application& record,
                                                           const std::set<std::string>& kept,
                                                           const std::string& id) {
  Application next;
  Result<void> replaced;
  objects_.add_application(id);  // before clients can find it
  {
    const std::lock_guard lock(updating_);
    const auto present = parts_.model.application(record.id);
    next = failed_record(present ? *present : record, id);
    replaced = orphans_.remove_application(record, kept, &next);
  }
  if (!replaced) {
    objects_.remove_application(id);
    parts_.log.problem("application '" + record.name +
                       "' cannot be created again: " + replaced.error().message);
    return std::nullopt;
  }
  objects_.remove_application(record.id);
  deployed_.remove(record.id);
  parts_.channels.removed(Category::APPLICATION, record.id, record.name, record.id);
  return next;
}

std::string Applications::create_again(const Application& record) {
  const Redeployment& redeployment = record.redeployment;
  try {
    Application deploying;
    const auto stored = update(record.id, [&](Application& application) {
      application.state = ApplicationState::deploying;
      application.redeployment.again_s = unix_time_s();
      deploying = application;
      return true;
    });
    if (!stored) throw CORBA::PERSIST_STORE(0, CORBA::CompletionStatus::COMPLETED_NO, stored.error().message);
    if (deploying.id.empty()) return {};  // it has been released
    deploy({record.installed, record.name, record.profile}, deploying, configuration_of(redeployment),
           assignments_of(redeployment), placement_of(redeployment));
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    store_failed_redeployment(record.id, printable_lines(reason_of_failed_call()));
    return e.errorNumber() == CF::ErrorNumberType::CF_ENOSPC ? record.id : std::string();
  } catch (const std::exception&) {
    store_failed_redeployment(record.id, printable_lines(reason_of_failed_call()));
    return {};
  }
  parts_.log.event("application '" + record.name + "' is created again: " + redeployment.reason);
  parts_.channels.added(Category::APPLICATION, record.id, record.name, objects_.add_application(record.id),
                        record.installed);
  if (redeployment.start) start_again(record);
  // If it has failed again meanwhile, it is in the queue.
  const auto stored = update(record.id, [](Application& application) {
    if (application.state == ApplicationState::failed) return false;
    application.redeployment.lost = false;
    application.redeployment.again_s = unix_time_s();
    return true;
  });
  if (!stored) parts_.log.problem("application '" + record.name + "': " + stored.error().message);
  // What was lost before the record was stored is found now.
  if (const auto now = parts_.model.application(record.id)) fail_if_lost(*now);
  return {};
}

void Applications::start_again(const Application& record) {
  try {
    start_exclusively(record.id);
  } catch (const std::exception&) {
    parts_.log.problem("application '" + record.name + "' has been created again and cannot be started: " +
                       printable_lines(reason_of_failed_call()));
  }
}

void Applications::store_failed_redeployment(const std::string& id, const std::string& reason) {
  std::string name;
  const auto stored = update(id, [&](Application& application) {
    name = application.name;
    const bool has_lost_a_node = !orphans_.lost_devices(application).empty();
    // Otherwise it is released by the next attempt, or by a client.
    if (Orphans::devices_of(application).empty()) application = failed_record(application, id);
    application.state = ApplicationState::failed;
    application.failure = application.redeployment.reason + "; it cannot be created again: " + reason;
    if (has_lost_a_node) count_lost_node(application);
    return true;
  });
  if (name.empty()) return;
  parts_.log.problem("application '" + name + "' cannot be created again: " + reason);
  if (!stored) parts_.log.problem("application '" + name + "': " + stored.error().message);
}

}  // namespace orbweaver::sca
