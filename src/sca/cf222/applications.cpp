#include "sca/cf222/applications.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "sca/cf/call_error.h"
#include "sca/cf222/exclusive_application.h"
#include "sca/cf222/given_arguments.h"
#include "sca/cf222/given_limit.h"
#include "sca/deployment/deployment_context.h"
#include "sca/profile/assembly.h"
#include "sca/profile/new_id.h"

namespace orbweaver::sca {
namespace {

using CF::ApplicationFactory;
using CF::ErrorNumberType;

/// Limit of an application's name, which is part of names in the naming service and of exec params.
constexpr std::size_t kMaxNameBytes = 255;

[[noreturn]] void raise_create(ErrorNumberType number, const std::string& message) {
  throw ApplicationFactory::CreateApplicationError(number, message);
}

}  // namespace

Applications::Applications(const DomainParts& parts, DeploymentDomain& domain, ApplicationObjects& objects,
                           DeploymentFunctions functions, std::string root, bool redeploy)
    : parts_(parts), domain_(domain), objects_(objects), functions_(std::move(functions)),
      root_(std::move(root)), redeploy_(redeploy), files_(root_),
      deployed_([this](const std::string& profile) { return files_.read(domain_.files(), profile); },
                [this](const std::string& id) { return parts_.model.application(id).has_value(); }),
      orphans_(parts, [this](Application& record) { return functions_.undeploy(record, domain_); }),
      redeployments_(parts.log, [this](const std::string& id) { return this->redeploy(id); }) {}

void Applications::activate() {
  orphans_.forget_old();
  for (const InstalledApplication& installed : parts_.model.installed_applications())
    objects_.add_factory(installed.id);
  for (const Application& application : parts_.model.applications())
    if (application.state != ApplicationState::deploying) objects_.add_application(application.id);
}

void Applications::end() {
  if (recovery_.joinable()) recovery_.join();
  redeployments_.end();
  orphans_.end();
}

// ---- creation ----

IDL::traits<CF::Application>::ref_type Applications::create(const std::string& installed,
                                                            const std::string& name,
                                                            const CF::Properties& configuration,
                                                            const CF::DeviceAssignmentSequence& assignments,
                                                            const CallerPlacement& placement) {
  try {
    return create_unlogged(installed, name, configuration, assignments, placement);
  } catch (const CORBA::Exception&) {
    parts_.log.problem("application '" + printable(name, 100) +
                       "' cannot be created: " + printable_lines(reason_of_failed_call()));
    throw;
  }
}

IDL::traits<CF::Application>::ref_type Applications::create_unlogged(
    const std::string& installed, const std::string& name, const CF::Properties& configuration,
    const CF::DeviceAssignmentSequence& assignments, const CallerPlacement& placement) {
  const auto kind = parts_.model.installed_application(installed);
  if (!kind)
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO,
                                  "there is no installed application '" + printable(installed, 100) + "'");
  if (name.empty()) raise_create(ErrorNumberType::CF_EINVAL, "the name of the application is empty");
  if (name.size() > kMaxNameBytes || printable(name) != name)
    raise_create(ErrorNumberType::CF_EINVAL, "the name of the application, '" + printable(name, 100) +
                                                 "', has more than " + std::to_string(kMaxNameBytes) +
                                                 " octets or is no printable text: give it another one");
  if (const std::size_t given = std::max(configuration.size(), assignments.size()); given > kMaxGiven)
    raise_create(ErrorNumberType::CF_EINVAL,
                 std::to_string(given) + " properties or device assignments are given; the limit is " +
                     std::to_string(kMaxGiven));
  Application record;
  record.id = new_id();
  record.name = name;
  record.installed = installed;
  record.profile = kind->profile;
  record.redeployment = redeployment_of(configuration, assignments, placement);
  record.redeployment.enabled = redeploy_ && record.redeployment.has_arguments;
  const Exclusive exclusive(*this, record.id);
  // Nothing has been done yet that would have to be undone after the end of the machine.
  if (auto stored = parts_.model.put(record, Durability::process); !stored) {
    raise_create(
        stored.error().kind == ErrorKind::invalid ? ErrorNumberType::CF_EEXIST : ErrorNumberType::CF_EIO,
        stored.error().message);
  }
  try {
    record = deploy(*kind, record, configuration, assignments, placement);
  } catch (...) {
    if (auto ended = end_failed_creation(record); !ended) remove_later(record, ended.error().message);
    throw;
  }
  const auto reference = objects_.add_application(record.id);
  parts_.log.event("application '" + name + "' (" + kind->profile + ") is created");
  if (redeploy_ && !record.redeployment.has_arguments)
    parts_.log.problem("application '" + name + "' is not created again if its node is lost: " + kTooLarge);
  parts_.channels.added(Category::APPLICATION, record.id, name, reference, installed);
  // What is lost from here on finds the record; what was lost before is found now.
  fail_if_lost(record);
  return reference;
}

Result<void> Applications::end_failed_creation(const Application& record) {
  try {
    const auto kept = keep_incomplete(record.id);
    if (!kept) return kept.error();
    if (*kept) return {};
    deployed_.remove(record.id);
    const auto left = parts_.model.application(record.id);
    if (left && !Orphans::devices_of(*left).empty()) domain_.remove_naming_context(record.name);
    auto removed = orphans_.remove_application(left ? *left : record, {});
    if (removed) objects_.remove_application(record.id);
    return removed;
  } catch (const std::exception&) {
    return Error{ErrorKind::unavailable, printable_reason()};
  }
}

Result<bool> Applications::keep_incomplete(const std::string& id) {
  const auto is_there = [&](const std::string& device) { return parts_.model.device(device).has_value(); };
  const auto is_left = [&](const auto& each) { return each.unconfirmed == 0 && is_there(each.device); };
  std::string name, failure;
  const auto kept = update(id, [&](Application& record) {
    if (std::none_of(record.components.begin(), record.components.end(),
                     [&](auto& each) { return each.process >= 0 && is_there(each.device); }) &&
        std::none_of(record.loads.begin(), record.loads.end(), is_left) &&
        std::none_of(record.allocations.begin(), record.allocations.end(), is_left))
      return false;
    record.state = ApplicationState::failed;
    record.redeployment.lost = false;
    record.failure = kIncomplete + std::string("its creation has failed, and could not be undone completely");
    name = record.name;
    failure = record.failure;
    objects_.add_application(id);
    return true;
  });
  if (!kept) return kept.error();
  if (name.empty()) return false;
  parts_.log.problem("application '" + name + "' has failed: " + failure + "; release it");
  return true;
}

Application Applications::deploy(const InstalledApplication& installed, Application record,
                                 const CF::Properties& configuration,
                                 const CF::DeviceAssignmentSequence& assignments,
                                 const CallerPlacement& placement) {
  try {
    auto assembly = this->assembly(installed);
    if (!assembly) raise_create(ErrorNumberType::CF_EINVAL, assembly.error().message);
    if (!placement.empty()) {
      Assembly changed = **assembly;
      apply(placement, changed);
      assembly = std::make_shared<const Assembly>(std::move(changed));
    }
    deployed_.add(record.id, *assembly);
    record = functions_.deploy(
        {**assembly, record.id, record.name, installed.id, configuration, assignments, {}}, domain_);
  } catch (const CORBA::SystemException& e) {
    raise_create(ErrorNumberType::CF_EIO, e.what());
  }
  if (const Loss lost = lost_meanwhile(record); !lost.reason.empty()) {
    record.state = ApplicationState::deploying;  // a domain manager after this one undoes the rest
    functions_.undeploy(record, domain_);
    raise_create(ErrorNumberType::CF_EIO, lost.reason);
  }
  return record;
}

void Applications::store(const Application& record, Durability durability) {
  const bool is_orphan = record.state == ApplicationState::orphaned;
  if (auto stored = is_orphan ? parts_.model.put_orphan(record) : put_deployed(record, durability); !stored) {
    throw CORBA::PERSIST_STORE(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "the state of the domain cannot be stored: " + stored.error().message);
  }
}

Result<void> Applications::put_deployed(Application record, Durability durability) {
  const std::lock_guard lock(updating_);
  const auto present = parts_.model.application(record.id);
  if (!present) return Error{ErrorKind::invalid, "application '" + record.name + "' does not exist any more"};
  record.profile = present->profile;
  record.redeployment = present->redeployment;
  if (record.state == ApplicationState::deploying)
    record.failure = present->failure;
  else if (present->state == ApplicationState::deploying)
    objects_.add_application(record.id);  // before clients can find it
  return parts_.model.put(record, durability);
}

std::size_t Applications::loads_of_others(const std::string& device, const std::string& file,
                                          const std::string& application) const {
  std::size_t count = 0;
  const auto add = [&](const std::vector<Application>& records) {
    for (const Application& each : records) {
      if (each.id == application) continue;
      count += static_cast<std::size_t>(std::count_if(each.loads.begin(), each.loads.end(), [&](auto& load) {
        return load.device == device && load.file == file;
      }));
    }
  };
  add(parts_.model.applications());
  add(parts_.model.orphans());
  return count;
}

bool Applications::others_have_connection(const DeployedConnection& connection,
                                          const std::string& application) const {
  const auto has = [&](const std::vector<Application>& records) {
    return std::any_of(records.begin(), records.end(), [&](const Application& each) {
      return each.id != application &&
             std::any_of(each.connections.begin(), each.connections.end(), [&](const auto& other) {
               return other.id == connection.id && other.uses == connection.uses &&
                      other.uses_port == connection.uses_port;
             });
    });
  };
  return has(parts_.model.applications()) || has(parts_.model.orphans());
}

OtherExecutions Applications::executions_of_others(const std::string& device, const std::string& component,
                                                   const std::string& application) const {
  OtherExecutions others;
  const auto add = [&](const std::vector<Application>& records) {
    for (const Application& record : records) {
      if (record.id == application) continue;
      for (const DeployedComponent& each : record.components) {
        if (each.device != device || each.id != component) continue;
        if (each.process >= 0) others.processes.insert(each.process);
        if (each.unconfirmed > 0 && record.state == ApplicationState::deploying) others.in_progress = true;
      }
    }
  };
  add(parts_.model.applications());
  add(parts_.model.orphans());
  return others;
}

// ---- the operations of an application ----

Result<void> Applications::update(const std::string& id, const std::function<bool(Application&)>& change) {
  const std::lock_guard lock(updating_);
  auto record = parts_.model.application(id);
  if (!record || !change(*record)) return {};
  return parts_.model.put(*record);
}

void Applications::start(const std::string& id) {
  using CF::Resource;
  const Exclusive exclusive(*this, id);
  if (!exclusive) throw Resource::StartError(ErrorNumberType::CF_EBUSY, Exclusive::kBusy);
  start_exclusively(id);
}

void Applications::start_exclusively(const std::string& id) {
  using CF::Resource;
  const auto record = parts_.model.application(id);
  if (!record) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  if (!runs(*record))
    throw Resource::StartError(ErrorNumberType::CF_EIO, "the application has failed: " + record->failure);
  functions_.start(*record, domain_);
  bool is_changed = false;
  const auto stored = update(id, [&](Application& application) {
    is_changed = application.state == ApplicationState::stopped;
    if (is_changed) application.state = ApplicationState::started;
    return is_changed;
  });
  if (!stored) throw Resource::StartError(error_number_of(stored.error()), stored.error().message);
  if (is_changed) parts_.log.event("application '" + record->name + "' is started");
}

void Applications::stop(const std::string& id) {
  using CF::Resource;
  const Exclusive exclusive(*this, id);
  if (!exclusive) throw Resource::StopError(ErrorNumberType::CF_EBUSY, Exclusive::kBusy);
  const auto record = parts_.model.application(id);
  if (!record) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  functions_.stop(*record, domain_);
  bool is_changed = false;
  const auto stored = update(id, [&](Application& application) {
    is_changed = application.state == ApplicationState::started;
    if (is_changed) application.state = ApplicationState::stopped;
    return is_changed;
  });
  if (!stored) throw Resource::StopError(error_number_of(stored.error()), stored.error().message);
  if (is_changed) parts_.log.event("application '" + record->name + "' is stopped");
}

void Applications::release(const std::string& id) {
  using CF::LifeCycle;
  const Exclusive exclusive(*this, id);
  if (!exclusive) throw LifeCycle::ReleaseError({Exclusive::kBusy});
  bool is_repeated = false;
  std::optional<Application> record;
  const auto stored = update(id, [&](Application& application) {
    is_repeated = is_incompletely_released(application);
    application.state = ApplicationState::releasing;
    application.redeployment.lost = false;  // if this fails, it is to be released, and not created again
    record = application;
    return true;
  });
  if (!record) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  if (!stored) throw LifeCycle::ReleaseError({stored.error().message});
  std::set<std::string> kept = orphans_.lost_devices(*record);
  const std::vector<std::string> left = functions_.undeploy(*record, domain_);
  if (!left.empty()) {
    parts_.log.problem("application '" + record->name + "': " + kIncomplete + joined_lines(left));
    if (!is_repeated) {  // The next release tries it again.
      record->state = ApplicationState::failed;
      record->failure = kIncomplete + joined_lines(left);
      if (auto again = put_deployed(*record); !again) parts_.log.problem(again.error().message);
      throw LifeCycle::ReleaseError(left);
    }
    kept.merge(Orphans::devices_of(*record));
    // What was left has kept its names for the next release; there is none.
    domain_.remove_naming_context(record->name);
  }
  if (auto removed = orphans_.remove_application(*record, kept); !removed)
    throw LifeCycle::ReleaseError({removed.error().message});
  objects_.remove_application(id);
  deployed_.remove(id);
  parts_.log.event("application '" + record->name + "' is released");
  parts_.channels.removed(Category::APPLICATION, id, record->name, id);
  redeploy_lost();  // there is more space now
  if (!left.empty()) throw LifeCycle::ReleaseError(left);
}

}  // namespace orbweaver::sca
