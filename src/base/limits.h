#pragma once

#include <orbweaver/limits.h>

#include <cstddef>
#include <cstdint>

namespace orbweaver::limits {

/// `times` × `bytes`, or the largest size if that exceeds it: on 32-bit machines.
constexpr std::size_t multiple(std::size_t times, std::size_t bytes) noexcept {
  return bytes > SIZE_MAX / times ? SIZE_MAX : times * bytes;
}

}  // namespace orbweaver::limits
