#pragma once

#include <map>
#include <string>

#include "CF41C.h"
#include "sca/cf/component_object.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// The external ports of an application as a CF::PortAccessor. Made for one call, by one thread. A component
/// that cannot be called is not called again, so that one which hangs takes its time limit once. InvalidPort
/// has the caller's names; that a component does not exist is raised as TRANSIENT, because the application
/// does.
class ApplicationPorts {
 public:
  using Accessor = CF::PortAccessor;

  /// The record and the domain outlive it.
  ApplicationPorts(const Domain& domain, const Application& record) : domain_(domain), record_(record) {}

  /// Makes all connections, or none and raises InvalidPort for one that cannot be made. A component of SCA
  /// 4.1 gets all of its connections in one call.
  void connect(const Accessor::Connections& connections);
  /// Removes all that can be removed, and raises the first error.
  void disconnect(const Accessor::Disconnections& connections);
  void get_provides_ports(Accessor::Connections& connections);

 private:
  /// An external port: its component, and its name there.
  struct OwnedPort {
    const DeployedComponent* component = nullptr;
    std::string port;
  };
  struct Batch;

  OwnedPort owner_of(const Accessor::ConnectionIdType& connection) const;
  /// The component of a port; the first call for each may call it. Raises TRANSIENT once a call has failed.
  const ComponentObject& component_of(const OwnedPort& owner, const Accessor::ConnectionIdType& connection);
  /// A uses port of a component of 2.2.2; nil if the port is none.
  IDL::traits<CF::Port>::ref_type uses_port(const OwnedPort& owner,
                                            const Accessor::ConnectionIdType& connection);
  void connect(const Batch& batch);
  void disconnect(const OwnedPort& owner, const Accessor::ConnectionIdType& connection);
  /// Calls `call`, and raises what it raises for the caller's connection.
  template <class Call>
  void with_port_errors(const OwnedPort& owner, const Accessor::ConnectionIdType& connection,
                        const Call& call);
  [[noreturn]] void lose(const DeployedComponent& component, const CORBA::SystemException& e);
  [[noreturn]] void raise_lost(const DeployedComponent& component, const std::string& reason) const;

  const Domain& domain_;
  const Application& record_;
  std::map<std::string, ComponentObject> components_;                  // by id
  std::map<std::string, std::string> lost_;                            // components, and why
  std::map<std::string, IDL::traits<CF::Port>::ref_type> uses_ports_;  // of 2.2.2, by external name
};

}  // namespace orbweaver::sca
