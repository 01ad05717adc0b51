#include "sca/cf41/application_manager_servant.h"

#include <algorithm>
#include <optional>

#include "sca/cf/component_object.h"
#include "sca/cf41/component_types.h"

namespace orbweaver::sca {
namespace {

using Accessor = CF::PortAccessor;
using Control = CF::ControllableInterface;

/// Error codes of InvalidPort, as those of components (src/sca/runtime/component_core.h).
constexpr std::uint16_t kRejected = 2, kUnknownPort = 5;

[[noreturn]] void raise_invalid_port(const Accessor::ConnectionIdType& connection, std::uint16_t code) {
  throw Accessor::InvalidPort(Accessor::ConnectionErrorType(connection, code));
}

/// An external port: its component, and its name there.
struct OwnedPort {
  const DeployedComponent* component;
  std::string port;
};

OwnedPort owner_of(const Application& record, const Accessor::ConnectionIdType& connection) {
  for (const ExternalPort& port : record.external_ports) {
    if (port.name != connection.portName()) continue;
    for (const DeployedComponent& component : record.components)
      if (component.id == port.component) return {&component, port.port};
  }
  raise_invalid_port(connection, kUnknownPort);
}

/// Calls `call` and raises what it raises of a component as InvalidPort of the caller's connection.
template <class Call>
void with_port_errors(const Accessor::ConnectionIdType& connection, const Call& call) {
  try {
    call();
  } catch (const Accessor::InvalidPort& e) {
    raise_invalid_port(connection, e.invalidConnections().errorCode());
  } catch (const CF::Port::InvalidPort& e) {
    raise_invalid_port(connection, e.errorCode());
  } catch (const CF::Port::OccupiedPort&) {
    raise_invalid_port(connection, kRejected);
  } catch (const CF::PortSupplier::UnknownPort&) {
    raise_invalid_port(connection, kUnknownPort);
  }
}

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

void ApplicationManagerServant::connect(const Record& record, const Accessor::ConnectionType& connection) {
  const Accessor::ConnectionIdType& id = connection.portConnectionId();
  const OwnedPort owner = owner_of(record, id);
  const auto object = domain_.object<CORBA::Object>(owner.component->reference);
  with_port_errors(id, [&] {
    const auto component = ComponentObject::narrow(object, owner.component->is_sca41);
    if (!component) raise_invalid_port(id, kUnknownPort);
    if (component.is_sca41()) {
      component.port_accessor()->connectUsesPorts(
          {{Accessor::ConnectionIdType(id.connectionId(), owner.port), connection.portReference()}});
    } else if (const auto port = IDL::traits<CF::Port>::narrow(component.port(owner.port, {}))) {
      port->connectPort(connection.portReference(), id.connectionId());
    } else {
      raise_invalid_port(id, kUnknownPort);
    }
  });
}

void ApplicationManagerServant::disconnect(const Record& record,
                                           const Accessor::ConnectionIdType& connection) {
  const OwnedPort owner = owner_of(record, connection);
  const auto object = domain_.object<CORBA::Object>(owner.component->reference);
  with_port_errors(connection, [&] {
    const auto component = ComponentObject::narrow(object, owner.component->is_sca41);
    if (!component) raise_invalid_port(connection, kUnknownPort);
    if (component.is_sca41()) {
      component.port_accessor()->disconnectPorts({{connection.connectionId(), owner.port}});
    } else if (const auto port = IDL::traits<CF::Port>::narrow(component.port(owner.port, {}))) {
      port->disconnectPort(connection.connectionId());
    }  // provides ports of 2.2.2 do not depend on connections
  });
}

void ApplicationManagerServant::connectUsesPorts(const Accessor::Connections& portConnections) {
  const Record application = record();
  std::size_t made = 0;
  try {
    for (const Accessor::ConnectionType& each : portConnections) {
      connect(application, each);
      ++made;
    }
  } catch (const CORBA::Exception&) {
    while (made-- > 0) {
      try {
        disconnect(application, portConnections[made].portConnectionId());
      } catch (const CORBA::Exception&) {  // the component has ended
      }
    }
    throw;
  }
}

void ApplicationManagerServant::disconnectPorts(const Accessor::Disconnections& portDisconnections) {
  const Record application = record();
  std::optional<Accessor::InvalidPort> first;
  for (const Accessor::ConnectionIdType& each : portDisconnections) {
    try {
      disconnect(application, each);
    } catch (const Accessor::InvalidPort& e) {
      if (!first) first.emplace(e);
    }
  }
  if (first) throw Accessor::InvalidPort(*first);
}

void ApplicationManagerServant::getProvidesPorts(Accessor::Connections& portConnections) {
  const Record application = record();
  for (Accessor::ConnectionType& each : portConnections) {
    const Accessor::ConnectionIdType id = each.portConnectionId();
    const OwnedPort owner = owner_of(application, id);
    const auto object = domain_.object<CORBA::Object>(owner.component->reference);
    with_port_errors(id, [&] {
      const auto component = ComponentObject::narrow(object, owner.component->is_sca41);
      if (!component) raise_invalid_port(id, kUnknownPort);
      each.portReference(owner.port.empty() ? component.object()
                                            : component.port(owner.port, id.connectionId()));
    });
  }
}

}  // namespace orbweaver::sca
