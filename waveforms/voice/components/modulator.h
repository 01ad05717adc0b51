#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/modulator.h"

namespace orbweaver::voice {

/// SCA component of Modulator: channel bits in, baseband samples out.
class ModulatorComponent : public sca::Component {
 public:
  using Component::Component;
  ~ModulatorComponent() override { shut_down(); }

 protected:
  void on_end() override {
    samples_.clear();
    modulator_.flush(samples_);
    out_.push(samples_, kSymbolRate * samples_per_symbol_);
  }

 private:
  void modulate(std::span<const Bit> channel) {
    samples_.clear();
    modulator_.push(channel, samples_);
    out_.push(samples_, kSymbolRate * samples_per_symbol_);
    symbols_ += static_cast<double>(channel.size());
  }

  sca::Property<std::uint32_t> samples_per_symbol_{*this, "samples_per_symbol", kSamplesPerSymbol};
  sca::Output<Sample> out_{*this, "samples_out"};
  sca::Input<Bit> in_{*this, "channel_in", [this](const auto& packet) { modulate(packet.samples); }};
  sca::Counter symbols_{*this, "symbols"};
  Modulator modulator_{samples_per_symbol_};
  std::vector<Sample> samples_;
};

}  // namespace orbweaver::voice
