#pragma once

#include <string>

#include "transport/transport.h"

namespace orbweaver::transport {

/// A frame whose bytes have all arrived, if it is what its own first bytes say and within the limit.
/// Remedy::reconnect otherwise: nothing that its sender says can be trusted.
inline Result<Bytes> checked_frame(Bytes frame, const ChannelOptions& options) noexcept {
  if (frame.size() < kFrameHeaderBytes) [[unlikely]] {
    return Error{Remedy::reconnect, "a frame of " + std::to_string(frame.size()) + " bytes is too short for its header"};
  }
  if (frame.size() > options.max_frame_bytes) [[unlikely]] {
    return Error{Remedy::reconnect, "a frame has " + std::to_string(frame.size()) + " bytes; the limit is " +
                                        std::to_string(options.max_frame_bytes)};
  }
  const Result<std::size_t> length = options.frame_length(frame.first(kFrameHeaderBytes));
  if (!length) [[unlikely]] return Error{Remedy::reconnect, length.error().message};
  if (*length != frame.size()) [[unlikely]] {
    return Error{Remedy::reconnect, "a frame announced " + std::to_string(*length) + " bytes and has " +
                                        std::to_string(frame.size())};
  }
  return frame;
}

}  // namespace orbweaver::transport
