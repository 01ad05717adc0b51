#include "sca/cf222/application_servant.h"

#include <algorithm>
#include <map>

#include "sca/cf222/domain.h"

namespace orbweaver::sca {
namespace {

const DeployedComponent* find(const Application& record, const std::string& id) {
  const auto found = std::find_if(record.components.begin(), record.components.end(),
                                  [&](const DeployedComponent& component) { return component.id == id; });
  return found == record.components.end() ? nullptr : &*found;
}

const ExternalProperty* find_external(const Application& record, const std::string& id) {
  const auto& list = record.external_properties;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const ExternalProperty& each) { return each.id == id; });
  return found == list.end() ? nullptr : &*found;
}

/// The properties that belong to one component, under its ids. `ids` are those of the caller.
struct Part {
  std::string component;
  CF::Properties properties;
  std::map<std::string, std::string> ids;  ///< By the component's.

  /// The caller's names of some of them.
  CF::Properties renamed(CF::Properties some) const {
    for (CF::DataType& each : some)
      if (const auto found = ids.find(each.id()); found != ids.end()) each.id(found->second);
    return some;
  }
};

std::vector<Part> parts_of(const Application& record, const CF::Properties& properties) {
  std::vector<Part> parts;
  for (const CF::DataType& each : properties) {
    const ExternalProperty* const external = find_external(record, each.id());
    const std::string& component = external != nullptr ? external->component : record.controller;
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const Part& other) { return other.component == component; });
    if (part == parts.end()) part = parts.insert(parts.end(), Part{component, {}, {}});
    const std::string& id = external != nullptr ? external->property : each.id();
    part->properties.emplace_back(id, each.value());
    part->ids[id] = each.id();
  }
  return parts;
}

void append(CF::Properties& to, const CF::Properties& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

ApplicationServant::ApplicationServant(Domain& domain, std::string id)
    : domain_(domain), id_(std::move(id)), counted_(domain.servants()) {}

ApplicationServant::Record ApplicationServant::record() const {
  if (auto record = domain_.model().application(id_)) return *record;
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO,
                                "the application has been released");
}

ComponentObject ApplicationServant::component(const Record& record, const std::string& id) const {
  if (const DeployedComponent* const found = find(record, id)) {
    const auto object = found->is_sca41
                            ? ComponentObject::sca41(domain_.object<CORBA::Object>(found->reference))
                            : ComponentObject(domain_.object<CF::Resource>(found->reference));
    if (object) return object;
  }
  throw CORBA::TRANSIENT(0, CORBA::CompletionStatus::COMPLETED_NO,
                         "component '" + id + "' of application '" + record.name + "' is not known");
}

// ---- attributes ----

std::string ApplicationServant::profile() { return record().profile; }
std::string ApplicationServant::name() { return record().name; }
std::string ApplicationServant::failure() { return record().failure; }

framework::ApplicationState ApplicationServant::state() {
  using State = framework::ApplicationState;
  switch (record().state) {
    case ApplicationState::started: return State::APPLICATION_STARTED;
    case ApplicationState::failed: return State::APPLICATION_FAILED;
    case ApplicationState::releasing:
    case ApplicationState::orphaned: return State::APPLICATION_RELEASING;
    case ApplicationState::deploying:
    case ApplicationState::stopped: break;
  }
  return State::APPLICATION_STOPPED;
}

CF::Application::ComponentElementSequence ApplicationServant::componentNamingContexts() {
  CF::Application::ComponentElementSequence names;
  const Record application = record();
  for (const DeployedComponent& each : application.components) {
    if (!each.binding.empty()) names.emplace_back(each.id, domain_.name_of(application.name, each.binding));
  }
  return names;
}

CF::Application::ComponentProcessIdSequence ApplicationServant::componentProcessIds() {
  CF::Application::ComponentProcessIdSequence processes;
  for (const DeployedComponent& each : record().components)
    if (each.process >= 0) processes.emplace_back(each.id, static_cast<std::uint32_t>(each.process));
  return processes;
}

CF::DeviceAssignmentSequence ApplicationServant::componentDevices() {
  CF::DeviceAssignmentSequence devices;
  for (const DeployedComponent& each : record().components)
    if (!each.device.empty()) devices.emplace_back(each.id, each.device);
  return devices;
}

CF::Application::ComponentElementSequence ApplicationServant::componentImplementations() {
  CF::Application::ComponentElementSequence implementations;
  for (const DeployedComponent& each : record().components)
    implementations.emplace_back(each.id, each.implementation);
  return implementations;
}

// ---- operations ----

void ApplicationServant::releaseObject() { domain_.applications().release(id_); }
void ApplicationServant::start() { domain_.applications().start(id_); }
void ApplicationServant::stop() { domain_.applications().stop(id_); }

IDL::traits<CORBA::Object>::ref_type ApplicationServant::getPort(const std::string& name) {
  const Record application = record();
  for (const ExternalPort& port : application.external_ports) {
    if (port.name != name) continue;
    const ComponentObject owner = component(application, port.component);
    if (port.port.empty()) return owner.object();
    try {
      return owner.port(port.port, {});
    } catch (const CF::PortAccessor::InvalidPort&) {  // a uses port of SCA 4.1, which is no object
      break;
    }
  }
  throw CF::PortSupplier::UnknownPort();
}

void ApplicationServant::runTest(std::uint32_t testid, CF::Properties& testValues) {
  const Record application = record();
  component(application, application.controller).run_test(testid, testValues);
}

void ApplicationServant::configure(const CF::Properties& configProperties) {
  using CF::PropertySet;
  const Record application = record();
  CF::Properties invalid;
  std::string message;
  for (const Part& part : parts_of(application, configProperties)) {
    try {
      component(application, part.component).configure(part.properties);
    } catch (const PropertySet::InvalidConfiguration& e) {
      if (message.empty()) message = e.msg();
      append(invalid, part.properties.size() == e.invalidProperties().size() || e.invalidProperties().empty()
                          ? part.renamed(part.properties)
                          : part.renamed(e.invalidProperties()));
    } catch (const PropertySet::PartialConfiguration& e) {
      append(invalid, part.renamed(e.invalidProperties()));
    }
  }
  if (invalid.empty()) return;
  if (!message.empty() && invalid.size() >= configProperties.size())
    throw PropertySet::InvalidConfiguration(message, invalid);
  throw PropertySet::PartialConfiguration(invalid);
}

void ApplicationServant::query(CF::Properties& configProperties) {
  const Record application = record();
  if (configProperties.empty()) {
    component(application, application.controller).query(configProperties);
    for (const ExternalProperty& external : application.external_properties) {
      CF::Properties one{CF::DataType(external.property, CORBA::Any())};
      component(application, external.component).query(one);
      const auto is_same = [&](const CF::DataType& each) { return each.id() == external.id; };
      std::erase_if(configProperties, is_same);
      for (const CF::DataType& each : one) configProperties.emplace_back(external.id, each.value());
    }
    return;
  }
  CF::Properties unknown;
  std::map<std::string, CORBA::Any> values;
  for (Part& part : parts_of(application, configProperties)) {
    try {
      component(application, part.component).query(part.properties);
      for (const CF::DataType& each : part.renamed(part.properties)) values[each.id()] = each.value();
    } catch (const CF::UnknownProperties& e) {
      append(unknown, part.renamed(e.invalidProperties()));
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
  for (CF::DataType& each : configProperties)
    if (const auto found = values.find(each.id()); found != values.end()) each.value(found->second);
}

}  // namespace orbweaver::sca
