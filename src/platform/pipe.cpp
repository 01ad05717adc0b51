#include "platform/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orbweaver::platform {

Pipe make_pipe() noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {Fd(), Fd(), errno};
  return {Fd(ends[0]), Fd(ends[1]), 0};
}

bool is_pipe_write_end(const Fd& fd) noexcept {
  // F_GETPIPE_SZ fails for all but pipes, and unlike fstat calls no file system.
  if (::fcntl(fd.get(), F_GETPIPE_SZ) < 0) return false;
  const int flags = ::fcntl(fd.get(), F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY;
}

bool is_unix_stream(const Fd& fd) noexcept {
  const auto has = [&](int option, int expected) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(fd.get(), SOL_SOCKET, option, &value, &size) == 0 && value == expected;
  };
  return has(SO_DOMAIN, AF_UNIX) && has(SO_TYPE, SOCK_STREAM) && has(SO_ACCEPTCONN, 0);
}

}  // namespace orbweaver::platform
