#include "sca/cf222/applications.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/printable.h"
#include "sca/cf/call_error.h"
#include "sca/cf222/concurrently.h"
#include "sca/cf222/remote_calls.h"
#include "sca/files/file_error.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {
namespace {

using CF::ApplicationFactory;
using CF::DomainManager;
using CF::ErrorNumberType;

/// Time limit of the question whether a component exists.
constexpr std::chrono::seconds kExistenceLimit{1};
/// Limit of an application's name, which is part of names in the naming service and of exec params.
constexpr std::size_t kMaxNameBytes = 255;
/// Limit of the properties, and of the device assignments, that a caller of create gives.
constexpr std::size_t kMaxGiven = 10'000;
/// Precedes the failure of an application that a release could not remove completely.
constexpr const char* kIncomplete = "its release is incomplete: ";

/// An id as in SCA 2.2.2: "DCE:" and a random UUID.
std::string new_id() {
  std::random_device random;
  std::string id = "DCE:";
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) id += '-';
    id += i == 12 ? '4' : "0123456789abcdef"[random() & 15];
  }
  return id;
}

[[noreturn]] void raise_create(ErrorNumberType number, const std::string& message) {
  throw ApplicationFactory::CreateApplicationError(number, message);
}

bool runs(const Application& record) {
  return record.state == ApplicationState::stopped || record.state == ApplicationState::started;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace

/// Excludes other functions of an application.
class Applications::Exclusive {
 public:
  Exclusive(Applications& applications, const std::string& id) : applications_(applications), id_(id) {
    const std::lock_guard lock(applications_.mutex_);
    owns_ = applications_.busy_.insert(id_).second;
  }
  ~Exclusive() {
    const std::lock_guard lock(applications_.mutex_);
    if (owns_) applications_.busy_.erase(id_);
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  /// False if another function is in progress.
  explicit operator bool() const { return owns_; }
  static constexpr const char* kBusy = "another operation of the application is in progress";

 private:
  Applications& applications_;
  const std::string id_;
  bool owns_ = false;
};

Applications::Applications(const DomainParts& parts, DeploymentDomain& domain, ApplicationObjects& objects,
                           DeploymentFunctions functions, std::string root)
    : parts_(parts), domain_(domain), objects_(objects), functions_(std::move(functions)),
      root_(std::move(root)), files_(root_),
      deployed_([this](const std::string& profile) { return files_.read(domain_.files(), profile); }),
      orphans_(parts, [this](Application& record) { return functions_.undeploy(record, domain_); }) {}

void Applications::activate() {
  orphans_.forget_old();
  for (const InstalledApplication& installed : parts_.model.installed_applications())
    objects_.add_factory(installed.id);
  for (const Application& application : parts_.model.applications())
    if (application.state != ApplicationState::deploying) objects_.add_application(application.id);
}

void Applications::end() {
  if (recovery_.joinable()) recovery_.join();
  orphans_.end();
}

// ---- installation ----

InstalledApplication Applications::install(const std::string& file) {
  const FileName name = parse_file_name(file, FileNameRules::ascii);
  if (name.error != 0) throw_invalid_name(name.error, file + ": " + name.message);
  bool lacks_definition = false;
  auto assembly = files_.read(domain_.files(), "/" + name.path, &lacks_definition);
  if (!assembly && assembly.error().kind == ErrorKind::unavailable)
    throw CF::InvalidFileName(ErrorNumberType::CF_ENOENT,
                              file + ": there is no such file in the folder of --root (" + root_ +
                                  ") or in the file system of a node (" + assembly.error().message + ")");
  if (!assembly && lacks_definition) {  // InvalidProfile has no message
    parts_.log.problem("installApplication::invalid Profile is " + file + ": " + assembly.error().message);
    throw CF::InvalidProfile();
  }
  if (!assembly)
    throw DomainManager::ApplicationInstallationError(ErrorNumberType::CF_EINVAL, assembly.error().message);
  const InstalledApplication record{assembly->id, assembly->name, "/" + name.path};
  if (parts_.model.installed_application(record.id)) throw DomainManager::ApplicationAlreadyInstalled();
  if (auto stored = parts_.model.put(record); !stored)
    throw DomainManager::ApplicationInstallationError(error_number_of(stored.error()),
                                                      stored.error().message);
  {
    const std::lock_guard lock(mutex_);
    assemblies_[record.id] = std::make_shared<const Assembly>(std::move(*assembly));
  }
  const auto factory = objects_.add_factory(record.id);
  parts_.log.event("application '" + record.name + "' (" + record.profile + ") is installed");
  parts_.channels.added(Category::APPLICATION_FACTORY, record.id, record.name, factory);
  return record;
}

void Applications::uninstall(const std::string& id) {
  const auto record = parts_.model.installed_application(id);
  if (!record) throw DomainManager::InvalidIdentifier();
  if (auto removed = parts_.model.remove_installed_application(id); !removed) {
    if (!parts_.model.installed_application(id)) throw DomainManager::InvalidIdentifier();
    throw DomainManager::ApplicationUninstallationError(error_number_of(removed.error()),
                                                        removed.error().message);
  }
  objects_.remove_factory(id);
  {
    const std::lock_guard lock(mutex_);
    assemblies_.erase(id);
  }
  parts_.log.event("application '" + record->name + "' (" + record->profile + ") is uninstalled");
  parts_.channels.removed(Category::APPLICATION_FACTORY, id, record->name);
}

Result<std::shared_ptr<const Assembly>> Applications::assembly(const InstalledApplication& installed) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = assemblies_.find(installed.id); found != assemblies_.end()) return found->second;
  }
  auto loaded = files_.read(domain_.files(), installed.profile);
  if (!loaded) return loaded.take_error();
  const auto shared = std::make_shared<const Assembly>(std::move(*loaded));
  const std::lock_guard lock(mutex_);
  assemblies_[installed.id] = shared;
  return shared;
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
  const Exclusive exclusive(*this, record.id);
  if (auto stored = parts_.model.put(record); !stored) {
    raise_create(
        stored.error().kind == ErrorKind::invalid ? ErrorNumberType::CF_EEXIST : ErrorNumberType::CF_EIO,
        stored.error().message);
  }
  try {
    record = deploy(*kind, record, configuration, assignments, placement);
  } catch (...) {
    if (!keep_incomplete(record.id)) {
      deployed_.remove(record.id);
      const auto left = parts_.model.application(record.id);
      if (auto removed = orphans_.remove_application(left ? *left : record, {}); !removed)
        parts_.log.problem("application '" + name +
                           "' cannot be removed from the state: " + removed.error().message);
    }
    throw;
  }
  const auto reference = objects_.add_application(record.id);
  parts_.log.event("application '" + name + "' (" + kind->profile + ") is created");
  parts_.channels.added(Category::APPLICATION, record.id, name, reference, installed);
  // What is lost from here on finds the record; what was lost before is found now.
  fail_if_lost(record);
  return reference;
}

bool Applications::keep_incomplete(const std::string& id) {
  auto record = parts_.model.application(id);
  const auto is_there = [&](const std::string& device) { return parts_.model.device(device).has_value(); };
  const auto is_left = [&](const auto& each) { return each.unconfirmed == 0 && is_there(each.device); };
  if (!record || (std::none_of(record->components.begin(), record->components.end(),
                               [&](auto& each) { return each.process >= 0 && is_there(each.device); }) &&
                  std::none_of(record->loads.begin(), record->loads.end(), is_left) &&
                  std::none_of(record->allocations.begin(), record->allocations.end(), is_left)))
    return false;
  record->state = ApplicationState::failed;
  record->failure = kIncomplete + std::string("its creation has failed, and could not be undone completely");
  if (auto kept = parts_.model.put(*record); !kept) return false;
  objects_.add_application(id);
  parts_.log.problem("application '" + record->name + "' has failed: " + record->failure + "; release it");
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
  if (const std::string lost = lost_meanwhile(record); !lost.empty()) {
    functions_.undeploy(record, domain_);
    raise_create(ErrorNumberType::CF_EIO, lost);
  }
  return record;
}

void Applications::store(const Application& record) {
  Application complete = record;
  if (const auto before = parts_.model.application(record.id)) complete.profile = before->profile;
  const bool is_orphan = record.state == ApplicationState::orphaned;
  if (auto stored = is_orphan ? parts_.model.put_orphan(record) : parts_.model.put(complete); !stored) {
    throw CORBA::PERSIST_STORE(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "the state of the domain cannot be stored: " + stored.error().message);
  }
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

// ---- the operations of an application ----

void Applications::start(const std::string& id) {
  using CF::Resource;
  const Exclusive exclusive(*this, id);
  if (!exclusive) throw Resource::StartError(ErrorNumberType::CF_EBUSY, Exclusive::kBusy);
  const auto record = parts_.model.application(id);
  if (!record) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  if (!runs(*record))
    throw Resource::StartError(ErrorNumberType::CF_EIO, "the application has failed: " + record->failure);
  functions_.start(*record, domain_);
  const auto stored = update(id, [](Application& application) {
    if (application.state != ApplicationState::stopped) return false;
    application.state = ApplicationState::started;
    return true;
  });
  if (!stored) throw Resource::StartError(error_number_of(stored.error()), stored.error().message);
}

void Applications::stop(const std::string& id) {
  using CF::Resource;
  const Exclusive exclusive(*this, id);
  if (!exclusive) throw Resource::StopError(ErrorNumberType::CF_EBUSY, Exclusive::kBusy);
  const auto record = parts_.model.application(id);
  if (!record) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  functions_.stop(*record, domain_);
  const auto stored = update(id, [](Application& application) {
    if (application.state != ApplicationState::started) return false;
    application.state = ApplicationState::stopped;
    return true;
  });
  if (!stored) throw Resource::StopError(error_number_of(stored.error()), stored.error().message);
}

void Applications::release(const std::string& id) {
  using CF::LifeCycle;
  const Exclusive exclusive(*this, id);
  if (!exclusive) throw LifeCycle::ReleaseError({Exclusive::kBusy});
  bool is_repeated = false;
  std::optional<Application> record;
  const auto stored = update(id, [&](Application& application) {
    is_repeated = application.failure.starts_with(kIncomplete);
    application.state = ApplicationState::releasing;
    record = application;
    return true;
  });
  if (!record) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  if (!stored) throw LifeCycle::ReleaseError({stored.error().message});
  std::set<std::string> kept = orphans_.lost_devices(*record);
  const std::vector<std::string> left = functions_.undeploy(*record, domain_);
  if (!left.empty()) {
    parts_.log.problem("application '" + record->name + "': " + kIncomplete + joined(left));
    if (!is_repeated) {  // The next release tries it again.
      record->state = ApplicationState::failed;
      record->failure = kIncomplete + joined(left);
      if (auto again = parts_.model.put(*record); !again) parts_.log.problem(again.error().message);
      throw LifeCycle::ReleaseError(left);
    }
    kept.merge(Orphans::devices_of(*record));
  }
  if (auto removed = orphans_.remove_application(*record, kept); !removed)
    throw LifeCycle::ReleaseError({removed.error().message});
  objects_.remove_application(id);
  deployed_.remove(id);
  parts_.log.event("application '" + record->name + "' is released");
  parts_.channels.removed(Category::APPLICATION, id, record->name, id);
  if (!left.empty()) throw LifeCycle::ReleaseError(left);
}

// ---- losses ----

Result<void> Applications::update(const std::string& id, const std::function<bool(Application&)>& change) {
  const std::lock_guard lock(updating_);
  auto record = parts_.model.application(id);
  if (!record || !change(*record)) return {};
  return parts_.model.put(*record);
}

void Applications::fail(const std::string& id, const std::string& reason) {
  bool has_failed = false;
  std::string name;
  const auto stored = update(id, [&](Application& application) {
    if (!runs(application)) return false;
    has_failed = true;
    name = application.name;
    application.state = ApplicationState::failed;
    application.failure = reason;
    return true;
  });
  if (has_failed) parts_.log.problem("application '" + name + "' has failed: " + reason);
  if (!stored) parts_.log.problem("application '" + name + "': " + stored.error().message);
}

void Applications::devices_lost(const std::vector<std::string>& devices, const std::string& reason) {
  const std::set<std::string> lost(devices.begin(), devices.end());
  for (const std::string& device : devices) ends_.remove(device);
  for (const Application& application : parts_.model.applications()) {
    if (!runs(application)) {
      // Its creation or release does not wait for these processes any more.
      for (const DeployedComponent& each : application.components)
        if (lost.contains(each.device) && each.process >= 0)
          ends_.add(each.device, each.process, "was lost with its device: " + reason);
      continue;
    }
    bool is_lost = false;
    for (const DeployedComponent& component : application.components) {
      if (!lost.contains(component.device)) continue;
      is_lost = true;
      parts_.channels.terminated(component.device, component.id, application.id);
    }
    if (is_lost) fail(application.id, reason);
  }
}

void Applications::process_ended(const std::string& device, std::int64_t process,
                                 const std::string& description) {
  ends_.add(device, process, description.empty() ? "ended" : description);
  for (const Application& application : parts_.model.applications()) {
    if (!runs(application)) continue;
    for (const DeployedComponent& component : application.components) {
      if (component.device != device || component.process != process) continue;
      parts_.channels.terminated(device, component.id, application.id);
      fail(application.id, "component '" + component.id + "' has ended: " + description);
    }
  }
}

std::string Applications::lost_meanwhile(const Application& record) {
  for (const DeployedComponent& component : record.components) {
    if (!component.device.empty() && !parts_.model.device(component.device))
      return "device '" + component.device + "' of component '" + component.id + "' is lost";
    if (component.process < 0) continue;
    const std::string end = ends_.find(component.device, component.process);
    if (!end.empty()) return "component '" + component.id + "' has ended: " + end;
  }
  return {};
}

void Applications::fail_if_lost(const Application& record) {
  if (const std::string lost = lost_meanwhile(record); !lost.empty()) fail(record.id, lost);
}

// ---- after a restart ----

void Applications::recover() {
  const std::vector<Application> applications = parts_.model.applications();
  struct Question {
    const Application* application;
    const DeployedComponent* component;
  };
  std::vector<Question> questions;
  std::vector<Application> interrupted;
  for (const Application& application : applications) {
    if (!runs(application) && application.state != ApplicationState::failed)
      interrupted.push_back(application);
    if (!runs(application)) continue;
    for (const DeployedComponent& component : application.components)
      if (!component.reference.empty()) questions.push_back({&application, &component});
  }
  concurrently(questions.size(), [&](std::size_t i) {
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
         "component '" + component.id + "' was lost while the domain manager did not run: it " + reason);
  });
  if (!interrupted.empty())
    recovery_ = std::jthread([this, interrupted] { finish_interrupted(interrupted); });
}

void Applications::finish_interrupted(const std::vector<Application>& interrupted) {
  concurrently(interrupted.size(), [&](std::size_t i) {
    try {
      const bool is_release = interrupted[i].state == ApplicationState::releasing;
      const std::string what = is_release ? "the release" : "the creation";
      const std::vector<std::string> left = undo(interrupted[i]);
      parts_.log.event(what + " of application '" + interrupted[i].name + "' was interrupted: it is removed");
      if (!left.empty())
        parts_.log.problem("application '" + interrupted[i].name + "': " + kIncomplete + joined(left));
    } catch (const std::exception& e) {
      parts_.log.problem("application '" + interrupted[i].name + "': " + e.what());
    }
  });
}

std::vector<std::string> Applications::undo(Application record) {
  const Exclusive exclusive(*this, record.id);
  if (!exclusive) return {};
  std::set<std::string> kept = orphans_.lost_devices(record);
  std::vector<std::string> left = functions_.undeploy(record, domain_);
  if (!left.empty()) kept.merge(Orphans::devices_of(record));
  if (auto removed = orphans_.remove_application(record, kept); !removed)
    left.push_back(removed.error().message);
  deployed_.remove(record.id);
  if (record.state == ApplicationState::releasing) {
    objects_.remove_application(record.id);
    parts_.channels.removed(Category::APPLICATION, record.id, record.name, record.id);
  }
  return left;
}

}  // namespace orbweaver::sca
