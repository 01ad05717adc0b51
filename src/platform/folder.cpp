#include "platform/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace orbweaver::platform {
namespace {

/// As in the kernel's own resolution of paths.
constexpr unsigned kMaxLinks = 40;
/// More than a name of 1024 characters has parts, even if a link is among them.
constexpr std::size_t kMaxDepth = 1024;

FdResult failed(int error) { return {Fd(), error}; }
FdResult opened(int fd) { return fd < 0 ? failed(errno) : FdResult{Fd(fd), 0}; }
int failed_if(int result) { return result == 0 ? 0 : errno; }

/// Puts the parts of a path onto a stack, the first on top.
void push_parts(std::vector<std::string>& stack, std::string path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    std::string part = path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (!part.empty() && part != ".") stack.push_back(std::move(part));
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

int read_link(int link, std::string& target) {
  char text[4096];
  const ssize_t n = readlinkat(link, "", text, sizeof text);
  if (n < 0) return errno;
  if (static_cast<std::size_t>(n) == sizeof text) return ENAMETOOLONG;
  target.assign(text, static_cast<std::size_t>(n));
  return 0;
}

/// Opens a name below `root` part by part, each relative to the descriptor of the part before it and without
/// following links, which are resolved here. ".." goes back to the descriptor through which the part was
/// reached, so that a folder that is moved meanwhile does not lead out.
FdResult open_by_parts(int root, const std::string& name, int flags) {
  std::vector<Fd> folders;  // from the root, which is not among them, to the present one
  std::vector<std::string> parts;
  push_parts(parts, name);
  unsigned links = 0;
  while (!parts.empty()) {
    const int here = folders.empty() ? root : folders.back().get();
    const std::string part = std::move(parts.back());
    parts.pop_back();
    if (part == "..") {
      if (folders.empty()) return failed(EXDEV);
      folders.pop_back();
      continue;
    }
    Fd entry(openat(here, part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!entry) return failed(errno);
    struct stat status {};
    if (fstat(entry.get(), &status) != 0) return failed(errno);
    if (S_ISLNK(status.st_mode)) {
      std::string target;
      if (++links > kMaxLinks) return failed(ELOOP);
      if (const int error = read_link(entry.get(), target)) return failed(error);
      if (target[0] == '/') return failed(EXDEV);
      push_parts(parts, std::move(target));
      if (parts.size() > kMaxDepth) return failed(ENAMETOOLONG);
    } else if (parts.empty()) {
      // The entry may have been exchanged for a link, which is not followed: ELOOP.
      return opened(openat(here, part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    } else if (!S_ISDIR(status.st_mode)) {
      return failed(ENOTDIR);
    } else if (folders.size() == kMaxDepth) {
      return failed(ENAMETOOLONG);
    } else {
      folders.push_back(std::move(entry));
    }
  }
  return opened(openat(folders.empty() ? root : folders.back().get(), ".", flags | O_CLOEXEC));
}

FdResult open_by_kernel(int root, const std::string& name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const char* const path = name.empty() ? "." : name.c_str();
  return opened(static_cast<int>(syscall(SYS_openat2, root, path, &how, sizeof how)));
}

FileStatus status_of(const struct statx& from) {
  FileStatus status;
  status.kind = S_ISREG(from.stx_mode)   ? FileKind::regular
                : S_ISDIR(from.stx_mode) ? FileKind::folder
                                         : FileKind::other;
  status.size = from.stx_size;
  status.modified_s = from.stx_mtime.tv_sec;
  status.accessed_s = from.stx_atime.tv_sec;
  status.created_s = (from.stx_mask & STATX_BTIME) != 0
                         ? from.stx_btime.tv_sec
                         : std::min({from.stx_mtime.tv_sec, from.stx_ctime.tv_sec, from.stx_atime.tv_sec});
  return status;
}

int read_status(int folder, const char* name, int flags, struct statx& status) {
  return failed_if(statx(folder, name, flags | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_BTIME, &status));
}

}  // namespace

FdResult open_folder(const std::string& path) {
  return opened(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

FdResult lock_folder(const std::string& path) {
  // flock() needs a descriptor that is open for reading, not O_PATH.
  FdResult folder = opened(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && flock(folder.fd.get(), LOCK_EX | LOCK_NB) != 0) return {Fd(), errno};
  return folder;
}

FdResult Folder::open_beneath(const std::string& name, int flags) const {
  if (resolver_ == Resolver::best) {
    FdResult result = open_by_kernel(root_.get(), name, flags);
    // ENOSYS: an older kernel. EPERM: a sandbox that does not know the call. EAGAIN: a folder has been
    // renamed, and the kernel cannot tell whether ".." leads out.
    if (result || (result.error != ENOSYS && result.error != EPERM && result.error != EAGAIN)) return result;
  }
  return open_by_parts(root_.get(), name, flags);
}

FdResult Folder::open_parent(const std::string& name, std::string& last) const {
  const std::size_t slash = name.rfind('/');
  last = name.substr(slash == std::string::npos ? 0 : slash + 1);
  if (last.empty() || last == "." || last == "..") return failed(EBUSY);
  return open_beneath(name.substr(0, slash == std::string::npos ? 0 : slash), O_PATH | O_DIRECTORY);
}

FdResult Folder::open_file(const std::string& name, bool read_only) const {
  // Opening a device can have effects, and opening a FIFO can block: the kind is read first, without opening.
  for (const int flags : {O_PATH, (read_only ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY}) {
    FdResult file = open_beneath(name, flags);
    struct stat status {};
    if (file && fstat(file.fd.get(), &status) != 0) return failed(errno);
    if (file && S_ISDIR(status.st_mode)) return failed(EISDIR);
    if (file && !S_ISREG(status.st_mode)) return failed(ENODEV);
    if (!file || flags != O_PATH) return file;
  }
  return failed(EINVAL);  // not reached
}

FdResult Folder::create_file(const std::string& name) const {
  std::string last;
  const FdResult parent = open_parent(name, last);
  if (!parent) return failed(parent.error);
  return opened(openat(parent.fd.get(), last.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0666));
}

int Folder::status(const std::string& name, FileStatus& status) const {
  const FdResult file = open_beneath(name, O_PATH);
  if (!file) return file.error;
  struct statx found {};
  if (const int error = read_status(file.fd.get(), "", AT_EMPTY_PATH, found)) return error;
  status = status_of(found);
  return 0;
}

int Folder::remove_file(const std::string& name) const {
  std::string last;
  const FdResult parent = open_parent(name, last);
  return parent ? failed_if(unlinkat(parent.fd.get(), last.c_str(), 0)) : parent.error;
}

int Folder::make_folder(const std::string& name) const {
  std::string last;
  const FdResult parent = open_parent(name, last);
  return parent ? failed_if(mkdirat(parent.fd.get(), last.c_str(), 0777)) : parent.error;
}

int Folder::remove_folder(const std::string& name) const {
  std::string last;
  const FdResult parent = open_parent(name, last);
  return parent ? failed_if(unlinkat(parent.fd.get(), last.c_str(), AT_REMOVEDIR)) : parent.error;
}

int Folder::rename(const std::string& from, const std::string& to) const {
  std::string last_from, last_to;
  const FdResult parent_from = open_parent(from, last_from);
  if (!parent_from) return parent_from.error;
  const FdResult parent_to = open_parent(to, last_to);
  if (!parent_to) return parent_to.error;
  return failed_if(renameat(parent_from.fd.get(), last_from.c_str(), parent_to.fd.get(), last_to.c_str()));
}

int Folder::space(FolderSpace& space) const {
  struct statvfs found {};
  if (fstatvfs(root_.get(), &found) != 0) return errno;
  space.size = static_cast<std::uint64_t>(found.f_blocks) * found.f_frsize;
  space.available = static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
  return 0;
}

int Folder::list(const std::string& name, const std::function<bool(const std::string&)>& matches,
                 const std::function<bool(std::string, const FileStatus&)>& found) const {
  FdResult folder = open_beneath(name, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(folder.fd.get()), closedir);
  if (!stream) return errno;
  const int fd = folder.fd.release();  // the stream's now
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) return errno;
    std::string each = entry->d_name;
    if (each == "." || each == ".." || !matches(each)) continue;
    struct statx raw {};
    if (read_status(fd, entry->d_name, AT_SYMLINK_NOFOLLOW, raw) != 0) continue;  // removed meanwhile
    FileStatus status = status_of(raw);
    if (S_ISLNK(raw.stx_mode) && this->status(name.empty() ? each : name + "/" + each, status) != 0) continue;
    if (status.kind != FileKind::other && !found(std::move(each), status)) return 0;
  }
}

}  // namespace orbweaver::platform
