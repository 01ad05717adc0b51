// What the library count_blocks.cpp writes, and tests read.
#pragma once

#include <sys/types.h>

#include <string>

namespace orbweaver::bench {

/// The file in which a process counts its blocks: one `long`.
inline std::string block_counts_file(const std::string& folder, pid_t process) {
  return folder + "/" + std::to_string(process);
}

}  // namespace orbweaver::bench
