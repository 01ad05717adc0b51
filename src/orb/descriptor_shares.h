#pragma once

#include <algorithm>
#include <cstddef>

#include "orb/options.h"
#include "platform/descriptors.h"

/// Shares of the process's file descriptors (`ulimit -n`). Computed on each call, as a program may change the
/// limit.
namespace orbweaver::orb {

/// Descriptors reserved for uses other than network connections: -ORBTune reserved-descriptors, at most a
/// quarter of the limit.
inline std::size_t kept_descriptors(const Options& options) noexcept {
  return std::min(options.reserved_descriptors, platform::descriptor_limit() / 4);
}

/// Half of the unreserved descriptors: the limit for the connections of one host, and for outgoing
/// connections.
inline std::size_t share_of_descriptors(const Options& options) noexcept {
  return (platform::descriptor_limit() - kept_descriptors(options)) / 2;
}

/// Whether fewer descriptors are free than must remain beside a new connection. `local`: the connection is
/// not over a network. `left` returns the number of free descriptors, 0 if none are reserved.
inline bool short_of_descriptors(const Options& options, bool local, std::size_t& left) noexcept {
  const std::size_t reserved = kept_descriptors(options);
  left = reserved == 0 ? 0 : platform::available_descriptors();
  return left < (local ? reserved / 4 : reserved);
}

}  // namespace orbweaver::orb
