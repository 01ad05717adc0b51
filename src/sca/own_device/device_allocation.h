#pragma once

#include <string>
#include <vector>

#include "CFC.h"
#include "sca/device_state/device_core.h"

namespace orbweaver::sca {

/// Parameters of CF::Device::allocateCapacity() and deallocateCapacity().
struct DeviceAllocation {
  std::vector<Amount> amounts;
  std::string id;  ///< Value of kAllocationId; empty: it has none.
};

/// Reads them. Raises CF::Device::InvalidCapacity with those that the device does not have, or whose values
/// are no amounts.
DeviceAllocation allocation_of(const CF::Properties& capacities, const DeviceCore& device);

/// Allocates them. False: not so much is left. Raises CF::Device::InvalidState.
bool allocate(DeviceCore& device, const DeviceAllocation& allocation);
/// Gives them back, and returns what has been given back. Raises CF::Device::InvalidCapacity with
/// `capacities`, and InvalidState.
std::vector<Amount> deallocate(DeviceCore& device, const DeviceAllocation& allocation,
                               const CF::Properties& capacities);

/// The states as CF::Device has them.
CF::Device::UsageType usage_of(const DeviceCore& device);
CF::Device::AdminType admin_of(const DeviceCore& device);
CF::Device::OperationalType operational_of(const DeviceCore& device);

/// The event of a change of a state of the device `id` (SCA 2.2.2 3.1.3.3.1).
CORBA::Any event_of(const std::string& id, const DeviceStateChange& change);

}  // namespace orbweaver::sca
