#pragma once

#include <string>

#include "sca/deployment/deployment.h"

namespace orbweaver::sca {

/// What a <domainfinder> of this type and name names, in a SAD or a DCD; nil if there is none. Raises what
/// the functions of the domain raise.
DeploymentDomain::ObjectRef find_in_domain(DeploymentDomain& domain, const std::string& type,
                                           const std::string& name);

}  // namespace orbweaver::sca
