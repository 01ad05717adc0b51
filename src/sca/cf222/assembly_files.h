#pragma once

#include <orbweaver/result.h>

#include <string>
#include <utility>

#include "CFC.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// Reads assemblies for a domain: in its folder, or in the file system of a node, which is mounted in the
/// file manager of the domain. Profiles of a node are copied to a temporary folder while they are read, a new
/// one each time: its paths remain in the assembly.
/// Thread-safe.
class AssemblyFiles {
 public:
  /// `root` is the folder of the domain.
  explicit AssemblyFiles(std::string root) : root_(std::move(root)) {}

  /// Reads the SAD `profile`, an absolute name in the file system `files` of the domain, with all that it
  /// names. Blocks while a node is called. Errors: unavailable if there is no such file or it cannot be read;
  /// invalid with the first mistake in the profiles; then `lacks_definition` tells whether a value is given
  /// to a property that no PRF defines. It is null for an assembly that has been installed before.
  Result<Assembly> read(const IDL::traits<CF::FileSystem>::ref_type& files, const std::string& profile,
                        bool* lacks_definition = nullptr);

  /// The name in the file system of the domain that a file of an assembly has; empty if it has none.
  std::string name_of(const std::string& path) const;

 private:
  const std::string root_;
};

}  // namespace orbweaver::sca
