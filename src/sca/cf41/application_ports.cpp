#include "sca/cf41/application_ports.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

using Accessor = CF::PortAccessor;
using ConnectionId = Accessor::ConnectionIdType;

/// Error codes of InvalidPort, as those of components (src/sca/runtime/component_core.h).
constexpr std::uint16_t kRejected = 2, kUnknownPort = 5;
/// Length of a component's id and reason in a message.
constexpr std::size_t kMostText = 1000;

[[noreturn]] void raise_invalid_port(const ConnectionId& connection, std::uint16_t code) {
  throw Accessor::InvalidPort(Accessor::ConnectionErrorType(connection, code));
}

}  // namespace

/// The connections of one component, in their order.
struct ApplicationPorts::Batch {
  struct Part {
    OwnedPort owner;
    const Accessor::ConnectionType* connection = nullptr;  // of the caller
  };
  std::vector<Part> parts;
};

ApplicationPorts::OwnedPort ApplicationPorts::owner_of(const ConnectionId& connection) const {
  for (const ExternalPort& port : record_.external_ports) {
    if (port.name != connection.portName()) continue;
    for (const DeployedComponent& component : record_.components)
      if (component.id == port.component) return {&component, port.port};
  }
  raise_invalid_port(connection, kUnknownPort);
}

void ApplicationPorts::lose(const DeployedComponent& component, const CORBA::SystemException& e) {
  lost_.emplace(component.id, why(e));
  raise_lost(component, why(e));
}

void ApplicationPorts::raise_lost(const DeployedComponent& component, const std::string& reason) const {
  throw CORBA::TRANSIENT(
      0, CORBA::CompletionStatus::COMPLETED_MAYBE,
      printable("component '" + component.id + "' cannot be called: " + reason, kMostText));
}

template <class Call>
void ApplicationPorts::with_port_errors(const OwnedPort& owner, const ConnectionId& connection,
                                        const Call& call) {
  if (const auto lost = lost_.find(owner.component->id); lost != lost_.end())
    raise_lost(*owner.component, lost->second);
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
  } catch (const CORBA::TIMEOUT& e) {
    lost_.emplace(owner.component->id, why(e));
    throw;
  } catch (const CORBA::OBJECT_NOT_EXIST& e) {
    lose(*owner.component, e);
  } catch (const CORBA::COMM_FAILURE& e) {
    lose(*owner.component, e);
  } catch (const CORBA::TRANSIENT& e) {
    lose(*owner.component, e);
  }
}

const ComponentObject& ApplicationPorts::component_of(const OwnedPort& owner,
                                                      const ConnectionId& connection) {
  ComponentObject& component = components_[owner.component->id];
  if (!component)
    component = ComponentObject::narrow(domain_.object<CORBA::Object>(owner.component->reference),
                                        owner.component->is_sca41);
  if (!component) raise_invalid_port(connection, kUnknownPort);
  return component;
}

IDL::traits<CF::Port>::ref_type ApplicationPorts::uses_port(const OwnedPort& owner,
                                                            const ConnectionId& connection) {
  const auto known = uses_ports_.find(connection.portName());
  if (known != uses_ports_.end()) return known->second;
  const auto port = IDL::traits<CF::Port>::narrow(
      limited<CORBA::Object>(component_of(owner, connection).port(owner.port, {}), domain_.call_limit()));
  return uses_ports_[connection.portName()] = port;
}

void ApplicationPorts::connect(const Accessor::Connections& connections) {
  std::vector<Batch> batches;
  std::map<std::string, std::size_t> of_component;
  for (const Accessor::ConnectionType& each : connections) {
    const OwnedPort owner = owner_of(each.portConnectionId());
    // A component of 2.2.2 takes a connection at a time.
    const bool joins =
        owner.component->is_sca41 && !of_component.try_emplace(owner.component->id, batches.size()).second;
    if (!joins) batches.emplace_back();
    batches[joins ? of_component[owner.component->id] : batches.size() - 1].parts.push_back({owner, &each});
  }
  std::size_t made = 0;
  try {
    for (const Batch& batch : batches) {
      connect(batch);
      ++made;
    }
  } catch (const CORBA::Exception&) {
    while (made-- > 0) {
      for (const Batch::Part& part : batches[made].parts) {
        try {
          disconnect(part.owner, part.connection->portConnectionId());
        } catch (const CORBA::Exception&) {  // the component has ended
        }
      }
    }
    throw;
  }
}

void ApplicationPorts::connect(const Batch& batch) {
  const OwnedPort& owner = batch.parts.front().owner;
  const Accessor::ConnectionType& first = *batch.parts.front().connection;
  if (!owner.component->is_sca41) {
    return with_port_errors(owner, first.portConnectionId(), [&] {
      const auto port = uses_port(owner, first.portConnectionId());
      if (!port) raise_invalid_port(first.portConnectionId(), kUnknownPort);
      port->connectPort(first.portReference(), first.portConnectionId().connectionId());
    });
  }
  Accessor::Connections own;
  for (const Batch::Part& part : batch.parts)
    own.emplace_back(ConnectionId(part.connection->portConnectionId().connectionId(), part.owner.port),
                     part.connection->portReference());
  std::optional<Accessor::InvalidPort> rejected;
  with_port_errors(owner, first.portConnectionId(), [&] {
    try {
      component_of(owner, first.portConnectionId()).port_accessor()->connectUsesPorts(own);
    } catch (const Accessor::InvalidPort& e) {
      rejected.emplace(e);
    }
  });
  if (!rejected) return;
  const ConnectionId& named = rejected->invalidConnections().portConnectionId();
  const auto found = std::find_if(batch.parts.begin(), batch.parts.end(), [&](const Batch::Part& part) {
    return part.owner.port == named.portName() &&
           part.connection->portConnectionId().connectionId() == named.connectionId();
  });
  raise_invalid_port((found == batch.parts.end() ? first : *found->connection).portConnectionId(),
                     rejected->invalidConnections().errorCode());
}

void ApplicationPorts::disconnect(const OwnedPort& owner, const ConnectionId& connection) {
  with_port_errors(owner, connection, [&] {
    if (owner.component->is_sca41) {
      component_of(owner, connection)
          .port_accessor()
          ->disconnectPorts({{connection.connectionId(), owner.port}});
    } else if (const auto port = uses_port(owner, connection)) {
      port->disconnectPort(connection.connectionId());
    }  // provides ports of 2.2.2 do not depend on connections
  });
}

void ApplicationPorts::disconnect(const Accessor::Disconnections& connections) {
  std::exception_ptr first;
  for (const ConnectionId& each : connections) {
    try {
      disconnect(owner_of(each), each);
    } catch (const CORBA::Exception&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void ApplicationPorts::get_provides_ports(Accessor::Connections& connections) {
  for (Accessor::ConnectionType& each : connections) {
    const ConnectionId id = each.portConnectionId();
    const OwnedPort owner = owner_of(id);
    with_port_errors(owner, id, [&] {
      const ComponentObject& component = component_of(owner, id);
      each.portReference(owner.port.empty() ? component.object()
                                            : component.port(owner.port, id.connectionId()));
    });
  }
}

}  // namespace orbweaver::sca
