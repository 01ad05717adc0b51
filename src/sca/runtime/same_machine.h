#pragma once

#include <string>

#include "giop/ior.h"

namespace orbweaver::sca {

/// Whether the object of a profile is served by a process of Orbweaver in this boot of this machine, and in
/// this network namespace.
bool is_on_this_machine(const giop::IiopProfile& profile);
/// Whether this holds for all profiles of a stringified reference. False for what is none.
bool is_on_this_machine(const std::string& reference);

}  // namespace orbweaver::sca
