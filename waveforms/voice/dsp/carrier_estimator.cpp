#include "dsp/carrier_estimator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dsp/liquid.h"

namespace orbweaver::voice {

void CarrierEstimator::LiquidFftDelete::operator()(fftplan_s* plan) const noexcept { fft_destroy_plan(plan); }

CarrierEstimator::CarrierEstimator(unsigned samples_per_symbol)
    : samples_per_symbol_(samples_per_symbol), time_(kEstimateSymbols * samples_per_symbol),
      spectrum_(time_.size()),
      plan_(fft_create_plan(window(), time_.data(), spectrum_.data(), LIQUID_FFT_FORWARD, 0)) {}

Carrier CarrierEstimator::of(std::span<const Sample> samples) {
  const std::size_t used = std::min(samples.size(), time_.size());
  std::copy_n(samples.begin(), used, time_.begin());
  std::fill(time_.begin() + static_cast<std::ptrdiff_t>(used), time_.end(), Sample{});
  double power = 0.0;
  for (const Sample sample : time_) power += std::norm(sample);
  if (!std::isfinite(power) || power <= 0.0) return {};
  fft_execute(plan_.get());

  // One bin is 1/kEstimateSymbols of the symbol rate, so the lines are kEstimateSymbols/2 bins from the
  // carrier.
  const int bins = static_cast<int>(window());
  const auto at = [&](int bin) { return spectrum_[static_cast<std::size_t>((bin + bins) % bins)]; };
  constexpr int kHalf = kEstimateSymbols / 2;
  constexpr int kSearch = static_cast<int>(kCarrierRange * kEstimateSymbols);
  int best = 0;
  double best_power = -1.0;
  for (int bin = -kSearch; bin <= kSearch; ++bin) {
    const double power_of_both = std::norm(at(bin + kHalf)) + std::norm(at(bin - kHalf));
    if (power_of_both > best_power) {
      best_power = power_of_both;
      best = bin;
    }
  }

  // A line between two bins also appears in the neighbouring bins; their difference gives the fraction
  // (Jacobsen's estimator).
  const auto fraction_at = [&](int bin) {
    const Sample below = at(bin - 1);
    const Sample above = at(bin + 1);
    const double part =
        std::real(std::complex<double>(below - above) / std::complex<double>(2.0F * at(bin) - below - above));
    return std::isfinite(part) ? std::clamp(part, -0.5, 0.5) : 0.0;
  };
  const double fraction = (fraction_at(best + kHalf) + fraction_at(best - kHalf)) / 2;

  Carrier carrier;
  carrier.frequency = (best + fraction) / kEstimateSymbols;
  const double phase_difference =
      std::arg(std::complex<double>(at(best + kHalf)) * std::conj(std::complex<double>(at(best - kHalf))));
  carrier.boundary = -phase_difference / (2.0 * std::numbers::pi) * samples_per_symbol_;
  carrier.strength = best_power / (power * bins);
  return carrier;
}

}  // namespace orbweaver::voice
