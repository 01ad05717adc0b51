#include "sca/device/aggregate_device.h"

#include <algorithm>

#include "sca/device/call_limit.h"

namespace orbweaver::sca {
namespace {

/// Of each call to a part. Releasing it ends its processes.
constexpr int kCallMs = 5000;

[[noreturn]] void reject(const char* message) { throw CF::InvalidObjectReference(message); }

}  // namespace

CF::DeviceSequence AggregateDeviceServant::devices() {
  const std::lock_guard lock(mutex_);
  return devices_;
}

void AggregateDeviceServant::addDevice(DeviceRef associatedDevice) {
  if (!associatedDevice) reject("the device is nil");
  const std::lock_guard lock(mutex_);
  for (const DeviceRef& each : devices_)
    if (each->_is_equivalent(associatedDevice)) return;
  if (devices_.size() == kMaxDevices) reject("too many devices are part of this one");
  devices_.push_back(std::move(associatedDevice));
}

void AggregateDeviceServant::removeDevice(DeviceRef associatedDevice) {
  if (!associatedDevice) reject("the device is nil");
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(devices_.begin(), devices_.end(),
                                  [&](auto& each) { return each->_is_equivalent(associatedDevice); });
  if (found == devices_.end()) reject("the device is no part of this one");
  devices_.erase(found);
}

void AggregateDeviceServant::set_admin_state(CF::Device::AdminType state) {
  call_each(devices(), [&](const DeviceRef& device) { device->adminState(state); });
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
      if (const auto device = with_call_limit<CF::Device>(each->_get_orb(), each, kCallMs)) function(device);
    } catch (const CORBA::Exception&) {  // it has ended, or cannot do it
    }
  }
}

}  // namespace orbweaver::sca
