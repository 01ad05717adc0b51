#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

/// What a process holds: for tests that say what is not left behind.
namespace orbweaver::transport::testing {

/// Calls of operator new in this process so far, the bytes they asked for (whether deleted since or not), and
/// the blocks that have not been deleted. Counted by the
/// operators in allocation_count.cpp, which a program that includes this must be linked with.
std::size_t allocations() noexcept;
std::size_t allocated_bytes() noexcept;
std::size_t live_blocks() noexcept;

inline std::size_t entries_of(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}
inline std::size_t descriptors() { return entries_of("/proc/self/fd"); }
inline std::size_t threads() { return entries_of("/proc/self/task"); }
/// Ours: other programs may come and go.
inline std::size_t shared_files() {
  const std::filesystem::directory_iterator all("/dev/shm");
  return static_cast<std::size_t>(std::count_if(begin(all), end(all), [](const auto& file) {
    return file.path().filename().string().find("orbweaver") != std::string::npos;
  }));
}

}  // namespace orbweaver::transport::testing
