#include "sca/cf222/application_servant.h"

#include "sca/cf222/application_properties.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

ApplicationServant::ApplicationServant(Domain& domain, std::string id)
    : domain_(domain), id_(std::move(id)), counted_(domain.servants()) {}

ApplicationServant::Record ApplicationServant::record() const {
  if (auto record = domain_.model().application(id_)) return *record;
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO,
                                "the application has been released");
}

// ---- attributes ----

std::string ApplicationServant::profile() { return record().profile; }
std::string ApplicationServant::name() { return record().name; }
std::string ApplicationServant::failure() { return record().failure; }
bool ApplicationServant::redeploy() { return record().redeployment.enabled; }
void ApplicationServant::redeploy(bool redeploy) { domain_.applications().set_redeploy(id_, redeploy); }

framework::ApplicationState ApplicationServant::state() {
  using State = framework::ApplicationState;
  const Record application = record();
  switch (application.state) {
    case ApplicationState::started: return State::APPLICATION_STARTED;
    case ApplicationState::failed: return State::APPLICATION_FAILED;
    case ApplicationState::releasing:
    case ApplicationState::orphaned: return State::APPLICATION_RELEASING;
    case ApplicationState::deploying:
      if (application.redeployment.lost) return State::APPLICATION_FAILED;
      break;
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
    const ComponentObject owner = component_of(domain_, application, port.component);
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
  component_of(domain_, application, application.controller).run_test(testid, testValues);
}

void ApplicationServant::configure(const CF::Properties& configProperties) {
  const Record application = record();
  ApplicationProperties(domain_, application).configure(configProperties);
}

void ApplicationServant::query(CF::Properties& configProperties) {
  const Record application = record();
  ApplicationProperties(domain_, application).query(configProperties);
}

}  // namespace orbweaver::sca
