// The latency of each packet and its parts, computed from the stamps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stamps.h"

namespace orbweaver::bench {

/// Times of one part, in microseconds, in the order of the packets.
struct PartTimes {
  std::string part;
  std::vector<double> us;
};

/// The latency first: from before the call until the processing thread has the samples. Then parts of it that
/// overlap, of stamps that every subject has:
///   send      the call itself: stub, marshalling, and handing the message to the transport
///   dispatch  from before the call until the servant's operation: sending, transport, wake-up, dispatch
///   queue     from the servant's operation to the processing thread: copy, queue, wake-up
/// Throws std::runtime_error if a packet has no stamp: it was lost.
std::vector<PartTimes> overlapping_parts(std::span<const PacketStamps> stamps);

/// The latency first, and then consecutive parts, the sum of which is the latency of each packet:
///   stub         until the sender's interceptor: before the arguments are marshalled
///   marshalling  until the transport has the message
///   transport    until the receiver's interceptor: wake-up, message and request header, lookup of the
///   servant skeleton     until the servant's operation: lookup of the operation, demarshalling copy until
///   the packet has its own samples queue        until the queue has the packet, and the processing thread is
///   notified wake-up      until the processing thread has the packet
/// Without stamps of interceptors, the parts beside them are one, "stub+marshalling" and
/// "transport+skeleton"; the first one ends when the call returns. A part is negative if its end was stamped
/// before its beginning: the receiver can have a message before the sender has stamped that it is sent.
/// Throws std::runtime_error if a packet has no stamp: it was lost.
std::vector<PartTimes> consecutive_parts(std::span<const PacketStamps> stamps);

}  // namespace orbweaver::bench
