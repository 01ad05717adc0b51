#pragma once

#include <cstdint>
#include <string>

#include "sca/component/exception_text.h"
#include "sca/runtime/component_core.h"

namespace orbweaver::sca {

/// Servant of a CF::Resource of SCA 2.2.2 with the operations of ObservableResource. `Interface` is derived
/// from it. Any thread. The component outlives the servant.
template <class Interface>
class ResourceServant : public ObservableServant<Interface> {
 public:
  using ObservableServant<Interface>::ObservableServant;

  void start() override {
    try {
      this->core_.start();
    } catch (...) {
      throw CF::Resource::StartError(CF::ErrorNumberType::CF_NOTSET, current_exception_text());
    }
  }
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override {
    if (auto port = this->core_.find_port(name)) return port;
    throw CF::PortSupplier::UnknownPort();
  }
  ::orbweaver::framework::PortObjectList initialize_with(
      const ::orbweaver::framework::ExpectedStreamsList& streams) override {
    this->core_.initialize();
    this->core_.expect_streams(streams);
    return this->core_.port_objects();
  }
  std::uint32_t connect_ports(const ::orbweaver::framework::PortConnectionList& connections) override {
    return this->core_.connect_outputs(connections);
  }
  /// Runs a BuiltInTest (ComponentCore::run_test).
  void runTest(std::uint32_t testid, CF::Properties& testValues) override {
    if (!this->core_.run_test(testid, testValues)) throw CF::TestableObject::UnknownTest();
  }
};

extern template class ResourceServant<::orbweaver::framework::ObservableResource>;

/// Servant of a component of SCA 2.2.2.
class ComponentServant final : public ResourceServant<::orbweaver::framework::ObservableResource> {
 public:
  using ResourceServant::ResourceServant;

  /// Whether releaseObject() has been called.
  bool is_released() const noexcept { return core_.is_released(); }
};

}  // namespace orbweaver::sca
