#pragma once

#include <orbweaver/object.h>
#include <orbweaver/orb.h>

#include <cstddef>
#include <string>

#include "CFC.h"
#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// What execute() of a device has returned.
struct Executed {
  std::int64_t process = -1;  ///< As DeployedComponent::process.
  Execution41 execution;      ///< As DeployedComponent::execution.
};

/// A device, which is one of SCA 2.2.2 (a CF::Device) or of SCA 4.1 (it has those of the interfaces into
/// which 4.1 splits CF::ExecutableDevice that it needs). A device of 4.1 without AdministratableInterface is
/// unlocked, without DeviceAttributes enabled, without CapacityManagement it has no capacities. Exceptions
/// are those of CF::Device, CF::LoadableDevice and CF::ExecutableDevice, and CORBA system exceptions; the
/// time limits of the calls are those of the reference. Immutable; any thread.
class DeviceObject {
 public:
  using Ref = IDL::traits<CORBA::Object>::ref_type;
  using FilesRef = IDL::traits<CF::FileSystem>::ref_type;

  /// Calls of a nil device raise OBJECT_NOT_EXIST.
  DeviceObject(Ref object, bool is_sca41);

  CF::Device::AdminType admin_state() const;
  CF::Device::OperationalType operational_state() const;
  CF::Device::UsageType usage_state() const;
  void query(CF::Properties& properties) const;

  // Whether the device has the operations below. May call it, to learn its type.
  bool has_capacities() const;
  bool loads() const;
  bool executes() const;

  // Each of these may call the device before, to learn its type, and throws std::runtime_error if it does
  // not have the operation; allocate() raises InvalidCapacity then.
  bool allocate(const CF::Properties& capacities) const;
  void load(const FilesRef& files, const std::string& file, CF::LoadableDevice::LoadType type) const;
  /// Throws std::runtime_error also for an execution that cannot be stored, after it has been terminated: one
  /// with a process above 2^63, a collocation of more than kMaxCollocationBytes, or more than kMaxCores
  /// cores.
  Executed execute(const std::string& file, const CF::Properties& options,
                   const CF::Properties& parameters) const;

  // Of a device that has the operation. No other call is made: after a time-out, this one may have been
  // performed.
  void deallocate(const CF::Properties& capacities) const;
  void unload(const std::string& file) const;
  void terminate(const Executed& executed) const;

  static constexpr std::size_t kMaxCollocationBytes = 1024, kMaxCores = 4096;

 private:
  Ref object_;
  bool is_sca41_;
};

}  // namespace orbweaver::sca
