#pragma once

#include <cstdint>
#include <string>

#include "sca/runtime/component_core.h"

namespace orbweaver::sca {

/// Servant of a component of SCA 4.1 (3.1.3.2): LifeCycle, PropertySet, PortAccessor, TestableInterface and
/// ControllableInterface. It registers itself at a CF::ComponentRegistry. Any thread. The component outlives
/// the servant.
class RegisteringComponent final : public ObservableServant<::orbweaver::framework::ObservableComponent> {
 public:
  using ObservableServant::ObservableServant;

  /// What a registry is told of the component, whose reference activate() has returned.
  CF::ComponentType registration(const IDL::traits<CORBA::Object>::ref_type& reference,
                                 const std::string& profile);

  void start() override;
  /// Runs a BuiltInTest (ComponentCore::run_test).
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
  bool started() override { return core_.is_started(); }

  /// Makes all connections, or none and raises InvalidPort for the first that cannot be made, with a
  /// PortError as its code.
  void connectUsesPorts(const CF::PortAccessor::Connections& portConnections) override;
  /// Ends the connections of outputs; inputs do not depend on connections. Raises InvalidPort for the first
  /// port or connection that does not exist, after all others have been ended.
  void disconnectPorts(const CF::PortAccessor::Disconnections& portDisconnections) override;
  void getProvidesPorts(CF::PortAccessor::Connections& portConnections) override;
  IDL::traits<::orbweaver::framework::Output>::ref_type uses_port(const std::string& name) override;
};

}  // namespace orbweaver::sca
