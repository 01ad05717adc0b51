#pragma once

#include "sca/profile/component.h"

namespace orbweaver::sca {

/// Whether an SCD is that of an application component of SCA 4.1, which registers itself at a
/// CF::ComponentRegistry: its type is one of 4.1, or it is a resource that supports interfaces that only 4.1
/// has, and not CF::Resource.
bool is_sca41(const ComponentDescriptor& component);

}  // namespace orbweaver::sca
