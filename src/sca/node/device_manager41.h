#pragma once

#include <string>
#include <utility>

#include "Device41S.h"
#include "sca/node/device_manager.h"

namespace orbweaver::sca {

/// Servant of a device manager of SCA 4.1 (3.1.3.3): another object of a DeviceManagerServant. Devices and
/// services of the DCD that are components of SCA 4.1 register themselves here. Any thread.
class DeviceManagerServant41 final
    : public virtual CORBA::servant_traits<framework::DeviceManager41>::base_type {
 public:
  explicit DeviceManagerServant41(CORBA::servant_reference<DeviceManagerServant> manager)
      : manager_(std::move(manager)) {}

  std::string identifier() override { return manager_->id(); }
  /// Raises InvalidObjectReference for a nil object, and RegisterError for what the DCD does not have, is
  /// registered already, or cannot be initialized and configured.
  void registerComponent(const CF::ComponentType& registeringComponent) override;
  void unregisterComponent(const std::string& identifier) override;
  void shutdown() override { manager_->shutdown(); }
  CF::Components deployedComponents() override;
  void configure(const CF::Properties& configProperties) override { manager_->configure(configProperties); }
  void query(CF::Properties& configProperties) override { manager_->query(configProperties); }

 private:
  const CORBA::servant_reference<DeviceManagerServant> manager_;
};

/// Descriptions of a node, whose object is `object`, and of its devices and services, as they are registered
/// with a domain manager of SCA 4.1. That of the node has its file system and no components.
CF::ComponentType component_type(const DeviceManagerServant& manager,
                                 const IDL::traits<CORBA::Object>::ref_type& object);
CF::ComponentType component_type(const DeviceManagerServant& manager,
                                 const DeviceManagerServant::Device& device);
CF::ComponentType component_type(const DeviceManagerServant& manager,
                                 const DeviceManagerServant::Service& service);

}  // namespace orbweaver::sca
