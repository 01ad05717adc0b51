#pragma once

#include <algorithm>
#include <string>

#include "transport/transport.h"

namespace orbweaver::transport {

/// Why `checked_frame` refused it.
[[gnu::noinline]] inline Error describe_bad_frame(Bytes frame, const ChannelOptions& options,
                                                  const Result<std::size_t>* length) {
  const std::string has = std::to_string(frame.size());
  if (length != nullptr && !*length) return {Remedy::reconnect, length->error().message};
  if (length != nullptr) return {Remedy::reconnect, "a frame announced " + std::to_string(**length) + " bytes and has " + has};
  if (frame.size() < kFrameHeaderBytes) {
    return {Remedy::reconnect, "a frame of " + has + " bytes is too short for its header"};
  }
  return {Remedy::reconnect, "a frame has " + has + " bytes; the limit is " + std::to_string(options.max_frame_bytes) +
                                 " (-ORBMaxMessageBytes)"};
}

/// A frame whose bytes have all arrived, if it is what its own first bytes say and within the limit.
/// Remedy::reconnect otherwise: nothing that its sender says can be trusted.
inline Result<Bytes> checked_frame(Bytes frame, const ChannelOptions& options) {
  if (frame.size() < kFrameHeaderBytes || frame.size() > options.max_frame_bytes) [[unlikely]] {
    return describe_bad_frame(frame, options, nullptr);
  }
  const Result<std::size_t> length = options.frame_length(frame.first(kFrameHeaderBytes));
  if (!length || *length != frame.size()) [[unlikely]] return describe_bad_frame(frame, options, &length);
  return frame;
}

/// Storage for `total` bytes of a frame that comes in parts, of which `begun` are there: as much again at
/// most, and no more than it announced.
inline std::size_t storage_for(Bytes begun, std::size_t total, const ChannelOptions& options) {
  if (begun.size() < kFrameHeaderBytes) return total;
  const Result<std::size_t> announced = options.frame_length(begun.first(kFrameHeaderBytes));
  return announced ? std::max(total, std::min(2 * begun.size(), *announced)) : total;
}

}  // namespace orbweaver::transport
