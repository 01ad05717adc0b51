#include "base/contained.h"

#include <string>

#include "base/log.h"

namespace orbweaver {

void log_contained(const char* what, const char* why) noexcept try {
  // A peer may be who causes it.
  log::write_limited(log::Level::warn, what, "threads of the ORB", [&] { return std::string(what) + ": " + why; });
} catch (...) {
  // No memory for the line: nobody is told, and the work goes on.
}

}  // namespace orbweaver
