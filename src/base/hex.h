#pragma once

#include <cstdint>
#include <string>

namespace orbweaver {

/// Appends a byte as two hexadecimal digits.
inline void append_hex(std::string& text, std::uint8_t byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  text += kDigits[byte >> 4];
  text += kDigits[byte & 15];
}

/// Returns the value of a hexadecimal digit, upper or lower case; -1 for another character.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace orbweaver
