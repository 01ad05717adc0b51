// Binary continuous-phase frequency shift keying with modulation index 1 and rectangular pulses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dsp/rates.h"

struct cpfskmod_s;  // of liquid-dsp

namespace orbweaver::voice {

/// Modulates channel bits to baseband samples of amplitude 1: a 1 is the tone at +half the symbol rate, a 0
/// the tone at -half. The output does not depend on how the bits are split. Not thread-safe.
class Modulator {
 public:
  /// Throws std::invalid_argument unless `samples_per_symbol` is 4 or 8.
  explicit Modulator(unsigned samples_per_symbol = kSamplesPerSymbol);

  /// Appends `samples_per_symbol` samples for every bit; the first call also sends kGuardSymbols before its
  /// bits.
  void push(std::span<const Bit> channel, std::vector<Sample>& samples);

  /// Ends the transmission: appends the closing guard symbols.
  void flush(std::vector<Sample>& samples);

 private:
  void guard(std::vector<Sample>& samples);
  void send(Bit bit, std::vector<Sample>& samples);

  struct LiquidCpfskDelete {
    void operator()(cpfskmod_s* modulator) const noexcept;
  };
  std::unique_ptr<cpfskmod_s, LiquidCpfskDelete> modulator_;
  unsigned samples_per_symbol_;
  bool started_ = false;
};

}  // namespace orbweaver::voice
