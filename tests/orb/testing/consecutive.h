#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace orbtest {

/// The numbers from `first` to `last`, with both; `last` is at least `first` - 1, which gives none.
inline std::vector<std::int32_t> consecutive(std::int32_t first, std::int32_t last) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace orbtest
