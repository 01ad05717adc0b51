#include "sca/runtime/component_servant.h"

#include "OwnDeviceS.h"
#include "sca/component/exception_text.h"

namespace orbweaver::sca {

template <class Interface>
void ResourceServant<Interface>::start() {
  try {
    this->core_.start();
  } catch (...) {
    throw CF::Resource::StartError(CF::ErrorNumberType::CF_NOTSET, current_exception_text());
  }
}

template <class Interface>
IDL::traits<CORBA::Object>::ref_type ResourceServant<Interface>::getPort(const std::string& name) {
  if (auto port = this->core_.find_port(name)) return port;
  throw CF::PortSupplier::UnknownPort();
}

template <class Interface>
::orbweaver::framework::PortObjectList ResourceServant<Interface>::initialize_with(
    const ::orbweaver::framework::ExpectedStreamsList& streams) {
  this->core_.initialize();
  this->core_.expect_streams(streams);
  return this->core_.port_objects();
}

template <class Interface>
void ResourceServant<Interface>::runTest(std::uint32_t testid, CF::Properties& testValues) {
  if (!this->core_.run_test(testid, testValues)) throw CF::TestableObject::UnknownTest();
}

template class ResourceServant<::orbweaver::framework::ObservableResource>;
template class ResourceServant<::orbweaver::framework::ObservableDevice>;

}  // namespace orbweaver::sca
