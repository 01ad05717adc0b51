#include "sca/cf222/domain_manager_servant.h"

#include <orbweaver/peer.h>

#include "base/peer_address.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

DomainManagerServant::DomainManagerServant(Domain& domain) : domain_(domain), counted_(domain.servants()) {}

std::string DomainManagerServant::identifier() { return domain_.identifier(); }
std::string DomainManagerServant::domainManagerProfile() { return domain_.profile(); }
IDL::traits<CF::FileManager>::ref_type DomainManagerServant::fileMgr() { return domain_.file_manager(); }

CF::DomainManager::DeviceManagerSequence DomainManagerServant::deviceManagers() {
  CF::DomainManager::DeviceManagerSequence managers;
  for (const Node& node : domain_.model().nodes()) {
    if (node.is_sca41) continue;  // no CF::DeviceManager
    if (auto manager = domain_.object<CF::DeviceManager>(node.reference)) managers.push_back(manager);
  }
  return managers;
}

CF::DomainManager::ApplicationSequence DomainManagerServant::applications() {
  CF::DomainManager::ApplicationSequence applications;
  for (const Application& each : domain_.model().applications())
    if (each.state != ApplicationState::deploying) applications.push_back(domain_.application(each.id));
  return applications;
}

CF::DomainManager::ApplicationFactorySequence DomainManagerServant::applicationFactories() {
  CF::DomainManager::ApplicationFactorySequence factories;
  for (const InstalledApplication& each : domain_.model().installed_applications())
    factories.push_back(domain_.factory(each.id));
  return factories;
}

void DomainManagerServant::registerDevice(IDL::traits<CF::Device>::ref_type registeringDevice,
                                          IDL::traits<CF::DeviceManager>::ref_type registeredDeviceMgr) {
  domain_.logged("registerDevice",
                 [&] { domain_.nodes().register_device(registeringDevice, registeredDeviceMgr); });
}
void DomainManagerServant::registerDeviceManager(IDL::traits<CF::DeviceManager>::ref_type deviceMgr) {
  domain_.logged("registerDeviceManager", [&] { domain_.nodes().register_node(deviceMgr); });
}
void DomainManagerServant::unregisterDeviceManager(IDL::traits<CF::DeviceManager>::ref_type deviceMgr) {
  domain_.logged("unregisterDeviceManager", [&] { domain_.nodes().unregister_node(deviceMgr); });
}
void DomainManagerServant::unregisterDevice(IDL::traits<CF::Device>::ref_type unregisteringDevice) {
  domain_.logged("unregisterDevice", [&] { domain_.nodes().unregister_device(unregisteringDevice); });
}
void DomainManagerServant::installApplication(const std::string& profileFileName) {
  domain_.logged("installApplication of " + profileFileName,
                 [&] { domain_.applications().install(profileFileName); });
}
void DomainManagerServant::uninstallApplication(const std::string& applicationId) {
  domain_.logged("uninstallApplication of " + applicationId,
                 [&] { domain_.applications().uninstall(applicationId); });
}
void DomainManagerServant::registerService(IDL::traits<CORBA::Object>::ref_type registeringService,
                                           IDL::traits<CF::DeviceManager>::ref_type registeredDeviceMgr,
                                           const std::string& name) {
  domain_.logged("registerService of " + name,
                 [&] { domain_.nodes().register_service(registeringService, registeredDeviceMgr, name); });
}
void DomainManagerServant::unregisterService(IDL::traits<CORBA::Object>::ref_type unregisteringService,
                                             const std::string& name) {
  domain_.logged("unregisterService of " + name,
                 [&] { domain_.nodes().unregister_service(unregisteringService, name); });
}
void DomainManagerServant::registerWithEventChannel(IDL::traits<CORBA::Object>::ref_type registeringObject,
                                                    const std::string& registeringId,
                                                    const std::string& eventChannelName) {
  domain_.channels().connect(registeringObject, registeringId, eventChannelName,
                             client_of(orbweaver::peer()));
}
void DomainManagerServant::unregisterFromEventChannel(const std::string& unregisteringId,
                                                      const std::string& eventChannelName) {
  domain_.channels().disconnect(unregisteringId, eventChannelName);
}

void DomainManagerServant::configure(const CF::Properties& configProperties) {
  domain_.properties().configure(configProperties);
}
void DomainManagerServant::query(CF::Properties& configProperties) {
  domain_.properties().query(configProperties);
}

}  // namespace orbweaver::sca
