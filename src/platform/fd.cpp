#include "platform/fd.h"

#include <unistd.h>

#include <system_error>

namespace orbweaver::platform {

void Fd::reset() noexcept {
  // Not repeated on EINTR: Linux has released the number by then, and another thread may have reused it.
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace orbweaver::platform
