#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace orbweaver {

/// A folder with a new name in the system's folder of temporary files ($TMPDIR or /tmp), which only this user
/// can enter. The destructor removes it with all that is in it.
class TemporaryFolder {
 public:
  /// `prefix` is how its name begins: "orbweaver-run".
  explicit TemporaryFolder(const std::string& prefix) {
    std::error_code failed;
    std::string name = (std::filesystem::temp_directory_path(failed) / (prefix + "-XXXXXX")).string();
    if (!failed && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Empty if it could not be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace orbweaver
