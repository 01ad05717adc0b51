#include "micro/log.h"

#include <atomic>
#include <cstring>

#include "platform/clock.h"
#include "platform/standard_error.h"

namespace orbweaver::micro {
namespace {

std::atomic<std::int64_t> next_ns{0};  // the maximum: disabled

}  // namespace

void log(const char* text) noexcept {
  const std::int64_t now = platform::now_ns();
  std::int64_t next = next_ns;
  if (now < next || !next_ns.compare_exchange_strong(next, now + 1'000'000'000)) return;
  char line[160];
  std::strcpy(line, "orbweaver: ");
  std::strncat(line, text, sizeof line - 16);
  std::strcat(line, "\n");
  platform::write_standard_error(line);
}

void enable_log(bool enabled) noexcept { next_ns = enabled ? 0 : platform::Deadline::never().ns; }

}  // namespace orbweaver::micro
