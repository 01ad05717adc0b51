// The memory of a process, as the kernel counts it.
#pragma once

#include <sys/types.h>

namespace orbweaver::bench {

/// Memory of one process in KiB.
struct ProcessMemory {
  double resident_kib = 0;  ///< pages in memory, shared ones included
  double private_kib = 0;   ///< those that no other process has
};

/// Reads /proc/PID/smaps_rollup; 0 is this process. All zero if the process does not exist or cannot be read.
ProcessMemory memory_of(pid_t process);

}  // namespace orbweaver::bench
