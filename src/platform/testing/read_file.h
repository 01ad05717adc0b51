#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace orbweaver::platform::testing {

/// The content of a file, also of one in /proc; empty if it cannot be read.
inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace orbweaver::platform::testing
