#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

/// Resources of a process, for tests of leaks.
namespace orbweaver::transport::testing {

/// Number of calls of operator new in this process so far, the bytes they requested (deleted or not), and the
/// number of blocks not yet deleted. Counted by allocation_count.cpp, which a program that includes this must
/// link.
std::size_t allocations() noexcept;
std::size_t allocated_bytes() noexcept;
std::size_t live_blocks() noexcept;

inline std::size_t entries_of(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}
inline std::size_t descriptors() { return entries_of("/proc/self/fd"); }
inline std::size_t threads() { return entries_of("/proc/self/task"); }
/// Shared memory files of Orbweaver; other programs' are not counted.
inline std::size_t shared_files() {
  const std::filesystem::directory_iterator all("/dev/shm");
  return static_cast<std::size_t>(std::count_if(begin(all), end(all), [](const auto& file) {
    return file.path().filename().string().find("orbweaver") != std::string::npos;
  }));
}

}  // namespace orbweaver::transport::testing
