#include "dsp/modulator.h"

#include <stdexcept>

#include "dsp/liquid.h"

namespace orbweaver::voice {
namespace {
constexpr float kUnusedRollOff = 0.25F;  // ignored for rectangular pulses, but checked by liquid-dsp
}

void Modulator::LiquidCpfskDelete::operator()(cpfskmod_s* modulator) const noexcept {
  cpfskmod_destroy(modulator);
}

Modulator::Modulator(unsigned samples_per_symbol) : samples_per_symbol_(samples_per_symbol) {
  if (samples_per_symbol != 4 && samples_per_symbol != 8) {
    throw std::invalid_argument("modulator: samples per symbol must be 4 or 8");
  }
  modulator_.reset(
      cpfskmod_create(1, kModulationIndex, samples_per_symbol, 1, kUnusedRollOff, LIQUID_CPFSK_SQUARE));
}

void Modulator::push(std::span<const Bit> channel, std::vector<Sample>& samples) {
  if (channel.empty()) return;
  if (!started_) guard(samples);
  for (const Bit bit : channel) send(bit, samples);
}

void Modulator::flush(std::vector<Sample>& samples) {
  if (!started_) guard(samples);
  guard(samples);
}

void Modulator::guard(std::vector<Sample>& samples) {
  started_ = true;
  for (unsigned i = 0; i < kGuardSymbols; ++i) send(static_cast<Bit>(i & 1U), samples);
}

void Modulator::send(Bit bit, std::vector<Sample>& samples) {
  Sample symbol[8];
  cpfskmod_modulate(modulator_.get(), bit & 1U, symbol);
  samples.insert(samples.end(), symbol, symbol + samples_per_symbol_);
}

}  // namespace orbweaver::voice
