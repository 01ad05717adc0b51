#pragma once

#include <string>

#include "sca/profile/component.h"

namespace orbweaver::sca {

/// Whether an SCD is that of an application component of SCA 4.1, which registers itself at a
/// CF::ComponentRegistry: its type is one of 4.1, or it is a resource that supports interfaces that only 4.1
/// has, and not CF::Resource.
bool is_sca41(const ComponentDescriptor& component);

/// Whether an SCD is that of a device or service of SCA 4.1, which registers itself at a
/// CF::ComponentRegistry: its type says so (executabledevicecomponent).
bool is_platform_component41(const ComponentDescriptor& component);

/// Whether an SCD is that of a component factory of SCA 4.1: it supports CF::ComponentFactory, or its type
/// says so.
bool is_component_factory(const ComponentDescriptor& component);
/// Whether it is that of a factory of either edition, which has no ports and is not configured.
bool is_factory(const ComponentDescriptor& component);
/// "resource factory" or "component factory".
std::string factory_kind(const ComponentDescriptor& factory);

}  // namespace orbweaver::sca
