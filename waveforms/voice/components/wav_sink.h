#pragma once

#include <cstdint>
#include <string>

#include <orbweaver/sca/component.h>
#include "dsp/speech_file.h"

namespace orbweaver::voice {

/// SCA component that writes the received speech to a WAV file, which is complete at the end of the stream.
class WavSink : public sca::Component {
 public:
  using Component::Component;
  ~WavSink() override { shut_down(); }

 protected:
  void on_end() override { writer_.close(); }

 private:
  void write(std::span<const std::int16_t> speech) {
    writer_.write(speech);
    samples_.set(static_cast<double>(writer_.samples()));
  }

  sca::Property<std::string> file_{*this, "file", "voice.wav"};
  sca::Input<std::int16_t> in_{*this, "speech_in", [this](const auto& packet) { write(packet.samples); }};
  sca::Counter samples_{*this, "samples"};
  SpeechWriter writer_{file_};
};

}  // namespace orbweaver::voice
