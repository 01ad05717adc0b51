// Estimates carrier frequency and symbol timing from a window of samples, without knowledge of the bits.
//
// With modulation index 1 the phase changes by exactly half a turn in every symbol, whatever the bit. At the
// symbol boundaries the signal therefore alternates between two opposite points, and the component common to
// both bits is cos(pi t / T): two spectral lines, half a symbol rate below and above the carrier. Their
// midpoint is the carrier offset; the difference of their phases gives the time of the boundary.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dsp/rates.h"

struct fftplan_s;  // liquid-dsp's

namespace orbweaver::voice {

inline constexpr unsigned kEstimateSymbols = 1024;  ///< window length in symbols
inline constexpr double kCarrierRange = 0.10;       ///< search range either side of 0, in symbol rates

/// The estimate from one window.
struct Carrier {
  double frequency = 0.0;  ///< offset in symbol rates, within ±kCarrierRange plus half a bin
  double boundary = 0.0;   ///< start of a symbol, in samples from the window's start, ± half a symbol
  double strength = 0.0;   ///< the lines' share of the window's power: 0.5 for a clean signal, ~0 for noise
};

/// Estimates one window at a time; keeps no state between windows. Not thread-safe.
class CarrierEstimator {
 public:
  explicit CarrierEstimator(unsigned samples_per_symbol);

  unsigned window() const { return static_cast<unsigned>(time_.size()); }  ///< samples

  /// Estimates from up to window() samples; missing samples count as zeros. Returns a zero Carrier if samples
  /// are not finite.
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
