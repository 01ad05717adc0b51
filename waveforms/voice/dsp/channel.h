// The air between the two ends: a delay, a carrier that is off, noise. Repeatable from its seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/noise.h"
#include "dsp/rates.h"

namespace orbweaver::voice {

struct ChannelSettings {
  double es_n0_db = 11.0;          ///< symbol energy over noise density, dB, -20..100; for amplitude 1
  double frequency_offset = 0.03;  ///< carrier offset as a part of the symbol rate, -0.5..0.5
  double timing_offset = 0.37;     ///< delay in symbols, 0..10000; any fraction of a sample
  std::uint64_t seed = 1;          ///< of the noise and of the carrier's phase
  unsigned samples_per_symbol = kSamplesPerSymbol;  ///< 1..16
};

/// One thread at a time. Deterministic however the samples are cut.
class Channel {
 public:
  /// Throws std::invalid_argument, naming the setting, if one is outside its range.
  explicit Channel(const ChannelSettings& settings);

  /// Appends to `out` about as many samples as came in: the delay holds the newest ones back.
  void push(std::span<const Sample> in, std::vector<Sample>& out);

  /// Appends what the delay holds back. In all, the samples in and the delay (rounded up) are the samples
  /// out.
  void flush(std::vector<Sample>& out);

 private:
  void filter(Sample in, std::vector<Sample>& out);
  void disturb(Sample clean, std::vector<Sample>& out);

  static constexpr unsigned kHalfTaps = 10;
  static constexpr unsigned kTaps = 2 * kHalfTaps + 1;

  float taps_[kTaps];            // delays by the fraction and by kHalfTaps samples
  Sample history_[2 * kTaps]{};  // written twice, so that the newest kTaps are always contiguous
  unsigned at_ = 0;
  unsigned to_drop_ = kHalfTaps;  // the filter's own delay is not part of the channel
  unsigned to_wait_;              // whole samples of delay: noise alone, before the signal comes
  bool fraction_;
  double step_re_, step_im_;  // the carrier's turn in one sample
  double turn_re_, turn_im_;
  unsigned turns_ = 0;
  float noise_amplitude_;
  Noise noise_;
};

}  // namespace orbweaver::voice
