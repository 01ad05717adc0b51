#pragma once

#include <atomic>
#include <string>

#include "transport/transport.h"

namespace orbweaver::transport {

/// Whether a channel is open, and why not. It leaves `open` once, before the shutdown that wakes the waiting
/// threads, which then check it. Thread-safe.
class ChannelState {
 public:
  enum Value : std::uint8_t { open, closed_here, lost };

  bool is_open() const noexcept { return value_ == open; }
  /// True for the one call that ends `open`.
  bool close_as(Value value) noexcept {
    std::uint8_t expected = open;
    return value_.compare_exchange_strong(expected, value);
  }
  /// pre: not open.
  [[gnu::cold]] Error error(const Peer& peer) const {
    return Error{ErrorKind::disconnected, "the connection to " + peer.address +
                                              (value_ == lost ? " is lost" : " was closed at this end")};
  }

 private:
  std::atomic<std::uint8_t> value_{open};
};

/// The errors of a claim that exceeds the limit, or for which there is no memory.
[[gnu::cold]] inline Error frame_limit_error(std::size_t bytes, std::size_t limit) {
  return Error{ErrorKind::unavailable, "a frame of " + std::to_string(bytes) +
                                           " bytes; the limit of this end is " + std::to_string(limit) +
                                           " (-ORBMaxMessageBytes)"};
}
[[gnu::cold]] inline Error no_memory_for_frame_error(std::size_t bytes) {
  return Error{ErrorKind::unavailable, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
}

}  // namespace orbweaver::transport
