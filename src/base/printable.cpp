#include "base/printable.h"

#include <cstdint>
#include <cstdio>

namespace orbweaver {
namespace {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: invalid UTF-8
};

/// Decodes the first character of `text`, which must not be empty. Rejects overlong forms and surrogates (RFC
/// 3629).
Utf8Character decode_first(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kMinCode[] = {0, 0, 0x80, 0x800, 0x10000};  // by the number of bytes
  if (code < kMinCode[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Whether the character is a line or paragraph separator, a bidirectional control, or invisible on a
/// terminal (zero width, tags).
bool is_separator_or_bidi_control(std::uint32_t code) {
  return code == 0x061c || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x2064) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
         (code >= 0xe0000 && code <= 0xe007f);
}

}  // namespace

std::string printable(std::string_view text, std::size_t most_bytes) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character next = decode_first(text);
    char escaped[16];
    std::string_view shown = text.substr(0, next.bytes);
    if (next.bytes == 0 || is_control(next.code)) {
      const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
      std::size_t length = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        length += static_cast<std::size_t>(
            std::snprintf(escaped + length, sizeof escaped - length, "\\x%02x",
                          static_cast<unsigned>(static_cast<std::uint8_t>(text[i]))));
      }
      shown = {escaped, length};
    } else if (is_separator_or_bidi_control(next.code)) {
      shown = {escaped, static_cast<std::size_t>(std::snprintf(escaped, sizeof escaped, "\\u{%x}",
                                                               static_cast<unsigned>(next.code)))};
    }
    if (shown.size() > most_bytes || out.size() > most_bytes - shown.size()) {
      return out + "… (" + std::to_string(text.size()) + " bytes more)";
    }
    out += shown;
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return out;
}

}  // namespace orbweaver
