#pragma once

#include <cstdint>
#include <string>

#include "sca/runtime/component_core.h"

namespace orbweaver::sca {

/// Servant of a component of SCA 2.2.2, a CF::Resource. Any thread. The component outlives the servant.
class ComponentServant final : public ObservableServant<::orbweaver::framework::ObservableResource> {
 public:
  using ObservableServant::ObservableServant;

  /// Whether releaseObject() has been called.
  bool is_released() const noexcept { return core_.is_released(); }
  void start() override;
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override;
  ::orbweaver::framework::PortObjectList initialize_with(
      const ::orbweaver::framework::ExpectedStreamsList& streams) override;
  std::uint32_t connect_ports(const ::orbweaver::framework::PortConnectionList& connections) override {
    return core_.connect_outputs(connections);
  }
  /// Runs a BuiltInTest (ComponentCore::run_test).
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
};

}  // namespace orbweaver::sca
