#include "sca/cf222/assembly_files.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/temporary_folder.h"
#include "platform/folder.h"
#include "sca/profile_copies/profile_copies.h"

namespace orbweaver::sca {
namespace fs = std::filesystem;
namespace {

/// How the name of a folder of copies begins.
constexpr const char* kCopiesPrefix = "orbweaver-domain";

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
  const TemporaryFolder copies(kCopiesPrefix);
  const fs::path& folder = copies.path();
  if (folder.empty())
    return Error{ErrorKind::unavailable, "a temporary folder for " + profile + " cannot be made"};
  if (auto copied = copy_profiles(files, profile, folder); !copied) {
    if (lacks_definition != nullptr) return copied.take_error();
    return Error{copied.error().kind,
                 copied.error().message +
                     "; if it was installed with another --root, start the domain manager "
                     "with that one: it is now " +
                     root_};
  }
  auto assembly = load_assembly(path_of_copy(profile, folder), folder.string(), AssemblyUse::domain,
                                ProfileScope::root, lacks_definition);
  if (!assembly) return Error{assembly.error().kind, without_folder(assembly.error().message, folder)};
  return assembly;
}

std::string AssemblyFiles::name_of(const std::string& path) const {
  const auto below = [&](const fs::path& folder) -> fs::path {
    const fs::path relative = fs::path(path).lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
  };
  fs::path relative = below(root_);
  if (relative.empty()) {
    std::error_code failed;
    const fs::path copy = below(fs::temp_directory_path(failed));  // begins with the folder of the copies
    if (!failed && std::distance(copy.begin(), copy.end()) > 1 &&
        copy.begin()->string().starts_with(kCopiesPrefix))
      relative = copy.lexically_relative(*copy.begin());
  }
  return relative.empty() ? "" : "/" + relative.string();
}

}  // namespace orbweaver::sca
