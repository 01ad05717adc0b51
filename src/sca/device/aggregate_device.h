#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "CFS.h"

namespace orbweaver::sca {

/// Servant of a CF::AggregateDevice (SCA 2.2.2 3.1.3.3.4): the devices that are part of another one, which
/// add and remove themselves. Any thread; no lock is held while a device is called.
class AggregateDeviceServant final : public virtual CORBA::servant_traits<CF::AggregateDevice>::base_type {
 public:
  using DeviceRef = IDL::traits<CF::Device>::ref_type;

  /// `failed` is called with the reason of an operation that fails; it must not wait long. Null: nothing is.
  explicit AggregateDeviceServant(std::function<void(const std::string&)> failed = {})
      : failed_(std::move(failed)) {}

  CF::DeviceSequence devices() override { return parts(); }
  /// Raises InvalidObjectReference for nil, and beyond kMaxDevices. No effect for a device that is there.
  void addDevice(DeviceRef associatedDevice) override;
  /// Raises InvalidObjectReference for a device that is not there.
  void removeDevice(DeviceRef associatedDevice) override;

  /// Sets the administrative state of all parts, one after the other. Parts that cannot be called, or do not
  /// answer in time, are left out, here and below.
  void set_admin_state(CF::Device::AdminType state);
  /// Whether the administrative state of all parts is LOCKED.
  bool are_locked() const;
  /// Removes all parts and releases them, one after the other.
  void release_all();

  static constexpr std::size_t kMaxDevices = 1024;

 private:
  CF::DeviceSequence parts() const;
  void call_each(const CF::DeviceSequence& devices,
                 const std::function<void(const DeviceRef& device)>& function) const;

  [[noreturn]] void reject(const std::string& message) const;

  const std::function<void(const std::string&)> failed_;
  mutable std::mutex mutex_;
  CF::DeviceSequence devices_;  // mutex_
};

}  // namespace orbweaver::sca
