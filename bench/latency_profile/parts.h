// Statistics of the stamps: the latency and its parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/summary.h"
#include "stamps.h"

namespace orbweaver::bench {

/// Parts of the latency of a packet.
enum class ProfilePart {
  latency,   ///< from before the call until the processing thread has the samples
  send,      ///< the call itself: stub, marshalling, and handing the message to the transport
  dispatch,  ///< from before the call until the servant's operation: sending, transport, wake-up, dispatch
  queue      ///< from the servant's operation to the processing thread: copy, queue, wake-up
};
inline constexpr std::array kProfileParts{ProfilePart::latency, ProfilePart::send, ProfilePart::dispatch,
                                          ProfilePart::queue};
std::string_view name(ProfilePart);

/// Times of one part, in microseconds, in the order of the packets. Throws std::runtime_error if a packet has
/// no stamp: it was lost.
std::vector<double> part_us(std::span<const PacketStamps> stamps, ProfilePart part);

}  // namespace orbweaver::bench
