#include "cdr/utf8.h"

#include <orbweaver/print.h>

#include <cstdint>

namespace orbweaver::cdr {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

bool is_character(std::uint32_t code) { return code < 0x110000 && (code < 0xd800 || code > 0xdfff); }

/// Decodes the first character of `rest`, which must not be empty, and removes it; kReplacement if it is
/// invalid.
std::uint32_t take_character(std::string_view& rest) {
  const auto first = static_cast<std::uint8_t>(rest.front());
  rest.remove_prefix(1);
  if (first < 0x80) return first;
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
  if (more == 0 || first > 0xf4 || rest.size() < static_cast<std::size_t>(more)) return kReplacement;
  std::uint32_t code = first & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    const auto byte = static_cast<std::uint8_t>(rest[static_cast<std::size_t>(i)]);
    if ((byte & 0xc0) != 0x80) return kReplacement;
    code = code << 6 | (byte & 0x3fu);
  }
  rest.remove_prefix(static_cast<std::size_t>(more));
  // Rejects overlong forms: 0xe0 0x80 0x80 is not a NUL.
  const std::uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  return code >= least && is_character(code) ? code : kReplacement;
}

}  // namespace

std::wstring utf8_to_wide(std::string_view utf8) {
  std::wstring text;
  while (!utf8.empty()) text.push_back(static_cast<wchar_t>(take_character(utf8)));
  return text;
}

std::string wide_to_utf8(std::wstring_view text) {
  std::string utf8;
  for (const wchar_t c : text) {
    auto code = static_cast<std::uint32_t>(c);
    if (!is_character(code)) code = kReplacement;
    const auto put = [&utf8](std::uint32_t byte) { utf8.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6);
      put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12);
      put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
      put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    }
  }
  return utf8;
}

}  // namespace orbweaver::cdr

namespace orbweaver {

void print_quoted(std::ostream& os, std::wstring_view text) {
  os << 'L';
  print_quoted(os, cdr::wide_to_utf8(text));
}

}  // namespace orbweaver
