#include "base/contained.h"

#include <string>

#include "base/log.h"

namespace orbweaver {

void log_contained(const char* what, const char* why) noexcept try {
  log::warn(std::string(what) + ": " + why);
} catch (...) {
  // No memory for the line: nobody is told, and the work goes on.
}

}  // namespace orbweaver
