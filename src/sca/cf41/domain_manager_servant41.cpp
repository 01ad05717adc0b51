#include "sca/cf41/domain_manager_servant41.h"

#include <orbweaver/peer.h>

#include "base/peer_address.h"
#include "sca/cf41/component_registration.h"
#include "sca/cf41/component_types.h"

namespace orbweaver::sca {

CF::Components DomainManagerServant41::managers() { return manager_types(domain_); }

CF::Components DomainManagerServant41::applications() {
  CF::Components applications;
  for (const Application& each : domain_.model().applications())
    if (each.state != ApplicationState::deploying) applications.push_back(component_type(domain_, each));
  return applications;
}

CF::Components DomainManagerServant41::applicationFactories() {
  CF::Components factories;
  for (const InstalledApplication& each : domain_.model().installed_applications())
    factories.push_back(component_type(domain_, each));
  return factories;
}

CF::ComponentType DomainManagerServant41::installApplication(const std::string& profileFileName) {
  try {
    return domain_.logged("installApplication of " + profileFileName, [&] {
      return component_type(domain_, domain_.applications().install(profileFileName));
    });
  } catch (const CF::DomainManager::ApplicationInstallationError& e) {
    throw CF::DomainInstallation::ApplicationInstallationError(e.errorNumber(), e.msg());
  } catch (const CF::DomainManager::ApplicationAlreadyInstalled&) {
    throw CF::DomainInstallation::ApplicationAlreadyInstalled();
  }
}

void DomainManagerServant41::uninstallApplication(const std::string& identifier) {
  try {
    domain_.logged("uninstallApplication of " + identifier,
                   [&] { domain_.applications().uninstall(identifier); });
  } catch (const CF::DomainManager::InvalidIdentifier&) {
    throw CF::DomainInstallation::InvalidIdentifier();
  } catch (const CF::DomainManager::ApplicationUninstallationError& e) {
    throw CF::DomainInstallation::ApplicationUninstallationError(e.errorNumber(), e.msg());
  }
}

void DomainManagerServant41::registerWithEventChannel(IDL::traits<CORBA::Object>::ref_type registeringObject,
                                                      const std::string& registeringId,
                                                      const std::string& eventChannelName) {
  using Registry = CF::EventChannelRegistry;
  try {
    domain_.channels().connect(registeringObject, registeringId, eventChannelName,
                               client_of(orbweaver::peer()));
  } catch (const CF::DomainManager::InvalidEventChannelName&) {
    throw Registry::InvalidEventChannelName();
  } catch (const CF::DomainManager::AlreadyConnected&) {
    throw Registry::AlreadyConnected();
  }
}

void DomainManagerServant41::unregisterFromEventChannel(const std::string& unregisteringId,
                                                        const std::string& eventChannelName) {
  using Registry = CF::EventChannelRegistry;
  try {
    domain_.channels().disconnect(unregisteringId, eventChannelName);
  } catch (const CF::DomainManager::InvalidEventChannelName&) {
    throw Registry::InvalidEventChannelName();
  } catch (const CF::DomainManager::NotConnected&) {
    throw Registry::NotConnected();
  }
}

void DomainManagerServant41::registerComponent(const CF::ComponentType& registeringComponent) {
  domain_.logged("registerComponent of " + registeringComponent.identifier(),
                 [&] { register_component(domain_, registeringComponent, caller_of(orbweaver::peer())); });
}
void DomainManagerServant41::unregisterComponent(const std::string& identifier) {
  domain_.logged("unregisterComponent of " + identifier,
                 [&] { unregister_component(domain_, identifier, caller_of(orbweaver::peer())); });
}

void DomainManagerServant41::configure(const CF::Properties& configProperties) {
  domain_.properties().configure(configProperties);
}
void DomainManagerServant41::query(CF::Properties& configProperties) {
  domain_.properties().query(configProperties);
}

}  // namespace orbweaver::sca
