#pragma once

#include <cstddef>

#include "platform/fd.h"

/// Descriptor counts and limits of this process.
namespace orbweaver::platform {

/// The soft limit RLIMIT_NOFILE of this process.
std::size_t descriptor_limit() noexcept;
/// The number of descriptors from the lowest free one up to the limit; 0: no descriptor is free. All of them
/// can be opened unless some above the lowest free one are in use. Two or three system calls: not for hot
/// paths.
std::size_t available_descriptors() noexcept;
/// The number of open descriptors of this process, counted in /proc/self/fd; if that cannot be read, the
/// limit less `available_descriptors`. Before Linux 6.2, takes time in proportion to the number.
std::size_t descriptors_in_use() noexcept;
/// A reserve descriptor: closed to accept and reject one connection when the process is out of descriptors.
/// Empty if no descriptor is free.
Fd spare_descriptor() noexcept;
/// Opens /dev/null as those of the descriptors 0, 1 and 2 that are closed: a socket with such a number would
/// receive what the program writes to its standard output or error.
void open_standard_descriptors() noexcept;
/// A second descriptor of the same open file (F_DUPFD_CLOEXEC); empty if no descriptor is free.
Fd duplicate(const Fd& fd) noexcept;

}  // namespace orbweaver::platform
