// Demodulates binary FSK: estimates carrier and symbol timing of noisy samples and decides every bit.
//
// The stream is processed in blocks of kBlockSymbols. For each block, a window of twice its length around it
// gives the carrier offset and the symbol boundaries (carrier_estimator.h). Two filters are computed that
// interpolate to the boundaries, remove the offset and match one tone each. The stronger tone determines the
// bit. There is no feedback loop that must settle, so the first frame is received as well as the last.
//
// Range: carrier offsets within ±kCarrierRange of the symbol rate; any delay; symbol clocks that differ by up
// to 100 parts per million. Outside of it the bits are noise, which the deframer counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/carrier_estimator.h"
#include "dsp/rates.h"

namespace orbweaver::voice {

inline constexpr unsigned kBlockSymbols = 512;

/// Statistics since construction.
struct DemodulatorStats {
  std::uint64_t samples = 0;
  std::uint64_t symbols = 0;
  double frequency_offset = 0.0;  ///< mean over the blocks, in symbol rates
  double timing_offset = 0.0;     ///< last block: symbol boundary modulo one symbol, 0..1 symbols
  double es_n0_db = 0.0;          ///< from the powers of the two tones; 0 before the first block
};

/// Demodulates one stream. The output does not depend on how the samples are split. Accepts any samples,
/// including NaN. Not thread-safe.
class Demodulator {
 public:
  /// Throws std::invalid_argument unless `samples_per_symbol` is 4 or 8.
  explicit Demodulator(unsigned samples_per_symbol = kSamplesPerSymbol);

  /// Appends the bits of every complete block.
  void push(std::span<const Sample> samples, std::vector<Bit>& channel);

  /// Ends the stream: appends the remaining bits.
  void flush(std::vector<Bit>& channel);

  DemodulatorStats stats() const;

 private:
  void hop(std::int64_t window_start, double until, std::vector<Bit>& channel);
  void tune(const Carrier& carrier, std::int64_t window_start);
  Bit decide();
  std::int64_t end() const { return start_ + static_cast<std::int64_t>(samples_.size()); }

  unsigned samples_per_symbol_;
  CarrierEstimator estimate_;
  std::vector<Sample> samples_;     // still needed
  std::int64_t start_;              // position of samples_[0] in the stream
  std::int64_t next_block_ = 0;     // position of the next block
  double next_symbol_ = 0.0;        // where the next symbol begins
  std::vector<Sample> low_, high_;  // filters of the two tones for the current block
  std::int64_t aligned_ = 0;        // position of the sample at their first tap, for the next symbol
  std::uint64_t received_ = 0;
  std::uint64_t symbols_ = 0;
  std::uint64_t hops_ = 0;
  double frequency_sum_ = 0.0;
  double selected_tone_power_ = 0.0, other_tone_power_ = 0.0;
};

}  // namespace orbweaver::voice
