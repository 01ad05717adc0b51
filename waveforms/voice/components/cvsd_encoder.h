#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/cvsd.h"

namespace orbweaver::voice {

/// SCA component of CvsdEncoder: speech in, codec bits out.
class CvsdEncoderComponent : public sca::Component {
 public:
  using Component::Component;
  ~CvsdEncoderComponent() override { shut_down(); }

 protected:
  void on_end() override {
    bits_.clear();
    encoder_.flush(bits_);
    send();
  }

 private:
  void encode(std::span<const std::int16_t> speech) {
    bits_.clear();
    encoder_.encode(speech, bits_);
    send();
  }
  void send() {
    codec_bits_ += static_cast<double>(bits_.size());
    out_.push(bits_, kCodecRate);
  }

  sca::Output<Bit> out_{*this, "bits_out"};
  sca::Input<std::int16_t> in_{*this, "speech_in", [this](const auto& packet) { encode(packet.samples); }};
  sca::Counter codec_bits_{*this, "codec_bits"};
  CvsdEncoder encoder_;
  std::vector<Bit> bits_;
};

}  // namespace orbweaver::voice
