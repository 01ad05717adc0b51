#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/cvsd.h"

namespace orbweaver::voice {

/// SCA component of CvsdDecoder: codec bits in, speech out.
class CvsdDecoderComponent : public sca::Component {
 public:
  using Component::Component;
  ~CvsdDecoderComponent() override { shut_down(); }

 private:
  void decode(std::span<const Bit> bits) {
    speech_.clear();
    decoder_.decode(bits, speech_);
    samples_ += static_cast<double>(speech_.size());
    out_.push(speech_, kSpeechRate);
  }

  sca::Output<std::int16_t> out_{*this, "speech_out"};
  sca::Input<Bit> in_{*this, "bits_in", [this](const auto& packet) { decode(packet.samples); }};
  sca::Counter samples_{*this, "samples"};
  CvsdDecoder decoder_;
  std::vector<std::int16_t> speech_;
};

}  // namespace orbweaver::voice
