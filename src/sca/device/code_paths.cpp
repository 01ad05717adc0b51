#include "sca/device/code_paths.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "platform/environment.h"
#include "sca/files/file_name.h"

namespace orbweaver::sca {
namespace {

bool is_library(const std::string& path) {
  const std::string name = last_part_of(path);
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

bool is_python(std::string_view path) { return path.ends_with(".py") || path.ends_with(".pyc"); }

/// The largest string of an environment in bytes, with "NAME=" and without the octet 0 that ends it:
/// execve(2) of Linux accepts 32 pages of 4 KiB with that octet.
constexpr std::size_t kMaxVariableBytes = 32 * 4096 - 1;

/// A list of folders, each once.
class Folders {
 public:
  void add(const std::string& folder) {
    if (known_.insert(folder).second) all_.push_back(folder);
  }
  /// Adds the setting of `variable` to `environment`.
  Result<void> set(const char* variable, std::vector<std::string>& environment) const {
    std::string text;
    for (const std::string& folder : all_) {
      // The dynamic linker replaces $ORIGIN.
      if (folder.find_first_of(":;$") != std::string::npos)
        return Error{ErrorKind::invalid, "the folder '" + folder + "' cannot be in " + variable +
                                             ": it has one of the characters :;$"};
      text += (text.empty() ? "" : ":") + folder;
    }
    if (text.empty()) return {};
    const char* const present = platform::environment(variable);
    if (present != nullptr && *present != '\0') text += std::string(":") + present;
    text = variable + ("=" + text);
    if (text.size() > kMaxVariableBytes)
      return Error{ErrorKind::invalid,
                   std::string(variable) + " would have " + std::to_string(text.size()) + " octets for " +
                       std::to_string(all_.size()) + " folders; the limit of Linux is " +
                       std::to_string(kMaxVariableBytes) +
                       ": put the files of the packages that the component depends on into fewer folders"};
    environment.push_back(std::move(text));
    return {};
  }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;  // those in all_
};

void add_python(const CodeCache::LoadedFiles& loaded, Folders& folders) {
  if (!loaded.is_folder) {
    if (is_python(loaded.path)) folders.add(folder_of(loaded.path));
    return;
  }
  const auto is_there = [&](const std::string& path) {
    return std::find(loaded.files.begin(), loaded.files.end(), path) != loaded.files.end();
  };
  if (is_there(loaded.path + "/__init__.py")) return folders.add(folder_of(loaded.path));
  for (const std::string& file : loaded.files) {
    const std::string folder = folder_of(file);
    const bool is_module = folder == loaded.path && is_python(file);
    const bool is_package = last_part_of(file) == "__init__.py" && folder_of(folder) == loaded.path;
    if (is_module || is_package) return folders.add(loaded.path);
  }
}

}  // namespace

Result<std::vector<std::string>> code_environment(const std::vector<CodeCache::LoadedFiles>& dependencies) {
  Folders libraries, python;
  for (const CodeCache::LoadedFiles& loaded : dependencies) {
    for (const std::string& file : loaded.files)
      if (is_library(file)) libraries.add(folder_of(file));
    add_python(loaded, python);
  }
  std::vector<std::string> environment;
  if (auto set = libraries.set("LD_LIBRARY_PATH", environment); !set) return set.take_error();
  if (auto set = python.set("PYTHONPATH", environment); !set) return set.take_error();
  return environment;
}

}  // namespace orbweaver::sca
