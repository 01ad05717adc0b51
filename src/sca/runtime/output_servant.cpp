#include "sca/runtime/output_servant.h"

#include "sca/runtime/component_core.h"

namespace orbweaver::sca {

void OutputServant::connectPort(IDL::traits<CORBA::Object>::ref_type connection,
                                const std::string& connectionId) {
  const PortError error = connect_output(port_, connectionId, connection);
  const auto code = static_cast<std::uint16_t>(error);
  switch (error) {
    case PortError::nil_reference: throw CF::Port::InvalidPort(code, "the reference is nil");
    case PortError::other_type:
      throw CF::Port::InvalidPort(
          code, "port '" + port_.name() + "' cannot send to it: it is not an input of the same type");
    case PortError::connected_already:
      throw CF::Port::InvalidPort(code, "a connection '" + connectionId + "' exists already");
    case PortError::occupied: throw CF::Port::OccupiedPort();
    case PortError::none:
    case PortError::not_connected:
    case PortError::unknown_port: break;
  }
}

void OutputServant::disconnectPort(const std::string& connectionId) {
  if (!port_.disconnect(connectionId))
    throw CF::Port::InvalidPort(static_cast<std::uint16_t>(PortError::not_connected),
                                "there is no connection '" + connectionId + "'");
}

::orbweaver::framework::ConnectionStatisticsList OutputServant::connections() {
  ::orbweaver::framework::ConnectionStatisticsList list;
  for (const auto now = port_.connections(); const auto& link : *now) {
    list.emplace_back(link->id(), link->transport(), link->packets(), link->bytes(), link->broken());
  }
  return list;
}

}  // namespace orbweaver::sca
