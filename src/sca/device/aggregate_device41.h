#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "CF41DomainS.h"
#include "sca/device/aggregate_device.h"

namespace orbweaver::sca {

/// Servant of an AggregateDevice of SCA 4.1 (3.1.3.4): the devices that are part of another one. Those that
/// have been added to its AggregateDevice of SCA 2.2.2 are among them, by the objects that stand for them in
/// SCA 4.1. Any thread; no lock is held while a device is called.
class AggregateDeviceServant41 final
    : public virtual CORBA::servant_traits<CF41::AggregateDevice>::base_type {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

  explicit AggregateDeviceServant41(CORBA::servant_reference<AggregateDeviceServant> parts)
      : parts_(std::move(parts)) {}

  CF::ObjectSequence devices() override;
  /// Raises InvalidObjectReference for nil, an empty identifier, one that another device has, and beyond
  /// AggregateDeviceServant::kMaxDevices. No effect for a device that is there under this identifier.
  void addDevice(ObjectRef associatedDevice, const std::string& identifier) override;
  /// Raises InvalidObjectReference for an identifier that no device has been added with here.
  void removeDevice(const std::string& identifier) override;

  // As AggregateDeviceServant, for the devices that have been added here.
  void set_admin_state(CF::Device::AdminType state);
  void release_all();

 private:
  const CORBA::servant_reference<AggregateDeviceServant> parts_;
  std::mutex mutex_;
  std::map<std::string, ObjectRef> devices_;  // mutex_; by identifier
};

}  // namespace orbweaver::sca
