#include "sca/domain_run/domain_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// The deepest folder that contains `folder` and the file.
fs::path common_folder(const fs::path& folder, const fs::path& file) {
  const fs::path other = fs::absolute(file).lexically_normal().parent_path();
  const auto end = std::mismatch(folder.begin(), folder.end(), other.begin(), other.end());
  fs::path common;
  for (auto part = folder.begin(); part != end.first; ++part) common /= *part;
  return common;
}

bool is_in(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Result<std::string> domain_folder(const Assembly& assembly, const std::string& root) {
  if (!root.empty()) {
    std::error_code failed;
    const fs::path folder = fs::canonical(root, failed);
    if (failed || !fs::is_directory(folder, failed))
      return Error{ErrorKind::invalid, "--root " + root + ": there is no such folder; give the folder at " +
                                           "which absolute file names in profiles start"};
    if (!is_in(assembly.file, folder))
      return Error{ErrorKind::invalid, "--root " + root + ": the folder does not contain " + assembly.file +
                                           ", and a domain deploys what is in its files"};
    return folder.string();
  }
  fs::path folder = fs::absolute(assembly.file).lexically_normal().parent_path();
  const auto add = [&](const SoftwarePackage& package) {
    folder = common_folder(folder, package.file);
    for (const Implementation& each : package.implementations) {
      std::error_code ignored;
      if (fs::exists(each.file, ignored)) folder = common_folder(folder, each.file);
    }
  };
  for (const std::string& file : assembly.inner_files) folder = common_folder(folder, file);
  for (const SoftwarePackage& package : assembly.packages) add(package);
  for (const auto& [file, package] : assembly.dependencies) add(package);
  return folder.string();
}

}  // namespace orbweaver::sca
