#include "sca/launch/console.h"

#include <orbweaver/deadline.h>

#include <cstdio>

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

constexpr std::int64_t kTerminalNs = 100'000'000;
constexpr std::int64_t kLogNs = 5'000'000'000;

}  // namespace

void Console::line(const std::string& text) {
  clear();
  std::fprintf(stderr, "%s\n", printable_lines(text).c_str());
}

void Console::progress(const std::string& text) {
  const std::int64_t now = now_ns();
  if (quiet_ || now < next_ns_) return;
  // A log gets no progress lines in the first few seconds, because most runs end within them.
  if (!terminal_ && next_ns_ == 0) {
    next_ns_ = now + kLogNs;
    return;
  }
  next_ns_ = now + (terminal_ ? kTerminalNs : kLogNs);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", printable(text).c_str());
    shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", printable(text).c_str());
  }
  std::fflush(stderr);
}

void Console::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string without_control_characters(const std::string& text) {
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    clean += c == '\t' ? ' ' : byte >= 0x20 && byte != 0x7f ? c : '?';
  }
  return clean;
}

}  // namespace orbweaver::sca
