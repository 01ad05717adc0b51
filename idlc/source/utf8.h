#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::idl {

/// The first character of a UTF-8 text.
struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;
  bool valid = false;  ///< false: a byte that begins no character, or too few bytes follow it
};
/// Decodes the first character of `text`, which is not empty. Of an invalid one takes the bytes that could
/// belong to it. Overlong sequences of three and four bytes count as valid.
Utf8Character first_character(std::string_view text);

/// Whether the byte continues a character that began before it.
inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

bool is_utf8(std::string_view text);

/// Encodes text as UTF-8.
std::string to_utf8(std::u32string_view text);

}  // namespace orbweaver::idl
