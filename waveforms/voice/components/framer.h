#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/framer.h"

namespace orbweaver::voice {

/// SCA component of Framer: codec bits in, channel bits out, one frame per packet at the source's default
/// packet size.
class FramerComponent : public sca::Component {
 public:
  using Component::Component;
  ~FramerComponent() override { shut_down(); }

 protected:
  void on_end() override {
    channel_.clear();
    framer_.flush(channel_);
    send();
  }

 private:
  void frame(std::span<const Bit> bits) {
    channel_.clear();
    framer_.push(bits, channel_);
    send();
  }
  void send() {
    frames_.set(framer_.frames());
    out_.push(channel_, kSymbolRate);
  }

  sca::Property<std::uint32_t> stream_{*this, "stream", 1};
  sca::Output<Bit> out_{*this, "channel_out"};
  sca::Input<Bit> in_{*this, "bits_in", [this](const auto& packet) { frame(packet.samples); }};
  sca::Counter frames_{*this, "frames"};
  Framer framer_{stream_};
  std::vector<Bit> channel_;
};

}  // namespace orbweaver::voice
