#pragma once

#include <cstddef>
#include <vector>

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// Computes Plan::start_order of the assembly.
std::vector<std::size_t> start_order(const Assembly& assembly);

}  // namespace orbweaver::sca
