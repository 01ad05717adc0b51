#pragma once

#include <orbweaver/result.h>
#include <orbweaver/sca/property_value.h>

#include <string>
#include <vector>

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// The ports and properties of a component's class, as the component reports them. Plain data.
struct Description {
  struct Port {
    std::string name;
    bool provides = false;
    std::string repid;  ///< Repository id of the provided or called interface.
  };
  struct Property {
    std::string id;
    PropertyMode mode = PropertyMode::readwrite;
    DeclaredType type;
  };
  std::vector<Port> ports;
  std::vector<Property> properties;
};

/// Compares a component with its profiles: each port of its SCD must exist in the class, with the same
/// direction and a compatible interface; each property of its PRF of kind configure or execparam must exist
/// in the class, unless the framework sets it; and a property that is in both must have the same form and
/// members, be able to hold the PRF's values, and not be readonly or writeonly in the class only. Fails with
/// ErrorKind::invalid; the message names the place in the profile.
Result<void> check_description(const Assembly& assembly, std::size_t component,
                               const Description& description);

}  // namespace orbweaver::sca
