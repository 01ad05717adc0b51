#include "platform/file_permissions.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "platform/fd.h"

namespace orbweaver::platform {
namespace {

namespace fs = std::filesystem;

/// As in the kernel's own resolution of paths.
constexpr int kMaxHops = 40;

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
  return text;
}

/// Puts the parts of a path onto a stack, the first on top. That of an absolute path is "/".
void stack_parts(std::vector<fs::path>& stack, const fs::path& path) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (!part->empty() && *part != ".") stack.push_back(*part);
}

/// What is wrong with one folder or symbolic link; empty: nothing. `last`: it is the folder itself.
std::string problem_of(const std::string& path, const struct stat& status, bool last) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return path + " belongs to user " + std::to_string(status.st_uid);
  if (S_ISLNK(status.st_mode)) return {};  // its mode has no meaning
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && status.st_gid != status.st_uid;
  const bool by_others = by_group || (status.st_mode & S_IWOTH) != 0;
  // In a sticky folder only the owner of an entry can exchange it; others can create new ones.
  if (!by_others || (!last && (status.st_mode & S_ISVTX) != 0)) return {};
  return path + " can be written by others (mode " + octal(status.st_mode) + ")";
}

}  // namespace

std::string insecure_permissions_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 077) == 0)
    return {};
  return "its mode is " + octal(status.st_mode);
}

std::string insecure_path_of(const std::string& folder) {
  std::vector<fs::path> parts;
  std::error_code failed;
  stack_parts(parts, fs::absolute(folder, failed));
  if (failed) return folder + ": " + failed.message();
  fs::path here;  // without symbolic links, and examined
  int links = 0;
  while (!parts.empty()) {
    const fs::path part = std::move(parts.back());
    parts.pop_back();
    if (part == "..") {
      here = here.parent_path();
      continue;
    }
    const fs::path next = here / part;
    struct stat status {};
    if (lstat(next.c_str(), &status) != 0)
      return errno == ENOENT ? std::string() : next.string() + ": " + error_text(errno);
    if (auto problem = problem_of(next.string(), status, parts.empty()); !problem.empty()) return problem;
    if (!S_ISLNK(status.st_mode)) {
      here = next;
      continue;
    }
    const fs::path target = fs::read_symlink(next, failed);
    if (failed || ++links > kMaxHops) return next.string() + ": the symbolic link cannot be followed";
    stack_parts(parts, target);
  }
  return {};
}

int make_private_folders(const std::string& folder) {
  fs::path made;
  for (const fs::path& part : fs::path(folder)) {
    made /= part;
    std::error_code unknown;
    if (part.empty() || fs::exists(made, unknown)) continue;
    if (mkdir(made.c_str(), S_IRWXU) != 0 && errno != EEXIST) return errno;
  }
  std::error_code unknown;
  return fs::is_directory(made, unknown) ? 0 : ENOTDIR;
}

void make_private_file(const std::string& path) noexcept {
  const Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, S_IRUSR | S_IWUSR));
}

}  // namespace orbweaver::platform
