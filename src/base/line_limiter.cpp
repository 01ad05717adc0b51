#include "base/line_limiter.h"

#include <algorithm>
#include <utility>

namespace orbweaver::log {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::size_t kMostOriginBytes = 100;  // of what is kept: a place has a size, too

}  // namespace

bool LineLimiter::Allowance::take(std::int64_t now_ns, std::int64_t burst, std::int64_t per_second) {
  const std::int64_t one = kSecond_ns / per_second;
  const std::int64_t then = std::max(full_at_ns, now_ns) + one;
  if (then > now_ns + burst * one) return false;
  full_at_ns = then;
  return true;
}

LineLimiter::Place* LineLimiter::find(std::string_view kind, std::string_view origin) {
  const auto place = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& each) { return each.kind == kind && each.origin == origin; });
  return place != places_.end() ? &*place : nullptr;
}

LineLimiter::Place& LineLimiter::place_for(std::string_view kind, std::string_view origin, std::int64_t now_ns) {
  if (Place* const known = find(kind, origin)) return *known;
  // A free one, or one that has nothing left to remember.
  const auto place = std::find_if(places_.begin(), places_.end(), [&](const Place& each) {
    return each.kind.empty() || (each.left_out == 0 && each.allowance.full_at_ns <= now_ns);
  });
  if (place == places_.end()) return others_;
  *place = Place{};
  place->kind = kind;
  place->origin = origin;
  return *place;
}

bool LineLimiter::admit(std::string_view kind, std::string_view origin, std::int64_t now_ns) {
  Place& place = place_for(kind, origin.substr(0, kMostOriginBytes), now_ns);
  if (place.allowance.take(now_ns, kBurst, kPerSecond) && all_.take(now_ns, kBurstOfAll, kPerSecondOfAll)) return true;
  if (place.left_out++ == 0) place.since_ns = now_ns;
  return false;
}

LineLimiter::LeftOut LineLimiter::take(Place& place) {
  return {place.kind, place.origin, std::exchange(place.left_out, 0)};
}

LineLimiter::LeftOut LineLimiter::take_left_out(std::string_view kind, std::string_view origin) {
  Place* const place = find(kind, origin.substr(0, kMostOriginBytes));
  return place != nullptr ? take(*place) : LeftOut{};
}

std::vector<LineLimiter::LeftOut> LineLimiter::take_left_out(std::int64_t now_ns, std::int64_t age_ns) {
  std::vector<LeftOut> all;
  const auto look = [&](Place& place) {
    if (place.left_out != 0 && now_ns - place.since_ns >= age_ns) all.push_back(take(place));
  };
  for (Place& place : places_) look(place);
  look(others_);
  return all;
}

}  // namespace orbweaver::log
