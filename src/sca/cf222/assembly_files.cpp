#include "sca/cf222/assembly_files.h"

#include <iterator>

#include "sca/cf222/profile_copies.h"

namespace orbweaver::sca {
namespace fs = std::filesystem;

Result<Assembly> AssemblyFiles::read(const IDL::traits<CF::FileSystem>::ref_type& files,
                                     const std::string& profile) {
  std::error_code ignored;
  if (fs::is_regular_file(root_ + profile, ignored))
    return load_assembly(root_ + profile, root_, AssemblyUse::domain);
  fs::path folder;
  {
    const std::lock_guard lock(mutex_);
    if (!copies_) copies_.emplace("orbweaver-domain");
    if (copies_->path().empty()) {
      copies_.reset();
      return Error{ErrorKind::unavailable, "a temporary folder for " + profile + " cannot be made"};
    }
    folder = copies_->path() / std::to_string(++count_);
  }
  const auto read = [&]() -> Result<Assembly> {
    if (auto copied = copy_profiles(files, profile, folder); !copied) return copied.take_error();
    auto assembly = load_assembly(path_of_copy(profile, folder), folder.string(), AssemblyUse::domain);
    if (!assembly) return Error{assembly.error().kind, without_folder(assembly.error().message, folder)};
    return assembly;
  };
  auto assembly = read();
  fs::remove_all(folder, ignored);
  return assembly;
}

fs::path AssemblyFiles::copies() const {
  const std::lock_guard lock(mutex_);
  return copies_ ? copies_->path() : fs::path();
}

std::string AssemblyFiles::name_of(const std::string& path) const {
  const auto below = [&](const fs::path& folder) -> fs::path {
    const fs::path relative = fs::path(path).lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
  };
  fs::path relative = below(root_);
  if (const fs::path folder = copies(); relative.empty() && !folder.empty()) {
    const fs::path copy = below(folder);  // begins with the folder of the assembly
    if (std::distance(copy.begin(), copy.end()) > 1) relative = copy.lexically_relative(*copy.begin());
  }
  return relative.empty() ? "" : "/" + relative.string();
}

}  // namespace orbweaver::sca
