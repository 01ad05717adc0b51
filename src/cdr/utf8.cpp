#include "cdr/utf8.h"

#include <orbweaver/print.h>

#include <cstdint>

#include "base/utf8.h"

namespace orbweaver::cdr {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

}  // namespace

std::wstring utf8_to_wide(std::string_view utf8) {
  std::wstring text;
  while (!utf8.empty()) {
    const Utf8Character next = decode_utf8(utf8);
    text.push_back(static_cast<wchar_t>(next.valid ? next.code : kReplacement));
    utf8.remove_prefix(next.bytes);
  }
  return text;
}

std::string wide_to_utf8(std::wstring_view text) {
  std::string utf8;
  for (const wchar_t c : text) {
    auto code = static_cast<std::uint32_t>(c);
    if (!is_code_point(code)) code = kReplacement;
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
