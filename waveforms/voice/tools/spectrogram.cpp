#include "tools/spectrogram.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "dsp/liquid.h"

namespace orbweaver::voice {
namespace {

constexpr std::size_t kWindow = 256;
constexpr std::size_t kStep = kWindow / 2;
constexpr float kFloor = 1e-12F;  // -120 dB: digital silence

}  // namespace

Spectrogram spectrogram(std::span<const std::int16_t> speech, std::size_t columns) {
  Spectrogram result;
  result.rows = kWindow / 2 + 1;
  const std::size_t windows = speech.empty() ? 0 : (speech.size() + kStep - 1) / kStep;
  result.columns = std::min(columns, windows);
  std::vector<float> power(result.columns * result.rows, 0.0F);
  std::vector<unsigned> windows_in(result.columns, 0);

  std::vector<std::complex<float>> time(kWindow);
  std::vector<std::complex<float>> frequency(kWindow);
  const fftplan plan = fft_create_plan(kWindow, time.data(), frequency.data(), LIQUID_FFT_FORWARD, 0);
  for (std::size_t w = 0; w < windows && result.columns > 0; ++w) {
    for (std::size_t i = 0; i < kWindow; ++i) {
      const std::size_t at = w * kStep + i;
      const float hann =
          0.5F - 0.5F * std::cos(2 * std::numbers::pi_v<float> * static_cast<float>(i) / kWindow);
      time[i] = at < speech.size() ? hann * static_cast<float>(speech[at]) / 32768.0F : 0.0F;
    }
    fft_execute(plan);
    const std::size_t column = w * result.columns / windows;
    ++windows_in[column];
    for (std::size_t row = 0; row < result.rows; ++row) {
      power[column * result.rows + row] += std::norm(frequency[row]);
    }
  }
  fft_destroy_plan(plan);

  constexpr float kFullScale = kWindow * kWindow / 16.0F;  // a tone of amplitude 1 under a Hann window
  for (std::size_t i = 0; i < power.size(); ++i) {
    const float mean = power[i] / static_cast<float>(windows_in[i / result.rows]);
    result.db.push_back(10.0F * std::log10(std::max(mean / kFullScale, kFloor)));
  }
  return result;
}

}  // namespace orbweaver::voice
