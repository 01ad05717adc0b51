// Divides a stream of CVSD bits into frames.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/frame.h"

namespace orbweaver::voice {

/// Frames one stream. The output does not depend on how the bits are split. Not thread-safe.
class Framer {
 public:
  explicit Framer(std::uint32_t stream = 1) { frame_.stream = stream; }

  /// Consumes codec bits (the lowest bit of each octet); appends kFrameBits channel bits for every full
  /// frame.
  void push(std::span<const Bit> bits, std::vector<Bit>& channel);

  /// Ends the stream: sends the remaining bits, possibly none, in a frame marked as the last.
  void flush(std::vector<Bit>& channel);

  std::uint32_t frames() const { return frame_.sequence; }  ///< sent so far

 private:
  void send(std::vector<Bit>& channel);

  FrameCodec codec_;
  Frame frame_;
};

}  // namespace orbweaver::voice
