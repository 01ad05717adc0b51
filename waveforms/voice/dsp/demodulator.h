// Finds carrier and symbols in noisy samples and decides every bit.
//
// The stream is worked through in hops of kHopSymbols. For each, a window of twice that length around it
// gives the carrier's offset and the symbols' boundaries (carrier_estimate.h), and two filters are made that
// interpolate to the boundaries, take the offset out and match one tone each. The louder tone is the bit.
// Nothing is fed back: there is no loop that must settle, so the first frame is as good as the last.
//
// Range: carrier offsets within ±kCarrierRange of the symbol rate; any delay; symbol clocks that differ by up
// to 100 parts per million. Outside of it the bits are noise, which the deframer counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/carrier_estimate.h"
#include "dsp/rates.h"

namespace orbweaver::voice {

inline constexpr unsigned kHopSymbols = 512;

struct DemodulatorStats {
  std::uint64_t samples = 0;
  std::uint64_t symbols = 0;
  double frequency_offset = 0.0;  ///< mean over the hops, symbol rates
  double timing_offset = 0.0;     ///< of the last hop: symbol boundary modulo one symbol, 0..1 symbols
  double es_n0_db = 0.0;          ///< measured from the two tones' powers; 0 before the first hop
};

/// One thread at a time. Deterministic however the samples are cut. Any samples are fine, NaN included.
class Demodulator {
 public:
  /// Throws std::invalid_argument unless `samples_per_symbol` is 4 or 8.
  explicit Demodulator(unsigned samples_per_symbol = kSamplesPerSymbol);

  /// Appends the bits of every hop that is complete.
  void push(std::span<const Sample> samples, std::vector<Bit>& channel);

  /// Ends the stream: appends the bits that are left.
  void flush(std::vector<Bit>& channel);

  DemodulatorStats stats() const;

 private:
  void hop(std::int64_t window_start, double until, std::vector<Bit>& channel);
  void tune(const Carrier& carrier, std::int64_t window_start);
  Bit decide();
  std::int64_t end() const { return start_ + static_cast<std::int64_t>(samples_.size()); }

  unsigned samples_per_symbol_;
  CarrierEstimate estimate_;
  std::vector<Sample> samples_;     // still needed
  std::int64_t start_;              // position of samples_[0] in the stream
  std::int64_t next_hop_ = 0;       // position
  double next_symbol_ = 0.0;        // where the next symbol begins
  std::vector<Sample> low_, high_;  // the two tones' filters for the current hop
  std::int64_t aligned_ = 0;        // position of the sample under their first tap, for the next symbol
  std::uint64_t received_ = 0;
  std::uint64_t symbols_ = 0;
  std::uint64_t hops_ = 0;
  double frequency_sum_ = 0.0;
  double louder_power_ = 0.0, softer_power_ = 0.0;
};

}  // namespace orbweaver::voice
