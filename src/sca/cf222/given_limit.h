#pragma once

#include <cstddef>

namespace orbweaver::sca {

/// Limit of the values that a caller gives a domain in one call: properties or device assignments.
inline constexpr std::size_t kMaxGiven = 10'000;

}  // namespace orbweaver::sca
