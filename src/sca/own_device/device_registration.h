#pragma once

#include <orbweaver/orb.h>

#include <string>

#include "CFC.h"

namespace orbweaver::sca {

/// The registration of a device of SCA 2.2.2 with its device manager, and its membership in the device that
/// it is part of. Used by one thread at a time.
class DeviceRegistration {
 public:
  using DeviceRef = IDL::traits<CF::Device>::ref_type;

  DeviceRegistration(IDL::traits<CORBA::ORB>::ref_type orb, DeviceRef device);

  /// Registers the device; the device manager initializes and configures it meanwhile. `manager`: a
  /// reference, the exec param DEVICE_MGR_IOR. Throws std::exception with a message.
  void register_with(const std::string& manager);
  /// Makes the device a part of `parent`, the exec param Composite_DEVICE_IOR (SCA 2.2.2 3.1.3.3.1.5.5); no
  /// effect if that is empty. Throws std::exception with a message.
  void join(const std::string& parent);
  /// Undoes both, as far as the others still exist.
  void leave() noexcept;

 private:
  const IDL::traits<CORBA::ORB>::ref_type orb_;
  const DeviceRef device_;
  IDL::traits<CF::DeviceManager>::ref_type manager_;   // nil: it is not registered
  IDL::traits<CF::AggregateDevice>::ref_type parent_;  // nil: it is part of none
};

}  // namespace orbweaver::sca
