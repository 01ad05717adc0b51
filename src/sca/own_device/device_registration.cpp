#include "sca/own_device/device_registration.h"

#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "sca/own_device/call_limit.h"

namespace orbweaver::sca {
namespace {

/// The device manager initializes and configures the device meanwhile.
constexpr int kRegistrationMs = 60'000;
constexpr int kUnregistrationMs = 2000;

}  // namespace

DeviceRegistration::DeviceRegistration(IDL::traits<CORBA::ORB>::ref_type orb, DeviceRef device)
    : orb_(std::move(orb)), device_(std::move(device)) {}

void DeviceRegistration::register_with(const std::string& manager) {
  manager_ = with_call_limit<CF::DeviceManager>(orb_, orb_->string_to_object(manager), kRegistrationMs);
  if (!manager_) throw std::invalid_argument("DEVICE_MGR_IOR does not lead to a CF::DeviceManager");
  try {
    manager_->registerDevice(device_);
  } catch (const CF::InvalidObjectReference& e) {
    throw std::runtime_error("the device manager rejects the device: " + printable(e.msg()));
  }
}

void DeviceRegistration::join(const std::string& parent) {
  if (parent.empty()) return;
  parent_ = with_call_limit<CF::AggregateDevice>(orb_, orb_->string_to_object(parent), kUnregistrationMs);
  if (!parent_) throw std::invalid_argument("Composite_DEVICE_IOR does not lead to a CF::AggregateDevice");
  try {
    parent_->addDevice(device_);
  } catch (const CF::InvalidObjectReference& e) {
    throw std::runtime_error("the device that it is part of rejects it: " + printable(e.msg()));
  }
}

void DeviceRegistration::leave() noexcept {
  try {
    if (parent_) parent_->removeDevice(device_);
  } catch (const std::exception&) {  // it has ended
  }
  try {
    if (manager_)
      with_call_limit<CF::DeviceManager>(orb_, manager_, kUnregistrationMs)->unregisterDevice(device_);
  } catch (const std::exception&) {  // it has ended, or has unregistered the device itself
  }
}

}  // namespace orbweaver::sca
