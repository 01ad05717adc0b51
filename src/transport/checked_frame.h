#pragma once

#include <algorithm>
#include <string>

#include "transport/transport.h"

namespace orbweaver::transport {

/// Describes why `checked_frame` rejected the frame.
[[gnu::cold, gnu::noinline]] inline Error describe_bad_frame(Bytes frame, const ChannelOptions& options,
                                                             const Result<std::size_t>* length) {
  const std::string has = std::to_string(frame.size());
  if (length != nullptr && !*length) return {ErrorKind::disconnected, length->error().message};
  if (length != nullptr)
    return {ErrorKind::disconnected,
            "a frame announced " + std::to_string(**length) + " bytes and has " + has};
  if (frame.size() < kFrameHeaderBytes) {
    return {ErrorKind::disconnected, "a frame of " + has + " bytes is too short for its header"};
  }
  return {ErrorKind::disconnected, "a frame has " + has + " bytes; the limit is " +
                                       std::to_string(options.max_frame_bytes) + " (-ORBMaxMessageBytes)"};
}

/// Checks a complete frame: its length agrees with its header and is within the limit.
/// ErrorKind::disconnected otherwise: the stream after it cannot be parsed.
inline Result<Bytes> checked_frame(Bytes frame, const ChannelOptions& options) {
  if (frame.size() < kFrameHeaderBytes || frame.size() > options.max_frame_bytes) [[unlikely]] {
    return describe_bad_frame(frame, options, nullptr);
  }
  const Result<std::size_t> length = options.frame_length(frame.first(kFrameHeaderBytes));
  if (!length || *length != frame.size()) [[unlikely]]
    return describe_bad_frame(frame, options, &length);
  return frame;
}

/// Buffer size for `total` bytes of a frame that arrives in parts, of which `received` are there: at most
/// twice the bytes that have arrived, and at most the announced length. ErrorKind::disconnected for an
/// invalid header and for more bytes than it announces: a buffer that grew by one part at a time would be
/// copied for each of them.
inline Result<std::size_t> buffer_size_for(Bytes received, std::size_t total, const ChannelOptions& options) {
  if (received.size() < kFrameHeaderBytes) return total;
  const Result<std::size_t> announced = options.frame_length(received.first(kFrameHeaderBytes));
  if (!announced) return Error{ErrorKind::disconnected, announced.error().message};
  if (total > *announced) {
    return Error{ErrorKind::disconnected, "a frame announced " + std::to_string(*announced) +
                                              " bytes and has at least " + std::to_string(total)};
  }
  return std::max(total, std::min(2 * received.size(), *announced));
}

}  // namespace orbweaver::transport
