#pragma once

#include <cstdint>

namespace orbweaver::platform {

/// A random number of the kernel, which nobody can predict. One system call; std::random_device also executes
/// CPUID, which takes tens of microseconds in a virtual machine. Any thread. Throws std::system_error if the
/// system has no random numbers.
std::uint64_t random_number();

}  // namespace orbweaver::platform
