#include "platform/standard_error.h"

#include <errno.h>
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

}  // namespace orbweaver::platform
