#include "sca/device/aggregate_device.h"

#include <algorithm>

#include "sca/own_device/call_limit.h"

namespace orbweaver::sca {
namespace {

/// Of each call to a part. Releasing it ends its processes.
constexpr int kAggregateCallMs = 5000;

}  // namespace

void AggregateDeviceServant::reject(const std::string& message) const {
  if (failed_) failed_(message);
  throw CF::InvalidObjectReference(message);
}

CF::DeviceSequence AggregateDeviceServant::parts() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

void AggregateDeviceServant::addDevice(DeviceRef associatedDevice) {
  if (!associatedDevice) reject("addDevice has failed: the device is nil");
  {
    const std::lock_guard lock(mutex_);
    for (const DeviceRef& each : devices_)
      if (each->_is_equivalent(associatedDevice)) return;
    if (devices_.size() < kMaxDevices) {
      devices_.push_back(std::move(associatedDevice));
      return;
    }
  }
  reject("addDevice has failed: " + std::to_string(kMaxDevices) + " devices are part of this one, the limit");
}

void AggregateDeviceServant::removeDevice(DeviceRef associatedDevice) {
  if (!associatedDevice) reject("removeDevice has failed: the device is nil");
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(devices_.begin(), devices_.end(),
                                    [&](auto& each) { return each->_is_equivalent(associatedDevice); });
    if (found != devices_.end()) {
      devices_.erase(found);
      return;
    }
  }
  reject("removeDevice has failed: the device is no part of this one");
}

void AggregateDeviceServant::set_admin_state(CF::Device::AdminType state) {
  call_each(parts(), [&](const DeviceRef& device) { device->adminState(state); });
}

bool AggregateDeviceServant::are_locked() const {
  bool are_locked = true;
  call_each(parts(), [&](const DeviceRef& device) {
    are_locked = are_locked && device->adminState() == CF::Device::AdminType::LOCKED;
  });
  return are_locked;
}

void AggregateDeviceServant::release_all() {
  CF::DeviceSequence released;
  {
    // Removed before they are called: devices that are part of each other end, too.
    const std::lock_guard lock(mutex_);
    released.swap(devices_);
  }
  call_each(released, [](const DeviceRef& device) { device->releaseObject(); });
}

void AggregateDeviceServant::call_each(const CF::DeviceSequence& devices,
                                       const std::function<void(const DeviceRef& device)>& function) const {
  for (const DeviceRef& each : devices) {
    try {
      if (const auto device = with_call_limit<CF::Device>(each->_get_orb(), each, kAggregateCallMs))
        function(device);
    } catch (const CORBA::Exception&) {  // it has ended, or cannot do it
    }
  }
}

}  // namespace orbweaver::sca
