#include "platform/standard_error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <cstdio>

namespace orbweaver::platform {

void write_standard_error(std::string_view text) noexcept {
  sigset_t broken_pipe;
  sigset_t pending;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigemptyset(&pending);
  sigpending(&pending);
  const int error = errno;
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const bool failed = std::fwrite(text.data(), 1, text.size(), stderr) != text.size();
  // Takes the signal that this write has raised in this thread, and none that was pending before.
  if (failed && errno == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec no_wait{};
    sigtimedwait(&broken_pipe, nullptr, &no_wait);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
}

bool standard_error_has_space(int wait_ms) noexcept {
  const int error = errno;
  pollfd output{2, POLLOUT, 0};
  // An error of the descriptor is one of the write. A signal ends the wait.
  const bool full = ::poll(&output, 1, wait_ms) == 0;
  errno = error;
  return !full;
}

}  // namespace orbweaver::platform
