#pragma once

#include <cstddef>
#include <cstdint>

#include <orbweaver/span.h>

namespace orbweaver {

/// Bytes somebody else owns; the function that takes or returns them says for how long.
using Bytes = span<const std::uint8_t>;
using MutableBytes = span<std::uint8_t>;

/// The next multiple of `alignment` (a power of two) at or above `n`.
constexpr std::size_t round_up(std::size_t n, std::size_t alignment) noexcept {
  return (n + alignment - 1) & ~(alignment - 1);
}

}  // namespace orbweaver
