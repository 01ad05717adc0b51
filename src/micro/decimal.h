#pragma once

#include <cstddef>
#include <string_view>

namespace orbweaver::micro {

/// A decimal number, such as a port; `most` + 1 if it is larger, or there is another character than a digit.
/// 0 for an empty text. Any thread.
std::size_t decimal(std::string_view digits, std::size_t most) noexcept;

}  // namespace orbweaver::micro
