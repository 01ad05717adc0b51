#pragma once

#include <chrono>
#include <cstdint>

namespace orbweaver::sca {

/// The time in seconds since 1970-01-01 00:00 UTC.
inline std::int64_t unix_time_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace orbweaver::sca
