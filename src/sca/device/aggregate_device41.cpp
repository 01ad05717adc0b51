#include "sca/device/aggregate_device41.h"

#include "CF41C.h"
#include "sca/cf/sca41_port.h"
#include "sca/own_device/call_limit.h"

namespace orbweaver::sca {
namespace {

/// Of each call to a part. Releasing it ends its processes.
constexpr int kMemberCallMs = 5000;

[[noreturn]] void reject(const std::string& message) { throw CF::InvalidObjectReference(message); }

/// The object that stands for a device of 2.2.2 in 4.1; the device itself if there is none.
AggregateDeviceServant41::ObjectRef object41(const IDL::traits<CF::Device>::ref_type& device) {
  try {
    const auto limited = with_call_limit<CF::Device>(device->_get_orb(), device, kMemberCallMs);
    if (auto object = limited ? limited->getPort(kSca41Port) : nullptr) return object;
  } catch (const CORBA::Exception&) {  // it has none, or has ended
  }
  return device;
}

}  // namespace

CF::ObjectSequence AggregateDeviceServant41::devices() {
  CF::ObjectSequence devices;
  for (const auto& device : parts_->devices()) devices.push_back(object41(device));
  const std::lock_guard lock(mutex_);
  for (const auto& [id, device] : devices_) devices.push_back(device);
  return devices;
}

void AggregateDeviceServant41::addDevice(ObjectRef associatedDevice, const std::string& identifier) {
  if (!associatedDevice) reject("the device is nil");
  if (identifier.empty()) reject("the identifier of the device is empty");
  const std::lock_guard lock(mutex_);
  const auto known = devices_.find(identifier);
  if (known != devices_.end()) {
    if (known->second->_is_equivalent(associatedDevice)) return;
    reject("another device of this identifier is part of this one");
  }
  if (devices_.size() == AggregateDeviceServant::kMaxDevices) reject("too many devices are part of this one");
  devices_.emplace(identifier, std::move(associatedDevice));
}

void AggregateDeviceServant41::removeDevice(const std::string& identifier) {
  const std::lock_guard lock(mutex_);
  if (devices_.erase(identifier) == 0) reject("no device of this identifier is part of this one");
}

void AggregateDeviceServant41::set_admin_state(CF::Device::AdminType state) {
  std::map<std::string, ObjectRef> devices;
  {
    const std::lock_guard lock(mutex_);
    devices = devices_;
  }
  for (const auto& [id, device] : devices) {
    try {
      if (const auto part =
              with_call_limit<CF::AdministratableInterface>(device->_get_orb(), device, kMemberCallMs))
        part->adminState(static_cast<CF::AdministratableInterface::AdminType>(state));
    } catch (const CORBA::Exception&) {  // it has ended, or cannot do it
    }
  }
}

void AggregateDeviceServant41::release_all() {
  std::map<std::string, ObjectRef> released;
  {
    // Removed before they are called: devices that are part of each other end, too.
    const std::lock_guard lock(mutex_);
    released.swap(devices_);
  }
  for (const auto& [id, device] : released) {
    try {
      if (const auto part = with_call_limit<CF::LifeCycle>(device->_get_orb(), device, kMemberCallMs))
        part->releaseObject();
    } catch (const CORBA::Exception&) {  // it has ended, or cannot do it
    }
  }
}

}  // namespace orbweaver::sca
