#include "base/catch_and_log.h"

#include <string>

#include "base/log.h"

namespace orbweaver {

void log_caught_exception(const char* what, const char* why) noexcept try {
  // Limited in rate: a peer may cause the exception.
  log::write_limited(log::Level::warn, what, "threads of the ORB",
                     [&] { return std::string(what) + ": " + why; });
} catch (...) {
  // No memory for the line: it is not logged.
}

}  // namespace orbweaver
