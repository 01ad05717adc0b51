#pragma once

#include <orbweaver/sca/device.h>

#include <functional>
#include <string>
#include <vector>

#include "OwnDeviceS.h"
#include "sca/own_device/device_parts.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {

/// What a device is told of itself by its node.
struct DeviceNames {
  std::string label;
  std::string profile;  ///< File name of the SPD.
};

/// Servant of a Device. Any thread. The device outlives the servant.
class DeviceServant final : public ResourceServant<::orbweaver::framework::ObservableDevice> {
 public:
  /// `changed` is called after each change of a state, `released` at the end of releaseObject().
  DeviceServant(sca::Device& device, ComponentCore::PoaRef poa, DeviceNames names,
                DeviceCore::Observer changed, std::function<void()> released);

  CF::Device::UsageType usageState() override;
  CF::Device::AdminType adminState() override;
  void adminState(CF::Device::AdminType state) override;
  CF::Device::OperationalType operationalState() override;
  std::string softwareProfile() override { return names_.profile; }
  std::string label() override { return names_.label; }
  IDL::traits<CF::AggregateDevice>::ref_type compositeDevice() override { return nullptr; }
  bool allocateCapacity(const CF::Properties& capacities) override;
  void deallocateCapacity(const CF::Properties& capacities) override;

  /// The properties of the component, and what is left of the capacities.
  void query(CF::Properties& configProperties) override;
  /// Locks the device, whatever uses it.
  void releaseObject() override;

 private:
  CORBA::Any left(const std::string& id) const;

  sca::Device& device_;
  detail::DeviceParts& parts_;
  const DeviceNames names_;
};

}  // namespace orbweaver::sca
