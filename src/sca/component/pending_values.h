#pragma once

#include <cstddef>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// Limit of the memory of values that wait until the thread of their component applies them, in bytes.
inline constexpr std::size_t kMaxPendingBytes = std::size_t{64} << 20;

/// Adds values, which have been checked, to those that wait. Of each property the last value remains, of a
/// struct that of each member, in the order in which they were given. Throws std::runtime_error if they would
/// take more than `max_bytes`: then nothing has been added.
void add_pending(Component::Values& pending, const Component::Values& values,
                 std::size_t max_bytes = kMaxPendingBytes);

}  // namespace orbweaver::sca
