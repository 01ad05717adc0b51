#include "sca/device/cache_folder.h"

#include <cerrno>
#include <filesystem>

#include "platform/environment.h"
#include "platform/file_permissions.h"
#include "sca/files/file_error.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

void require_secure(const std::string& folder) {
  const std::string problem = platform::insecure_path_of(folder);
  if (problem.empty()) return;
  throw CF::FileException(error_number(EPERM),
                          folder + ": another user could exchange the code: " + problem +
                              "; set the property cache_folder to a folder of this user alone");
}

}  // namespace

std::string default_cache_folder(const std::string& device_id) {
  const char* const cache = platform::environment("XDG_CACHE_HOME");
  const char* const home = platform::environment("HOME");
  fs::path folder;
  if (cache != nullptr && *cache == '/') {
    folder = cache;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".cache";
  } else {
    return {};
  }
  std::string name;
  for (const char c : device_id) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += is_plain ? c : '_';
  }
  return (folder / "orbweaver" / "devices" / name).string();
}

void make_cache_folder(const std::string& folder) {
  require_secure(folder);
  if (const int error = platform::make_private_folders(folder); error != 0)
    throw_file_exception(error, folder);
  require_secure(folder);
}

}  // namespace orbweaver::sca
