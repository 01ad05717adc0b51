#pragma once

#include <cstddef>

#include "CFC.h"
#include "sca/deployment/caller_placement.h"
#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// Limit of the arguments of one create() that are kept, as they are in memory: 256 KiB.
inline constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 10;
/// Why an application whose arguments exceed it cannot be created again.
inline constexpr const char* kTooLarge =
    "the properties and device assignments of its creation have more than 256 KiB, and are not kept";

/// The arguments of create(), as plain data. Properties whose values no property can have are left out. Has
/// no arguments (`has_arguments` is false) if they exceed kMaxKeptBytes; does not convert more than that.
Redeployment redeployment_of(const CF::Properties& configuration,
                             const CF::DeviceAssignmentSequence& assignments,
                             const CallerPlacement& placement);

// The arguments again.
CF::Properties configuration_of(const Redeployment& redeployment);
CF::DeviceAssignmentSequence assignments_of(const Redeployment& redeployment);
CallerPlacement placement_of(const Redeployment& redeployment);

}  // namespace orbweaver::sca
