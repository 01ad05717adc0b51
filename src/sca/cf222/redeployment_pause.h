#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// A node that is lost within this time after an application has been created again, in seconds, may have
/// been ended by the application.
inline constexpr std::int64_t kSoonS = 600;

/// Time between the loss of a node and the next creation of an application, in seconds, after so many losses
/// in succession, each soon after it was created again.
inline std::int64_t pause_s(std::int64_t losses) {
  constexpr std::int64_t kPauses[] = {0, 0, 10, 60, 600, 3600};
  constexpr auto kLast = static_cast<std::int64_t>(std::size(kPauses)) - 1;
  return kPauses[std::clamp(losses, std::int64_t{0}, kLast)];
}

/// Counts that a node of the application is lost `now_s`, in seconds since 1970.
inline void count_loss(Redeployment& redeployment, std::int64_t now_s) {
  const bool is_soon = redeployment.again_s != 0 && now_s - redeployment.again_s < kSoonS;
  redeployment.losses = is_soon ? redeployment.losses + 1 : 0;
  redeployment.pause_until_s = now_s + pause_s(redeployment.losses);
}

/// Seconds until the application may be created again. A clock that has been set back does not extend it.
inline std::int64_t left_pause_s(const Redeployment& redeployment, std::int64_t now_s) {
  const std::int64_t left = redeployment.pause_until_s - now_s;
  return left > 0 && left <= pause_s(redeployment.losses) ? left : 0;
}

}  // namespace orbweaver::sca
