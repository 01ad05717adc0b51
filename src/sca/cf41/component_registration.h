#pragma once

#include <string>

#include "CF41C.h"
#include "sca/cf222/domain.h"
#include "sca/cf41/caller.h"

namespace orbweaver::sca {

/// Registers a device manager, device or service of SCA 4.1 that describes itself
/// (CF::ComponentRegistry::registerComponent): a device manager with the file system and components of its
/// MANAGER_INFO, a device with its ALLOCATION_PROPS and the DEVICE_MANAGER_ID of a registered node. Raises
/// CF::InvalidObjectReference for a nil object, and CF::ComponentRegistry::RegisterError with CF_EEXIST if
/// another component of this identifier is registered and runs, CF_ENOENT for an unknown node, CF_EINVAL for
/// what cannot be registered here, and CF_EIO if the state cannot be stored. The record keeps the identity of
/// `caller`, or of the one that has registered the same object before. Any thread.
void register_component(Domain& domain, const CF::ComponentType& component, const Caller& caller);

/// Unregisters what has registered under this identifier. Raises CF::FullComponentRegistry::UnregisterError
/// with CF_ENOENT if there is nothing, and CF_EPERM if `caller` is neither an administrator nor has the
/// identity that has registered the component or its node. Any thread.
void unregister_component(Domain& domain, const std::string& identifier, const Caller& caller);

}  // namespace orbweaver::sca
