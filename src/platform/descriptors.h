#pragma once

#include <cstddef>

#include "platform/fd.h"

/// How many descriptors this process may still open.
namespace orbweaver::platform {

/// The limit of this process (RLIMIT_NOFILE, the soft one).
std::size_t descriptor_limit() noexcept;
/// Descriptors below the limit and above the lowest free one, that one included; 0: there is none. Fewer may be in use
/// than that tells, never more. One system call or two: not for hot paths.
std::size_t descriptors_left() noexcept;
/// Those that this process has, counted in /proc; where that cannot be read, all but `descriptors_left`. Takes time for each
/// of them.
std::size_t descriptors_in_use() noexcept;
/// A descriptor of no use but to be given back when there is no other; empty where there is none left.
Fd spare_descriptor() noexcept;
/// Another descriptor of the same file; empty where there is none left.
Fd duplicate(const Fd& fd) noexcept;

}  // namespace orbweaver::platform
