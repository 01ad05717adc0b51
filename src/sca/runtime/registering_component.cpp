#include "sca/runtime/registering_component.h"

#include "sca/component/exception_text.h"

namespace orbweaver::sca {
namespace {

using Accessor = CF::PortAccessor;

[[noreturn]] void raise_invalid_port(const Accessor::ConnectionIdType& connection, PortError error) {
  throw Accessor::InvalidPort(Accessor::ConnectionErrorType(connection, static_cast<std::uint16_t>(error)));
}

}  // namespace

CF::ComponentType RegisteringComponent::registration(const IDL::traits<CORBA::Object>::ref_type& reference,
                                                     const std::string& profile) {
  return {identifier(),           profile, CF::ComponentEnumType::MANAGEABLE_APPLICATION_COMPONENT, reference,
          core_.provides_ports(), {}};
}

void RegisteringComponent::start() {
  try {
    core_.start();
  } catch (...) {
    throw CF::ControllableInterface::StartError(CF::ErrorNumberType::CF_NOTSET, current_exception_text());
  }
}

void RegisteringComponent::runTest(std::uint32_t testid, CF::Properties& testValues) {
  if (!core_.run_test(testid, testValues)) throw CF::TestableInterface::UnknownTest();
}

void RegisteringComponent::connectUsesPorts(const Accessor::Connections& portConnections) {
  std::size_t made = 0;
  const auto connect = [&](const Accessor::ConnectionType& each) {
    OutputPort* const port = core_.component().find_output(each.portConnectionId().portName());
    if (port == nullptr) return PortError::unknown_port;
    return connect_output(*port, each.portConnectionId().connectionId(), each.portReference());
  };
  const auto undo = [&] {
    for (std::size_t i = made; i-- > 0;) {
      const Accessor::ConnectionIdType& id = portConnections[i].portConnectionId();
      core_.component().find_output(id.portName())->disconnect(id.connectionId());
    }
  };
  try {
    for (const Accessor::ConnectionType& each : portConnections) {
      if (const PortError error = connect(each); error != PortError::none)
        raise_invalid_port(each.portConnectionId(), error);
      ++made;
    }
  } catch (...) {
    undo();
    throw;
  }
}

void RegisteringComponent::disconnectPorts(const Accessor::Disconnections& portDisconnections) {
  const Accessor::ConnectionIdType* first = nullptr;
  PortError first_error = PortError::none;
  for (const Accessor::ConnectionIdType& each : portDisconnections) {
    if (core_.component().find_input(each.portName()) != nullptr) continue;
    OutputPort* const port = core_.component().find_output(each.portName());
    if (port != nullptr && port->disconnect(each.connectionId())) continue;
    if (first != nullptr) continue;
    first = &each;
    first_error = port == nullptr ? PortError::unknown_port : PortError::not_connected;
  }
  if (first != nullptr) raise_invalid_port(*first, first_error);
}

void RegisteringComponent::getProvidesPorts(Accessor::Connections& portConnections) {
  for (Accessor::ConnectionType& each : portConnections) {
    const std::string& name = each.portConnectionId().portName();
    if (core_.component().find_input(name) == nullptr)
      raise_invalid_port(each.portConnectionId(), PortError::unknown_port);
    each.portReference(core_.find_port(name));
  }
}

IDL::traits<::orbweaver::framework::Output>::ref_type RegisteringComponent::uses_port(
    const std::string& name) {
  return IDL::traits<::orbweaver::framework::Output>::narrow(core_.find_output(name));
}

}  // namespace orbweaver::sca
