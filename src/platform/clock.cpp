#include "platform/clock.h"

#include <time.h>

#include <algorithm>

namespace orbweaver {

std::int64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

int Deadline::poll_ms() const noexcept {
  if (is_never()) return -1;
  const std::int64_t left = ns - now_ns();
  if (left <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>((left + 999'999) / 1'000'000, 3'600'000));
}

}  // namespace orbweaver
