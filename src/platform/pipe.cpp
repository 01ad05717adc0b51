#include "platform/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace orbweaver::platform {

Pipe make_pipe() noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {Fd(), Fd(), errno};
  return {Fd(ends[0]), Fd(ends[1]), 0};
}

Pipe make_pipe_without_data() noexcept {
  Pipe pipe = make_pipe();
  if (pipe.error == 0) ::fcntl(pipe.write.get(), F_SETPIPE_SZ, 1);  // rounded up to a page
  return pipe;
}

bool is_pipe_write_end(const Fd& fd) noexcept {
  // F_GETPIPE_SZ fails for all but pipes, and unlike fstat calls no file system.
  if (::fcntl(fd.get(), F_GETPIPE_SZ) < 0) return false;
  const int flags = ::fcntl(fd.get(), F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY;
}

}  // namespace orbweaver::platform
