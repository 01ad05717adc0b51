// Cuts a stream of CVSD bits into frames.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/frame.h"

namespace orbweaver::voice {

/// One thread at a time. Deterministic however the bits are cut.
class Framer {
 public:
  explicit Framer(std::uint32_t stream = 1) { frame_.stream = stream; }

  /// Takes codec bits (the lowest bit of each octet); appends kFrameBits channel bits for every full frame.
  void push(std::span<const Bit> bits, std::vector<Bit>& channel);

  /// Ends the stream: the bits that are left, perhaps none, go out in a frame marked as the last.
  void flush(std::vector<Bit>& channel);

  std::uint32_t frames() const { return frame_.sequence; }  ///< sent so far

 private:
  void send(std::vector<Bit>& channel);

  FrameCodec codec_;
  Frame frame_;
};

}  // namespace orbweaver::voice
