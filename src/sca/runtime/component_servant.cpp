#include "sca/runtime/component_servant.h"

#include "sca/component/exception_text.h"

namespace orbweaver::sca {

void ComponentServant::start() {
  try {
    core_.start();
  } catch (...) {
    throw CF::Resource::StartError(CF::ErrorNumberType::CF_NOTSET, current_exception_text());
  }
}

IDL::traits<CORBA::Object>::ref_type ComponentServant::getPort(const std::string& name) {
  if (auto port = core_.find_port(name)) return port;
  throw CF::PortSupplier::UnknownPort();
}

::orbweaver::framework::PortObjectList ComponentServant::initialize_with(
    const ::orbweaver::framework::ExpectedStreamsList& streams) {
  core_.initialize();
  core_.expect_streams(streams);
  return core_.port_objects();
}

void ComponentServant::runTest(std::uint32_t testid, CF::Properties& testValues) {
  if (!core_.run_test(testid, testValues)) throw CF::TestableObject::UnknownTest();
}

}  // namespace orbweaver::sca
