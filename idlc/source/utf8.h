#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::idl {

/// The first character of a UTF-8 text (RFC 3629).
struct Utf8Character {
  char32_t code = 0;      ///< its code point, if valid
  std::size_t bytes = 1;  ///< its length; 1 if invalid
  bool valid = false;     ///< false: incomplete, overlong, a surrogate, above U+10FFFF, or no first byte
};
/// Decodes the first character of `text`, which must not be empty. The rules are those of the run-time
/// library (src/base/utf8.h), which the compiler does not link.
Utf8Character first_character(std::string_view text);

/// Whether the byte continues a character that began before it.
inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Whether all of the text is valid UTF-8.
bool is_utf8(std::string_view text);

/// Encodes text as UTF-8.
std::string to_utf8(std::u32string_view text);

}  // namespace orbweaver::idl
