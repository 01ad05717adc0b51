#include "base/whole_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

/// The file that a path names, after its symbolic links; it need not exist.
fs::path target_of(fs::path path) {
  constexpr int kMaxLinks = 40;  // as the kernel follows
  std::error_code error;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

}  // namespace

bool write_whole_file(const std::string& path, std::string_view text) {
  std::error_code error;
  const fs::path target = target_of(path);
  const fs::file_status status = fs::status(target, error);
  const bool replaces = !fs::exists(status) || fs::is_regular_file(status);
  const fs::path written = replaces ? fs::path(target.string() + ".new") : target;
  std::ofstream out(written, replaces ? std::ios::binary | std::ios::trunc : std::ios::binary);
  out << text;
  out.close();
  if (!replaces) return static_cast<bool>(out);
  error.clear();
  if (out) fs::rename(written, target, error);
  if (out && !error) return true;
  fs::remove(written, error);
  return false;
}

}  // namespace orbweaver
