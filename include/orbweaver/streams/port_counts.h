#pragma once

#include <cstdint>

namespace orbweaver::streams {

/// Calls of the function of a port. A plain value.
struct PortCounts {
  std::uint64_t processed = 0;  ///< Packets for which the function has been called and has ended.
  std::uint64_t failed = 0;     ///< Those of them for which it threw an exception.
};

}  // namespace orbweaver::streams
