#pragma once

#include <string>

#include "CF41C.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// Name of the façade: in the naming context of the domain that of the domain manager of SCA 4.1, and part of
/// the keys of its objects.
inline constexpr const char* kFacade41 = "DomainManager41";

/// Records of a domain as the CF::ComponentType of SCA 4.1. Their objects need not exist. That of a node or
/// device of SCA 2.2.2 is the object that stands for it in SCA 4.1, or, if it has none, its own.
CF::ComponentType component_type(const Domain& domain, const RegisteredDevice& device);
CF::ComponentType component_type(const Domain& domain, const InstalledApplication& installed);
CF::ComponentType component_type(const Domain& domain, const Application& application);
/// With implementation, device and process in its specializedInfo.
CF::ComponentType component_type(const Domain& domain, const DeployedComponent& component);
/// The nodes of both editions, each with its file system and components as MANAGER_INFO, and its devices as
/// COMPONENTS.
CF::Components manager_types(Domain& domain);

}  // namespace orbweaver::sca
