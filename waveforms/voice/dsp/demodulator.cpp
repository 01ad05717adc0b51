#include "dsp/demodulator.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace orbweaver::voice {
namespace {

constexpr unsigned kReach = 4;    // samples used by the interpolation on either side
constexpr unsigned kMargin = 16;  // zeros before the stream: the first symbol may begin half a symbol early

/// Windowed sinc: the weight of a sample at `distance` in an interpolated value.
double interpolation(double distance) {
  const double pi = std::numbers::pi;
  if (std::abs(distance) < 1e-9) return 1.0;
  if (std::abs(distance) >= kReach) return 0.0;
  const double hann = 0.5 + 0.5 * std::cos(pi * distance / kReach);
  return std::sin(pi * distance) / (pi * distance) * hann;
}

/// Written out because the compiler's complex multiplication also handles infinities, at ten times the cost.
float correlate(const Sample* signal, const std::vector<Sample>& filter) {
  float re = 0.0F;
  float im = 0.0F;
  for (std::size_t i = 0; i < filter.size(); ++i) {
    re += signal[i].real() * filter[i].real() - signal[i].imag() * filter[i].imag();
    im += signal[i].real() * filter[i].imag() + signal[i].imag() * filter[i].real();
  }
  return re * re + im * im;
}

}  // namespace

Demodulator::Demodulator(unsigned samples_per_symbol)
    : samples_per_symbol_(
          samples_per_symbol == 4 || samples_per_symbol == 8
              ? samples_per_symbol
              : throw std::invalid_argument("demodulator: samples per symbol must be 4 or 8")),
      estimate_(samples_per_symbol), samples_(kMargin), start_(-static_cast<std::int64_t>(kMargin)),
      low_(samples_per_symbol + 2 * kReach), high_(samples_per_symbol + 2 * kReach) {}

void Demodulator::push(std::span<const Sample> samples, std::vector<Bit>& channel) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  received_ += samples.size();

  const std::int64_t hop_length = std::int64_t{kBlockSymbols} * samples_per_symbol_;
  const std::int64_t window = estimate_.window();
  for (;;) {
    const std::int64_t window_start = std::max<std::int64_t>(0, next_block_ - (window - hop_length) / 2);
    if (end() < window_start + window) break;
    hop(window_start, static_cast<double>(next_block_ + hop_length), channel);
    next_block_ += hop_length;
  }
  // flush() may use a whole window before the end; earlier samples are no longer needed.
  const std::int64_t keep_from = std::min(next_block_, end() - window) - hop_length;
  if (keep_from - start_ > hop_length) {
    samples_.erase(samples_.begin(), samples_.begin() + (keep_from - start_));
    start_ = keep_from;
  }
}

void Demodulator::flush(std::vector<Bit>& channel) {
  const std::int64_t last = end();
  samples_.insert(samples_.end(), kMargin + samples_per_symbol_, Sample{});
  const std::int64_t window_start = std::max<std::int64_t>(0, last - estimate_.window());
  const double until = static_cast<double>(last) - 0.5 * samples_per_symbol_;
  if (until > next_symbol_) hop(window_start, until, channel);
  samples_.clear();
  start_ = last;
}

DemodulatorStats Demodulator::stats() const {
  DemodulatorStats stats;
  stats.samples = received_;
  stats.symbols = symbols_;
  if (hops_ > 0) stats.frequency_offset = frequency_sum_ / static_cast<double>(hops_);
  const double symbols = next_symbol_ / samples_per_symbol_;
  stats.timing_offset = symbols - std::floor(symbols);
  // The weaker tone has the noise only, the stronger one the noise and the symbol.
  if (other_tone_power_ > 0.0 && selected_tone_power_ > other_tone_power_) {
    stats.es_n0_db = 10.0 * std::log10((selected_tone_power_ - other_tone_power_) / other_tone_power_);
  }
  return stats;
}

/// Demodulates one block: decides the symbols that begin before `until`, with the estimate from the window at
/// `window_start`.
void Demodulator::hop(std::int64_t window_start, double until, std::vector<Bit>& channel) {
  const auto offset = static_cast<std::size_t>(window_start - start_);
  const std::size_t length = std::min<std::size_t>(estimate_.window(), samples_.size() - offset);
  tune(estimate_.of(std::span(samples_).subspan(offset, length)), window_start);
  while (next_symbol_ < until) {
    channel.push_back(decide());
    next_symbol_ += samples_per_symbol_;
    aligned_ += samples_per_symbol_;
    ++symbols_;
  }
}

/// Aligns the next symbol to the nearest boundary and computes the filters of the two tones for this block.
void Demodulator::tune(const Carrier& carrier, std::int64_t window_start) {
  // The estimate gives boundaries but not symbol numbers: the nearest boundary continues the count.
  const double length = samples_per_symbol_;
  next_symbol_ += std::remainder(static_cast<double>(window_start) + carrier.boundary - next_symbol_, length);
  frequency_sum_ += carrier.frequency;
  ++hops_;

  // A symbol is evaluated in the middle of each of its samples: first + i, i = 0, 1, …
  const double first = next_symbol_ + 0.5;
  aligned_ = static_cast<std::int64_t>(std::floor(first)) - kReach + 1;
  const auto tone = [&](std::vector<Sample>& filter, double frequency) {
    for (std::size_t n = 0; n < filter.size(); ++n) {
      std::complex<double> tap = 0.0;
      for (unsigned i = 0; i < samples_per_symbol_; ++i) {
        const double at = first + i - static_cast<double>(aligned_ + static_cast<std::int64_t>(n));
        tap += interpolation(at) * std::polar(1.0, -2.0 * std::numbers::pi * frequency * i / length);
      }
      filter[n] = Sample(tap);
    }
  };
  tone(low_, carrier.frequency - 0.5 * kModulationIndex);
  tone(high_, carrier.frequency + 0.5 * kModulationIndex);
}

Bit Demodulator::decide() {
  const Sample* signal = samples_.data() + (aligned_ - start_);
  const float low = correlate(signal, low_);
  const float high = correlate(signal, high_);
  if (std::isfinite(low + high)) {
    selected_tone_power_ += std::max(low, high);
    other_tone_power_ += std::min(low, high);
  }
  return high > low ? 1 : 0;
}

}  // namespace orbweaver::voice
