#include "platform/last_message.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace orbweaver::platform {

void write_last_message(int descriptor, std::string_view message) noexcept {
  pollfd ready{descriptor, POLLOUT, 0};
  // A pipe with space has space for PIPE_BUF octets; one without a reader has POLLERR.
  if (poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT) return;
  const std::size_t size = std::min<std::size_t>(message.size(), PIPE_BUF);
  [[maybe_unused]] const ssize_t written = write(descriptor, message.data(), size);
}

}  // namespace orbweaver::platform
