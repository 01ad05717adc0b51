#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/demodulator.h"

namespace orbweaver::voice {

/// SCA component of Demodulator: baseband samples in, channel bits out.
class DemodulatorComponent : public sca::Component {
 public:
  using Component::Component;
  ~DemodulatorComponent() override { shut_down(); }

 protected:
  void on_end() override {
    channel_.clear();
    demodulator_.flush(channel_);
    send();
  }

 private:
  void demodulate(std::span<const Sample> samples) {
    channel_.clear();
    demodulator_.push(samples, channel_);
    send();
  }
  void send() {
    const DemodulatorStats stats = demodulator_.stats();
    symbols_.set(static_cast<double>(stats.symbols));
    frequency_offset_.set(stats.frequency_offset);
    timing_offset_.set(stats.timing_offset);
    es_n0_db_.set(stats.es_n0_db);
    out_.push(channel_, kSymbolRate);
  }

  sca::Property<std::uint32_t> samples_per_symbol_{*this, "samples_per_symbol", kSamplesPerSymbol};
  sca::Output<Bit> out_{*this, "channel_out"};
  sca::Input<Sample> in_{*this, "samples_in", [this](const auto& packet) { demodulate(packet.samples); }};
  sca::Counter symbols_{*this, "symbols"};
  sca::Counter frequency_offset_{*this, "frequency_offset"};
  sca::Counter timing_offset_{*this, "timing_offset"};
  sca::Counter es_n0_db_{*this, "es_n0_db"};
  Demodulator demodulator_{samples_per_symbol_};
  std::vector<Bit> channel_;
};

}  // namespace orbweaver::voice
