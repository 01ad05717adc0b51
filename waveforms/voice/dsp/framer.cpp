#include "dsp/framer.h"

namespace orbweaver::voice {

void Framer::push(std::span<const Bit> bits, std::vector<Bit>& channel) {
  for (const Bit bit : bits) {
    // A full frame is held until the next bit arrives, so that the last frame can be marked.
    if (frame_.payload_bits == kPayloadBits) send(channel);
    frame_.payload[frame_.payload_bits++] = bit & 1U;
  }
}

void Framer::flush(std::vector<Bit>& channel) {
  frame_.end = true;
  send(channel);
}

void Framer::send(std::vector<Bit>& channel) {
  codec_.encode(frame_, channel);
  ++frame_.sequence;
  frame_.payload_bits = 0;
}

}  // namespace orbweaver::voice
