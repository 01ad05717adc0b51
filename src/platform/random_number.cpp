#include "platform/random_number.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace orbweaver::platform {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  ssize_t got = 0;
  do {
    got = getrandom(&number, sizeof number, 0);  // so few octets are never returned in part
  } while (got < 0 && errno == EINTR);
  if (got != sizeof number) throw std::system_error(errno, std::generic_category(), "getrandom");
  return number;
}

}  // namespace orbweaver::platform
