#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/deadline.h>
#include <orbweaver/sca/component.h>
#include "dsp/rates.h"
#include "dsp/speech_file.h"

namespace orbweaver::voice {

/// SCA component that reads a speech file and sends it packet by packet.
class SpeechSource : public sca::Component {
 public:
  explicit SpeechSource(sca::Context& context) : Component(context), reader_(file_) {}
  ~SpeechSource() override { shut_down(); }

 protected:
  // With `realtime`, a packet is due at the time of its first sample. The clock is adjusted at each start, so
  // that packets are not overdue after a pause.
  void on_start() override { begin_ns_ = now_ns() - due_ns(); }

  bool produce() override {
    if (realtime_ && !sleep_until_ns(begin_ns_ + due_ns())) return true;  // stopping; nothing was read
    const std::size_t got = reader_.read(packet_);
    if (got == 0) return false;
    out_.push(std::span<const std::int16_t>(packet_).first(got), kSpeechRate);
    sent_ += static_cast<std::int64_t>(got);
    samples_ += static_cast<double>(got);
    return true;
  }

 private:
  std::int64_t due_ns() const { return sent_ * (1'000'000'000 / kSpeechRate); }

  sca::Property<std::string> file_{*this, "file", "/usr/share/codec2/raw/ve9qrp.raw"};
  sca::Property<std::uint32_t> packet_samples_{*this, "packet_samples", 160};
  sca::Property<bool> realtime_{*this, "realtime", false};
  sca::Output<std::int16_t> out_{*this, "speech_out"};
  sca::Counter samples_{*this, "samples"};

  SpeechReader reader_;
  std::vector<std::int16_t> packet_ = std::vector<std::int16_t>(packet_samples_);
  std::int64_t begin_ns_ = 0;
  std::int64_t sent_ = 0;  // samples
};

}  // namespace orbweaver::voice
