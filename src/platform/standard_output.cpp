#include "platform/standard_output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

namespace orbweaver::platform {
namespace {

/// Blocks SIGPIPE in this thread, and takes one that was raised meanwhile.
class BlockedSigpipe {
 public:
  BlockedSigpipe() {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedSigpipe() {
    const timespec no_wait{};
    if (!was_pending_) sigtimedwait(&set_, nullptr, &no_wait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockedSigpipe(const BlockedSigpipe&) = delete;
  BlockedSigpipe& operator=(const BlockedSigpipe&) = delete;

 private:
  sigset_t set_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace

OutputWait wait_while_output_is_read(const Fd& stop, int timeout_ms) {
  // Without events, poll() reports errors only: the pipe has no reader.
  pollfd fds[] = {{stop.get(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
  if (::poll(fds, 2, timeout_ms) <= 0) return OutputWait::timed_out;
  if (fds[0].revents != 0) return OutputWait::stopped;
  return (fds[1].revents & (POLLERR | POLLHUP)) != 0 ? OutputWait::closed : OutputWait::timed_out;
}

int write_standard_output(std::string_view text, const Fd& stop) {
  const BlockedSigpipe blocked;
  while (!text.empty()) {
    pollfd fds[] = {{stop.get(), POLLIN, 0}, {STDOUT_FILENO, POLLOUT, 0}};
    if (::poll(fds, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (fds[0].revents != 0) return ECANCELED;
    // A pipe that is writable takes PIPE_BUF bytes without waiting.
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

}  // namespace orbweaver::platform
