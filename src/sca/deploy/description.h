#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// What a component's class has, as the component itself tells: plain data.
struct Description {
  struct Port {
    std::string name;
    bool provides = false;
    std::string repid;  ///< Of the interface that it provides, or calls.
  };
  struct Property {
    std::string id;
    std::string type;  ///< The PRF's word, or longlong, ulonglong, int8.
  };
  std::vector<Port> ports;
  std::vector<Property> properties;
};

/// Compares a component with its profiles: each port of its SCD must be there, in the same direction and of an
/// interface that fits, and each property that its PRF shares with the class must be able to hold the PRF's values.
/// Fails with Remedy::mend; the message names the place in the profile.
Result<void> check_description(const Assembly& assembly, std::size_t component, const Description& description);

}  // namespace orbweaver::sca
