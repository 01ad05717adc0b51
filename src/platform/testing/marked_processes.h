#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "platform/testing/read_file.h"

namespace orbweaver::platform::testing {

/// The ids of the processes whose environment contains `mark`, which a test has given to the programs that it
/// starts; those that execute a file of the name `program`, unless it is empty. A process has no environment
/// while it is being started.
inline std::vector<int> marked_processes(const std::string& mark, const std::string& program = {}) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code ignored;
    const std::filesystem::path executable = std::filesystem::read_symlink(entry.path() / "exe", ignored);
    if (!program.empty() && executable.filename() != program) continue;
    if (read_file(entry.path() / "environ").find(mark) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace orbweaver::platform::testing
