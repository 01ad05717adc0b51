#include "sca/profile/profile_file.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "platform/folder.h"
#include "platform/regular_file.h"
#include "sca/profile/profile_error.h"
#include "sca/profile/xml_prescan.h"

namespace orbweaver::sca {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  const Location file{path};
  switch (error) {
    case ENOENT:
    case ENOTDIR: throw ProfileError(file, "there is no such file", "check the name and the folder");
    case EISDIR:
    case ENODEV:
    case ENXIO: throw ProfileError(file, "this is not a file", "name an XML file");
    case EXDEV:
      throw ProfileError(file, "a symbolic link leads out of the folder of --root",
                         "copy the file into the folder");
    default: break;
  }
  throw ProfileError(file, "the file cannot be read: " + platform::error_text(error),
                     "check its permissions");
}

}  // namespace

std::string read_profile(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::canonical(path, failed);  // it may be a link
  if (failed) fail(path, failed.value());
  return read_profile_in(resolved.parent_path().string(), resolved.filename().string(), path);
}

std::string read_profile_in(const std::string& folder, const std::string& name, const std::string& path) {
  platform::FdResult root = platform::open_folder(folder);
  if (!root) fail(path, root.error);
  const platform::FdResult file = platform::Folder(std::move(root.fd)).open_file(name, true);
  if (!file) fail(path, file.error);
  // The contents are read instead of the size: a file may grow.
  std::string text(kMaxProfileBytes + 1, '\0');
  const auto read =
      platform::read_at(file.fd, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}, 0);
  if (read.error != 0) fail(path, read.error);
  text.resize(read.bytes);
  if (text.size() > kMaxProfileBytes) {
    throw ProfileError({path}, "the file is larger than " + std::to_string(kMaxProfileBytes >> 20) + " MiB",
                       "domain profiles are smaller: check that this is one");
  }
  if (text.empty()) throw ProfileError({path}, "the file is empty");
  return text;
}

}  // namespace orbweaver::sca
