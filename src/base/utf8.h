#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orbweaver {

/// The first character of a text in UTF-8 (RFC 3629).
struct Utf8Character {
  bool valid = false;
  std::uint32_t code = 0;  ///< Its code point, if valid.
  /// Its length. If invalid: the length of a whole overlong form, surrogate or code point above 0x10ffff;
  /// otherwise 1.
  std::size_t bytes = 1;
};

/// Whether the number is the code point of a character: at most 0x10ffff, and not a surrogate.
constexpr bool is_code_point(std::uint32_t code) noexcept {
  return code < 0x110000 && (code < 0xd800 || code > 0xdfff);
}

/// Decodes the first character of `text`, which must not be empty.
Utf8Character decode_utf8(std::string_view text) noexcept;

}  // namespace orbweaver
