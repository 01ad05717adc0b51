// A radio channel model: delay, carrier offset and noise, reproducible from its seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/noise.h"
#include "dsp/rates.h"

namespace orbweaver::voice {

/// The parameters of a Channel.
struct ChannelSettings {
  double es_n0_db = 11.0;          ///< symbol energy over noise density, dB, -20..100; for amplitude 1
  double frequency_offset = 0.03;  ///< carrier offset as a fraction of the symbol rate, -0.5..0.5
  double timing_offset = 0.37;     ///< delay in symbols, 0..10000; any fraction of a sample
  std::uint64_t seed = 1;          ///< seed of the noise and the carrier phase
  unsigned samples_per_symbol = kSamplesPerSymbol;  ///< 1..16
};

/// Applies the channel model to a stream. The result does not depend on how the samples are split. Not
/// thread-safe.
class Channel {
 public:
  /// Throws std::invalid_argument, naming the setting, if one is outside its range.
  explicit Channel(const ChannelSettings& settings);

  /// Changes the noise from the next sample on. Throws as the constructor.
  void set_es_n0_db(double es_n0_db);

  /// Appends about as many samples to `out` as it receives; the delay withholds the latest ones.
  void push(std::span<const Sample> in, std::vector<Sample>& out);

  /// Appends the samples withheld by the delay. The total output is the input plus the delay (rounded up).
  void flush(std::vector<Sample>& out);

 private:
  void filter(Sample in, std::vector<Sample>& out);
  void impair(Sample clean, std::vector<Sample>& out);

  const unsigned samples_per_symbol_;
  static constexpr unsigned kHalfTaps = 10;
  static constexpr unsigned kTaps = 2 * kHalfTaps + 1;

  float taps_[kTaps];            // delays by the fraction plus kHalfTaps samples
  Sample history_[2 * kTaps]{};  // written twice, so that the newest kTaps are always contiguous
  unsigned at_ = 0;
  unsigned samples_to_drop_ = kHalfTaps;  // the filter's own delay is not part of the channel
  unsigned delay_samples_;                // whole samples of delay: only noise before the signal
  bool fraction_;
  double rotation_step_re_, rotation_step_im_;  // carrier rotation per sample
  double rotation_re_, rotation_im_;
  unsigned samples_since_normalisation_ = 0;
  float noise_amplitude_;
  Noise noise_;
};

}  // namespace orbweaver::voice
