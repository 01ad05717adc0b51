// Profiles of the applications that `orbweaver bench deployment` creates.
#pragma once

#include <string>

namespace orbweaver::bench {

/// An application of equal components. Each is connected with those behind it, in a ring.
struct Assembly {
  unsigned components = 9;
  unsigned connections = 1;     ///< of each component
  bool in_one_process = false;  ///< each component is a library of its own in one process
  std::string program = {};     ///< of components in processes, with the ports of bench_stage; empty: that

  /// "9 processes", "9 libraries in one process".
  std::string text() const;
  /// Name of its SAD in the folder.
  std::string file_name() const;
};

/// Writes the SAD into `folder`, with the SPDs, the SCD and the code that it names. Throws
/// std::filesystem::filesystem_error or std::runtime_error if a file cannot be written.
void write_assembly(const Assembly& assembly, const std::string& folder);

/// Name of the library of component `index` in the folder.
std::string library_name(unsigned index);

}  // namespace orbweaver::bench
