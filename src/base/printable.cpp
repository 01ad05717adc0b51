#include "base/printable.h"

#include <cstdint>
#include <cstdio>

#include "base/utf8.h"

namespace orbweaver {
namespace {

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
    const Utf8Character next = decode_utf8(text);
    const std::size_t bytes = next.valid ? next.bytes : 1;
    char escaped[16];
    std::string_view shown = text.substr(0, bytes);
    if (!next.valid || is_control(next.code)) {
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
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) lines += (lines.empty() ? "" : "\n  ") + printable(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace orbweaver
