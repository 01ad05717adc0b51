#include "base/log_rate_limiter.h"

#include <algorithm>
#include <utility>

namespace orbweaver::log {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::size_t kMaxOriginBytes = 100;  // bounds the size of an entry

}  // namespace

bool LogRateLimiter::TokenBucket::take(std::int64_t now_ns, std::int64_t burst, std::int64_t per_second) {
  const std::int64_t one = kSecondNs / per_second;
  const std::int64_t then = std::max(full_at_ns, now_ns) + one;
  if (then > now_ns + burst * one) return false;
  full_at_ns = then;
  return true;
}

LogRateLimiter::Entry* LogRateLimiter::find(std::string_view kind, std::string_view origin) {
  const auto place = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.kind == kind && each.origin == origin;
  });
  return place != entries_.end() ? &*place : nullptr;
}

LogRateLimiter::Entry& LogRateLimiter::entry_for(std::string_view kind, std::string_view origin,
                                                 std::int64_t now_ns) {
  if (Entry* const known = find(kind, origin)) return *known;
  // A free entry, or one whose bucket is full and which has nothing to report.
  const auto place = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.kind.empty() || (each.suppressed == 0 && each.allowance.full_at_ns <= now_ns);
  });
  if (place == entries_.end()) return overflow_entry_;
  *place = Entry{};
  place->kind = kind;
  place->origin = origin;
  return *place;
}

bool LogRateLimiter::admit(std::string_view kind, std::string_view origin, std::int64_t now_ns) {
  Entry& place = entry_for(kind, origin.substr(0, kMaxOriginBytes), now_ns);
  if (place.allowance.take(now_ns, kBurst, kPerSecond) &&
      total_bucket_.take(now_ns, kBurstOfAll, kPerSecondOfAll))
    return true;
  if (place.suppressed++ == 0) place.since_ns = now_ns;
  return false;
}

LogRateLimiter::SuppressedLines LogRateLimiter::take(Entry& place) {
  return {place.kind, place.origin, std::exchange(place.suppressed, 0)};
}

LogRateLimiter::SuppressedLines LogRateLimiter::take_suppressed(std::string_view kind,
                                                                std::string_view origin) {
  Entry* const place = find(kind, origin.substr(0, kMaxOriginBytes));
  return place != nullptr ? take(*place) : SuppressedLines{};
}

std::vector<LogRateLimiter::SuppressedLines> LogRateLimiter::take_suppressed(std::int64_t now_ns,
                                                                             std::int64_t age_ns) {
  std::vector<SuppressedLines> all;
  const auto look = [&](Entry& place) {
    if (place.suppressed != 0 && now_ns - place.since_ns >= age_ns) all.push_back(take(place));
  };
  for (Entry& place : entries_) look(place);
  look(overflow_entry_);
  return all;
}

bool LogRateLimiter::has_suppressed() const noexcept {
  return overflow_entry_.suppressed != 0 ||
         std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& each) { return each.suppressed != 0; });
}

}  // namespace orbweaver::log
