#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sca/profile/assembly.h"
#include "sca/profile/profiles.h"

namespace orbweaver::sca {

/// Reads the SADs of one load, after Profiles has checked them. A file is read once, however often it is an
/// inner assembly. Functions throw ProfileError for what is not supported, and for what exceeds a limit.
class SadFiles {
 public:
  /// `root` as in load_assembly(). `profiles` must outlive this object.
  SadFiles(std::string root, const Profiles& profiles, AssemblyUse use)
      : root_(std::move(root)), profiles_(profiles), use_(use) {}

  /// Reads the outermost assembly.
  Assembly read(const std::string& path);
  /// The assembly at `path`, of which `placement` has instances, with its external ports and properties for
  /// every use. Valid as long as this object.
  const Assembly& inner(const std::string& path, const Element& placement);

  const std::string& root() const { return root_; }
  const Profiles& profiles() const { return profiles_; }
  AssemblyUse use() const { return use_; }

 private:
  std::string root_;
  const Profiles& profiles_;
  const AssemblyUse use_;
  std::map<std::string, std::unique_ptr<const Assembly>, std::less<>> inner_;  // null: being read
  std::size_t depth_ = 0;                                                      // of those that are being read
};

/// Adds the package of a <componentfile> to the assembly, without the properties and implementations that are
/// not supported (for AssemblyUse::check, with them). Throws ProfileError if nothing is left of it.
void add_package(Assembly& assembly, const Element& file, const SoftwarePackage& package,
                 const SadFiles& files);

}  // namespace orbweaver::sca
