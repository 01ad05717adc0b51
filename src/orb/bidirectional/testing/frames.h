#pragma once

#include <cstdint>
#include <cstring>

#include "orb/bidirectional/request_lanes.h"

namespace orbweaver::orb::testing {

/// A frame of GIOP 1.2 in this machine's byte order with this id, and for requests these response flags.
inline RequestLanes::Frame frame(giop::MessageType type, std::uint32_t id, std::uint8_t flags = 3,
                                 bool more = false, std::uint8_t minor = 2) {
  RequestLanes::Frame bytes(24);
  giop::write_header(bytes.data(), {1, minor}, type);
  if (more) bytes[6] |= 2;
  bytes[8] = 12;
  std::memcpy(bytes.data() + 12, &id, 4);
  bytes[16] = flags;
  return bytes;
}
/// The only frame of a two-way, and of a one-way request.
inline RequestLanes::Frame two_way(std::uint32_t id) { return frame(giop::MessageType::request, id); }
inline RequestLanes::Frame one_way(std::uint32_t id) { return frame(giop::MessageType::request, id, 0); }

}  // namespace orbweaver::orb::testing
