#include "sca/cf222/domain.h"

#include <stdexcept>
#include <utility>

#include "DomainC.h"
#include "StandardEventC.h"
#include "base/printable.h"
#include "sca/cf/call_error.h"
#include "sca/cf222/application_factory_servant.h"
#include "sca/cf222/application_servant.h"
#include "sca/cf222/domain_manager_servant.h"
#include "sca/cf222/remote_calls.h"
#include "sca/cf222/service_search.h"
#include "sca/files/file_system.h"
#include "services/naming/name_text.h"

namespace orbweaver::sca {
namespace {

constexpr const char* kLogName = "Log";
/// The domain manager in the context of the domain as SCA 2.2.2 names it. Clients written for REDHAWK look
/// for the name of the domain there.
constexpr const char* kDomainManagerName = "DomainManager";
constexpr const char* kDomainManagerType = "IDL:CF/DomainManager:1.0";
/// Time limit of the question whether another domain manager runs.
constexpr std::chrono::seconds kManagerExistenceLimit{1};

IDL::traits<PortableServer::POA>::ref_type poa(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                               const char* name) {
  return IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references(name));
}

FileManagerOptions file_manager_options(const std::string& domain) {
  FileManagerOptions options;
  options.names = FileNameRules::ascii;
  options.reserved = domain;  // for the file systems of nodes
  return options;
}

}  // namespace

Domain::Domain(const OrbRef& orb, const DomainNames::ContextRef& naming, DomainModel& model,
               DomainOptions options, DomainProperties properties)
    : DeploymentDomain(options.registration_events), options_(std::move(options)),
      objects_(poa(orb, "CorbalocPOA")), properties_(std::move(properties)),
      names_(naming, options_.name, options_.hosted_names), channels_(poa(orb, "RootPOA"), identifier()),
      log_(poa(orb, "RootPOA"), identifier()), parts_{options_.name, orb, model, names_, channels_, log_},
      files_(CORBA::make_reference<MountedFileManager>(file_manager_options(options_.name))),
      node_connections_(parts_, *this),
      nodes_(
          parts_, *files_, node_connections_,
          [this](const std::vector<std::string>& devices) { applications_.devices_registered(devices); },
          [this](const std::vector<std::string>& devices, const std::string& reason) {
            applications_.devices_lost(devices, reason);
            node_connections_.devices_lost(devices, true);
          },
          options_.watch, options_.device_questions),
      applications_(parts_, *this, *this, options_.functions, options_.root, options_.redeploy) {
  FileSystemOptions root;
  root.names = FileNameRules::ascii;
  files_->mount_fixed("/", make_file_system(options_.root, poa(orb, "RootPOA"), root));
  // A manager that is mounted at a node, and that in turn at this one, is ended by MountedFileManager.
  file_manager_ = IDL::traits<CF::FileManager>::narrow(activate(key("files"), files_));
}

Domain::~Domain() { end(); }

// ---- objects ----

std::string Domain::key(const std::string& kind, const std::string& id) const {
  return "domain/" + options_.name + (kind.empty() ? "" : "/" + kind) + (id.empty() ? "" : "/" + id);
}

DeploymentDomain::ObjectRef Domain::activate(
    const std::string& key, const CORBA::servant_reference<PortableServer::Servant>& servant) {
  const PortableServer::ObjectId id = PortableServer::string_to_ObjectId(key);
  try {
    objects_->activate_object_with_id(id, servant);
  } catch (const PortableServer::POA::ObjectAlreadyActive&) {
  }
  return objects_->id_to_reference(id);
}

void Domain::deactivate(const std::string& key) noexcept {
  try {
    objects_->deactivate_object(PortableServer::string_to_ObjectId(key));
  } catch (const CORBA::Exception&) {  // not active
  }
}

IDL::traits<CF::ApplicationFactory>::ref_type Domain::add_factory(const std::string& id) {
  for (const DomainFacade& facade : options_.facades)
    activate(key(facade.name + "/factory", id), facade.factory(*this, id));
  return IDL::traits<CF::ApplicationFactory>::narrow(
      activate(key("factory", id), CORBA::make_reference<ApplicationFactoryServant>(*this, id)));
}
IDL::traits<CF::Application>::ref_type Domain::add_application(const std::string& id) {
  for (const DomainFacade& facade : options_.facades)
    activate(key(facade.name + "/application", id), facade.application(*this, id));
  return IDL::traits<CF::Application>::narrow(
      activate(key("application", id), CORBA::make_reference<ApplicationServant>(*this, id)));
}
void Domain::remove_factory(const std::string& id) noexcept {
  for (const DomainFacade& facade : options_.facades) deactivate(key(facade.name + "/factory", id));
  deactivate(key("factory", id));
}
void Domain::remove_application(const std::string& id) noexcept {
  for (const DomainFacade& facade : options_.facades) deactivate(key(facade.name + "/application", id));
  deactivate(key("application", id));
}

DeploymentDomain::ObjectRef Domain::facade_object(const std::string& facade, const std::string& kind,
                                                  const std::string& id, const char* type) const {
  return objects_->create_reference_with_id(PortableServer::string_to_ObjectId(key(facade + "/" + kind, id)),
                                            type);
}

IDL::traits<CF::Application>::ref_type Domain::application(const std::string& id) const {
  return IDL::traits<CF::Application>::narrow(objects_->create_reference_with_id(
      PortableServer::string_to_ObjectId(key("application", id)), ApplicationServant::kType));
}
IDL::traits<CF::ApplicationFactory>::ref_type Domain::factory(const std::string& id) const {
  return IDL::traits<CF::ApplicationFactory>::narrow(objects_->create_reference_with_id(
      PortableServer::string_to_ObjectId(key("factory", id)), "IDL:CF/ApplicationFactory:1.0"));
}

std::string Domain::name_of(const std::string& application, const std::string& component) const {
  using CosNaming::NameComponent;
  CosNaming::Name name{NameComponent(options_.name, ""), NameComponent(application, "")};
  if (!component.empty()) name.emplace_back(component, "");
  return naming::to_text(name);
}

// ---- start and end ----

Domain::DomainManagerRef Domain::start() {
  const PortableServer::ObjectId id = PortableServer::string_to_ObjectId(key(""));
  const auto reference = objects_->create_reference_with_id(id, kDomainManagerType);
  domain_manager_ = IDL::traits<CF::DomainManager>::narrow(reference);
  applications_.activate();
  const auto other = options_.is_sole ? nullptr : names_.find(options_.name);
  if (other && !other->_is_equivalent(reference)) {
    bool runs = false;
    try {
      runs = !limited<CORBA::Object>(other, kManagerExistenceLimit)->_non_existent();
    } catch (const CORBA::SystemException&) {  // it has ended
    }
    if (runs) {
      throw CORBA::BAD_INV_ORDER(
          0, CORBA::CompletionStatus::COMPLETED_NO,
          "a domain manager '" + options_.name + "' runs already; end it, or give --name");
    }
  }
  is_started_ = true;
  for (const DomainLogService& log : properties_.logs())
    log_.forward(
        [this, log] { return log.service.empty() ? find_by_name(log.naming, "") : find_log(log.service); });
  channels_.listen([this](const CORBA::Any& event) { take_event(event); });
  // Components that have ended with their nodes have failed for that reason.
  nodes_.recover();
  applications_.recover();
  activate(key(""), CORBA::make_reference<DomainManagerServant>(*this));
  bind_names();
  activate_facades();
  return domain_manager_;
}

void Domain::bind_names() {
  names_.bind(kIncomingChannel, channels_.find(kIncomingChannel));
  names_.bind(kOutgoingChannel, channels_.find(kOutgoingChannel));
  names_.bind(kLogName, log_.reference());
  names_.bind(kDomainManagerName, domain_manager_);
  names_.bind(options_.name, domain_manager_);
}

void Domain::activate_facades() {
  for (const DomainFacade& facade : options_.facades)
    names_.bind(facade.name, activate(key(facade.name), facade.manager(*this)));
}

void Domain::end() noexcept {
  try {
    if (is_started_) {
      is_started_ = false;
      for (const DomainFacade& facade : options_.facades) names_.unbind(facade.name);
      names_.unbind(kDomainManagerName);
      names_.unbind(options_.name);
    }
  } catch (const std::exception& e) {
    log_.problem("the domain manager cannot be unbound in the naming service: " + std::string(e.what()));
  }
  end_requests();
  nodes_.end();
  applications_.end();
  end_requests();  // an application that was created again meanwhile
  channels_.end();
  log_.end();
}

void Domain::end_requests() {
  // Again and again, because a creation in progress activates an application.
  do {
    deactivate(key(""));
    for (const DomainFacade& facade : options_.facades) deactivate(key(facade.name));
    for (const InstalledApplication& each : model().installed_applications()) remove_factory(each.id);
    for (const Application& each : model().applications()) remove_application(each.id);
  } while (!servants_.wait_for_none(std::chrono::milliseconds(50)));
}

void Domain::take_event(const CORBA::Any& event) {
  framework::ProcessEnded ended;
  StandardEvent::StateChangeEventType change;
  if (event >>= ended) {
    applications_.process_ended(ended.device_id(), ended.process_id(), ended.description());
    registration_events()->notify();
  } else if (event >>= change) {
    // Deployments ask devices for their states: the event may be outdated then.
    using Category = StandardEvent::StateChangeCategoryType;
    if (change.stateChangeCategory() == Category::USAGE_STATE_EVENT) return;
    static constexpr const char* kStates[] = {"LOCKED",   "UNLOCKED", "SHUTTING_DOWN", "ENABLED",
                                              "DISABLED", "IDLE",     "ACTIVE",        "BUSY"};
    const auto state = static_cast<std::size_t>(change.stateChangeTo());
    if (state < std::size(kStates))
      log_.event("device '" + printable(change.sourceId(), 100) + "' is " + kStates[state]);
  }
}

void Domain::log_failure(const std::string& operation) {
  log_.problem(printable(operation, 300) + " has failed: " + printable(reason_of_failed_call(), 1000));
}

// ---- what deployments ask for ----

template <class Call>
DeploymentDomain::ObjectRef Domain::context_of(const std::string& application, Call call) {
  try {
    return call();
  } catch (const CosNaming::NamingContext::AlreadyBound&) {
    throw std::runtime_error("another object is bound to the name '" + application +
                             "' in the context of the domain: give the application another name");
  }
}

DeploymentDomain::ObjectRef Domain::naming_context(const std::string& application) {
  return context_of(application, [&] { return names_.application(application); });
}

DeploymentDomain::ObjectRef Domain::new_naming_context(const std::string& application) {
  return context_of(application, [&] { return names_.new_application(application); });
}

void Domain::remove_naming_context(const std::string& application) noexcept {
  try {
    names_.remove_application(application);
  } catch (const std::exception& e) {
    log_.problem("the names of application '" + application + "' cannot be removed: " + e.what());
  }
}

DeploymentDomain::ObjectRef Domain::find_device_manager(const std::string& name) {
  for (const Node& node : model().nodes())
    if (node.id == name || node.label == name) return object<CORBA::Object>(node.reference);
  return nullptr;
}

DeploymentDomain::ObjectRef Domain::find_service(const std::string& name) {
  const auto service = model().service(name);
  return service ? object<CORBA::Object>(service->reference) : nullptr;
}

DeploymentDomain::ObjectRef Domain::find_service_of_type(const std::string& repid) {
  const auto found = sca::find_service_of_type(model(), parts_.orb, repid);
  return found.service ? object<CORBA::Object>(found.service->reference) : nullptr;
}

DeploymentDomain::ObjectRef Domain::find_application(const std::string& name) {
  for (const Application& each : model().applications())
    if (each.id == name || each.name == name) return application(each.id);
  return nullptr;
}

DeploymentDomain::ObjectRef Domain::find_log(const std::string& name) {
  if (auto service = find_service(name)) return service;
  return name.empty() || name == kLogName ? log_.reference() : nullptr;
}

}  // namespace orbweaver::sca
