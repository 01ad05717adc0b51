#pragma once

#include <cstddef>
#include <cstdint>

#include <orbweaver/span.h>

namespace orbweaver {

/// Bytes owned elsewhere. The function that takes or returns them documents how long they are valid.
using Bytes = span<const std::uint8_t>;
/// As Bytes, for writing.
using MutableBytes = span<std::uint8_t>;

/// Returns the smallest multiple of `alignment` (a power of two) that is not less than `n`.
constexpr std::size_t round_up(std::size_t n, std::size_t alignment) noexcept {
  return (n + alignment - 1) & ~(alignment - 1);
}

}  // namespace orbweaver
