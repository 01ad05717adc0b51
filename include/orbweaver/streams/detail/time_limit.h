#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace orbweaver::streams::detail {

/// The time limit in nanoseconds; the maximum for no limit and for times beyond it. Throws
/// std::invalid_argument for a negative time; `what` names it.
std::int64_t limit_ns(const char* what, std::optional<std::chrono::milliseconds> limit);

/// The sum of a time and a limit, at most the maximum of the type, which means never.
constexpr std::int64_t add_limit_ns(std::int64_t now_ns, std::int64_t limit_ns) noexcept {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  return now_ns > kNever - limit_ns ? kNever : now_ns + limit_ns;
}

}  // namespace orbweaver::streams::detail
