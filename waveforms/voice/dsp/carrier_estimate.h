// Where is the carrier, and where do the symbols begin? Answered from a window of samples, without knowing
// a single bit.
//
// With modulation index 1 the phase turns by exactly half a turn in every symbol, whatever the bit. At every
// symbol boundary the signal therefore stands at plus or minus the same point, alternately, and what is the
// same for both bits is cos(pi t / T): two spectral lines, half a symbol rate below and above the carrier.
// Their middle is the carrier's offset; the difference of their phases is the time of the boundary.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dsp/rates.h"

struct fftplan_s;  // liquid-dsp's

namespace orbweaver::voice {

inline constexpr unsigned kEstimateSymbols = 1024;  ///< length of the window
inline constexpr double kCarrierRange = 0.10;       ///< symbol rates either side that are searched

struct Carrier {
  double frequency = 0.0;  ///< offset in symbol rates, within ±kCarrierRange and half a bin
  double boundary = 0.0;   ///< a symbol begins here: samples from the window's start, within ± half a symbol
  double strength = 0.0;  ///< the two lines' part of the window's power: 0.5 for a clean signal, ~0 for noise
};

/// One thread at a time; keeps no state between windows.
class CarrierEstimate {
 public:
  explicit CarrierEstimate(unsigned samples_per_symbol);

  unsigned window() const { return static_cast<unsigned>(time_.size()); }  ///< samples

  /// Looks at up to window() samples; what is missing counts as silence. Samples that are not numbers give
  /// a Carrier of zeros.
  Carrier of(std::span<const Sample> samples);

 private:
  struct LiquidFftDelete {
    void operator()(fftplan_s* plan) const noexcept;
  };
  unsigned samples_per_symbol_;
  std::vector<Sample> time_;
  std::vector<Sample> spectrum_;
  std::unique_ptr<fftplan_s, LiquidFftDelete> plan_;
};

}  // namespace orbweaver::voice
