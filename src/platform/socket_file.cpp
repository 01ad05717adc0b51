#include "platform/socket_file.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "platform/system_call.h"

namespace orbweaver::platform {
namespace {

/// Whether the path is a socket without a listener, which a killed server leaves behind.
bool is_stale(const std::string& path, const SocketAddress& address) noexcept {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const Fd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe && connect(probe.get(), as_sockaddr(address), address.length) != 0 && errno == ECONNREFUSED;
}

}  // namespace

FdResult listen_at_path(const std::string& path, const SocketAddress& address, int backlog) noexcept {
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return {Fd(), errno};
  // Set before bind, so that the file is created with this mode.
  if (fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) return {Fd(), errno};
  if (bind(fd.get(), as_sockaddr(address), address.length) != 0) {
    if (errno != EADDRINUSE) return {Fd(), errno};
    if (!is_stale(path, address)) return {Fd(), EADDRINUSE};
    unlink(path.c_str());
    if (bind(fd.get(), as_sockaddr(address), address.length) != 0) return {Fd(), errno};
  }
  if (listen(fd.get(), backlog) != 0) {
    const int error = errno;
    unlink(path.c_str());
    return {Fd(), error};
  }
  return {std::move(fd), 0};
}

FileIdentity file_identity(const std::string& path) noexcept {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return {};
  return {file.st_dev, file.st_ino};
}

void remove_file(const std::string& path, const FileIdentity& file) noexcept {
  const FileIdentity now = file_identity(path);
  if (now.inode != 0 && now.inode == file.inode && now.device == file.device) unlink(path.c_str());
}

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "";
}

}  // namespace orbweaver::platform
