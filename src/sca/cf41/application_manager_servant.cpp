#include "sca/cf41/application_manager_servant.h"

#include "sca/cf41/application_ports.h"
#include "sca/cf41/component_types.h"

namespace orbweaver::sca {
namespace {

using Control = CF::ControllableInterface;

}  // namespace

ApplicationManagerServant::Record ApplicationManagerServant::record() const {
  if (auto record = domain_.model().application(id_)) return *record;
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO,
                                "the application has been released");
}

CF::Components ApplicationManagerServant::deployedComponents() {
  CF::Components components;
  for (const DeployedComponent& each : record().components)
    components.push_back(component_type(domain_, each));
  return components;
}

void ApplicationManagerServant::start() {
  try {
    domain_.applications().start(id_);
  } catch (const CF::Resource::StartError& e) {
    throw Control::StartError(e.errorNumber(), e.msg());
  }
}

void ApplicationManagerServant::stop() {
  try {
    domain_.applications().stop(id_);
  } catch (const CF::Resource::StopError& e) {
    throw Control::StopError(e.errorNumber(), e.msg());
  }
}

void ApplicationManagerServant::runTest(std::uint32_t testid, CF::Properties& testValues) {
  try {
    domain_.application(id_)->runTest(testid, testValues);
  } catch (const CF::TestableObject::UnknownTest&) {
    throw CF::TestableInterface::UnknownTest();
  }
}

void ApplicationManagerServant::configure(const CF::Properties& configProperties) {
  domain_.application(id_)->configure(configProperties);
}

void ApplicationManagerServant::query(CF::Properties& configProperties) {
  domain_.application(id_)->query(configProperties);
}

void ApplicationManagerServant::connectUsesPorts(const Accessor::Connections& portConnections) {
  const Record application = record();
  ApplicationPorts(domain_, application).connect(portConnections);
}

void ApplicationManagerServant::disconnectPorts(const Accessor::Disconnections& portDisconnections) {
  const Record application = record();
  ApplicationPorts(domain_, application).disconnect(portDisconnections);
}

void ApplicationManagerServant::getProvidesPorts(Accessor::Connections& portConnections) {
  const Record application = record();
  ApplicationPorts(domain_, application).get_provides_ports(portConnections);
}

}  // namespace orbweaver::sca
