#include <orbweaver/streams/detail/time_limit.h>

#include <stdexcept>
#include <string>

namespace orbweaver::streams::detail {

std::int64_t limit_ns(const char* what, std::optional<std::chrono::milliseconds> limit) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kPerMs = 1'000'000;
  if (!limit) return kNever;
  if (limit->count() < 0) throw std::invalid_argument(std::string(what) + ": negative time");
  return limit->count() > kNever / kPerMs ? kNever : limit->count() * kPerMs;
}

}  // namespace orbweaver::streams::detail
