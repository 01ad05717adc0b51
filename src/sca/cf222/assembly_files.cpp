#include "sca/cf222/assembly_files.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "platform/folder.h"
#include "sca/cf222/profile_copies.h"

namespace orbweaver::sca {
namespace fs = std::filesystem;
namespace {

/// Whether symbolic links lead from a name in a folder, "/sub/a.xml", to a file outside; or from the folders
/// in the name, be it to come back: the file system of the domain follows no such link, and could not load
/// the code files that are named relative to the file.
bool leads_out(const std::string& folder, const std::string& name) {
  if (auto opened = platform::open_folder(folder)) {
    platform::FileStatus status;
    const std::string parent = fs::path(name).parent_path().relative_path().string();
    if (platform::Folder(std::move(opened.fd)).status(parent, status) == EXDEV) return true;
  }
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  const fs::path path = failed ? fs::path() : fs::canonical(folder + name, failed);
  if (failed) return false;  // it does not exist
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first != root.end();
}

}  // namespace

Result<Assembly> AssemblyFiles::read(const IDL::traits<CF::FileSystem>::ref_type& files,
                                     const std::string& profile, bool* lacks_definition) {
  std::error_code ignored;
  if (fs::is_regular_file(root_ + profile, ignored)) {
    if (leads_out(root_, profile))
      return Error{ErrorKind::invalid, root_ + profile +
                                           ": a symbolic link leads out of the folder of --root (" + root_ +
                                           "); copy the file into the folder"};
    return load_assembly(root_ + profile, root_, AssemblyUse::domain, ProfileScope::root, lacks_definition);
  }
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
    auto assembly = load_assembly(path_of_copy(profile, folder), folder.string(), AssemblyUse::domain,
                                  ProfileScope::root, lacks_definition);
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
