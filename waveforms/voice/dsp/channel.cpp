#include "dsp/channel.h"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace orbweaver::voice {
namespace {

void check(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;  // a NaN fails the check
  throw std::invalid_argument(std::string("channel: ") + name + " is " + std::to_string(value) +
                              ", must be between " + std::to_string(low) + " and " + std::to_string(high));
}

/// Designs a fractional delay filter: a sinc shifted by `fraction` of a sample, under a Blackman window
/// shifted likewise. The taps sum to 1.
void design_delay(float* taps, unsigned half_taps, double fraction) {
  const double pi = std::numbers::pi;
  const double width = half_taps + 1.0;
  double sum = 0.0;
  for (unsigned i = 0; i <= 2 * half_taps; ++i) {
    const double x = static_cast<double>(i) - half_taps - fraction;
    const double sinc = std::abs(x) < 1e-9 ? 1.0 : std::sin(pi * x) / (pi * x);
    const double window = 0.42 + 0.5 * std::cos(pi * x / width) + 0.08 * std::cos(2 * pi * x / width);
    taps[i] = static_cast<float>(sinc * window);
    sum += sinc * window;
  }
  for (unsigned i = 0; i <= 2 * half_taps; ++i) taps[i] = static_cast<float>(taps[i] / sum);
}

}  // namespace

Channel::Channel(const ChannelSettings& settings)
    : samples_per_symbol_(settings.samples_per_symbol), noise_(settings.seed) {
  check("frequency offset in symbol rates", settings.frequency_offset, -0.5, 0.5);
  check("timing offset in symbols", settings.timing_offset, 0.0, 10'000.0);
  check("samples per symbol", settings.samples_per_symbol, 1, 16);
  set_es_n0_db(settings.es_n0_db);

  const double delay = settings.timing_offset * settings.samples_per_symbol;
  const double whole = std::floor(delay);
  delay_samples_ = static_cast<unsigned>(whole);
  fraction_ = delay > whole;
  design_delay(taps_, kHalfTaps, delay - whole);

  const double step = 2.0 * std::numbers::pi * settings.frequency_offset / settings.samples_per_symbol;
  const double phase = 2.0 * std::numbers::pi * noise_.uniform();
  rotation_step_re_ = std::cos(step);
  rotation_step_im_ = std::sin(step);
  rotation_re_ = std::cos(phase);
  rotation_im_ = std::sin(phase);
}

void Channel::set_es_n0_db(double es_n0_db) {
  check("Es/N0 in dB", es_n0_db, -20.0, 100.0);
  // A symbol of amplitude 1 has the energy of its samples; white noise of density N0 has power N0 per sample.
  const double n0 = samples_per_symbol_ / std::pow(10.0, es_n0_db / 10.0);
  noise_amplitude_ = static_cast<float>(std::sqrt(n0));
}

void Channel::push(std::span<const Sample> in, std::vector<Sample>& out) {
  for (; delay_samples_ > 0; --delay_samples_) impair(Sample{}, out);
  for (const Sample sample : in) filter(sample, out);
}

void Channel::flush(std::vector<Sample>& out) {
  for (; delay_samples_ > 0; --delay_samples_) impair(Sample{}, out);
  for (unsigned i = 0; i < kHalfTaps + (fraction_ ? 1U : 0U); ++i) filter(Sample{}, out);
}

void Channel::filter(Sample in, std::vector<Sample>& out) {
  history_[at_] = history_[at_ + kTaps] = in;
  at_ = (at_ + 1) % kTaps;
  if (samples_to_drop_ > 0) {
    --samples_to_drop_;
    return;
  }
  const Sample* oldest = history_ + at_;
  float re = 0.0F;
  float im = 0.0F;
  for (unsigned i = 0; i < kTaps; ++i) {
    const float tap = taps_[kTaps - 1 - i];
    re += tap * oldest[i].real();
    im += tap * oldest[i].imag();
  }
  impair({re, im}, out);
}

void Channel::impair(Sample clean, std::vector<Sample>& out) {
  const Sample noise = noise_.next();
  const auto re = static_cast<float>(clean.real() * rotation_re_ - clean.imag() * rotation_im_);
  const auto im = static_cast<float>(clean.real() * rotation_im_ + clean.imag() * rotation_re_);
  out.emplace_back(re + noise_amplitude_ * noise.real(), im + noise_amplitude_ * noise.imag());

  const double next_re = rotation_re_ * rotation_step_re_ - rotation_im_ * rotation_step_im_;
  rotation_im_ = rotation_re_ * rotation_step_im_ + rotation_im_ * rotation_step_re_;
  rotation_re_ = next_re;
  if (++samples_since_normalisation_ == 1024) {  // normalise the amplitude, which drifts by rounding
    const double scale = 1.0 / std::hypot(rotation_re_, rotation_im_);
    rotation_re_ *= scale;
    rotation_im_ *= scale;
    samples_since_normalisation_ = 0;
  }
}

}  // namespace orbweaver::voice
