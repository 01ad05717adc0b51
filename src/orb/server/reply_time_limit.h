#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/receive_budget.h"

namespace orbweaver::orb {

/// Time in which a client must read a reply of `bytes` bytes, or a fragment of that size: `timeout_ns` plus a
/// second for each KiB, at most five times `timeout_ns` in all. An unread reply holds the servant's results
/// and a thread.
constexpr std::int64_t reply_time_limit_ns(std::size_t bytes, std::int64_t timeout_ns) noexcept {
  constexpr std::int64_t kMaxTimesForSize = 4;
  const std::int64_t for_size_ns =
      static_cast<std::int64_t>(bytes) * (1'000'000'000 / std::int64_t{ReceiveBudget::kMinBytesPerSecond});
  return timeout_ns + std::min(for_size_ns, kMaxTimesForSize * timeout_ns);
}

/// Why a connection is closed after that time.
inline std::string unread_reply_text(std::size_t bytes, std::int64_t allowed_ns) {
  return "reply of up to " + std::to_string(bytes) + " bytes not read within " +
         std::to_string(allowed_ns / 1'000'000) + " ms (-ORBTune reply-timeout-ms)";
}

}  // namespace orbweaver::orb
