#pragma once

#include <algorithm>
#include <cstddef>

#include "orb/options.h"
#include "platform/descriptors.h"

/// What the limit of descriptors (`ulimit -n`) leaves for connections. Asked for each time, as a program may change it.
namespace orbweaver::orb {

/// Kept for others than connections over networks: -ORBReservedDescriptors, a quarter of all at most.
inline std::size_t kept_descriptors(const Options& options) noexcept {
  return std::min(options.reserved_descriptors, platform::descriptor_limit() / 4);
}

/// Half of the rest: what one host's connections may take, and the connections to others.
inline std::size_t share_of_descriptors(const Options& options) noexcept {
  return (platform::descriptor_limit() - kept_descriptors(options)) / 2;
}

/// Fewer than a further connection leaves free? `local`: no connection over a network.
inline bool short_of_descriptors(const Options& options, bool local, std::size_t& left) noexcept {
  const std::size_t kept = kept_descriptors(options);
  left = kept == 0 ? 0 : platform::descriptors_left();
  return left < (local ? kept / 4 : kept);
}

}  // namespace orbweaver::orb
