#pragma once

#include <cstdint>

namespace orbweaver::platform {

/// The CPU time that a process of this machine has used so far, in nanoseconds; 0 if there is none with that
/// id. Any thread.
std::int64_t process_cpu_ns(int pid) noexcept;

}  // namespace orbweaver::platform
