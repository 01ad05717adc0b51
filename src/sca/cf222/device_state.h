#pragma once

#include "sca/cf222/device_profiles.h"
#include "sca/deployment/deployment.h"
#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// A device as its record and profile describe it. Does not call it.
DeploymentDevice registered_device(const Device& record, const IDL::traits<CORBA::Object>::ref_type& device,
                                   const DeviceProfile& profile);

/// Asks a device for its states and the present values of its allocation properties. A device that does not
/// answer is closed. Blocks while the device is called. Any thread. Throws nothing.
DeploymentDevice present_state(const Device& record, const IDL::traits<CORBA::Object>::ref_type& device,
                               const DeviceProfile& profile) noexcept;

}  // namespace orbweaver::sca
