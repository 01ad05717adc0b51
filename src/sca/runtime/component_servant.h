#pragma once

#include <cstdint>
#include <string>

#include "sca/runtime/component_core.h"

namespace orbweaver::sca {

/// Servant of a CF::Resource of SCA 2.2.2 with the operations of ObservableResource. `Interface` is derived
/// from it. Any thread. The component outlives the servant.
template <class Interface>
class ResourceServant : public ObservableServant<Interface> {
 public:
  using ObservableServant<Interface>::ObservableServant;

  void start() override;
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override;
  ::orbweaver::framework::PortObjectList initialize_with(
      const ::orbweaver::framework::ExpectedStreamsList& streams) override;
  std::uint32_t connect_ports(const ::orbweaver::framework::PortConnectionList& connections) override {
    return this->core_.connect_outputs(connections);
  }
  /// Runs a BuiltInTest (ComponentCore::run_test).
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
};

/// Servant of a component of SCA 2.2.2.
class ComponentServant final : public ResourceServant<::orbweaver::framework::ObservableResource> {
 public:
  using ResourceServant::ResourceServant;

  /// Whether releaseObject() has been called.
  bool is_released() const noexcept { return core_.is_released(); }
};

}  // namespace orbweaver::sca
