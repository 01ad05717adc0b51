#include "dsp/cvsd.h"

#include <algorithm>
#include <cmath>

#include "dsp/liquid.h"

#ifdef __SANITIZE_ADDRESS__
// liquid-dsp 1.5 leaks 72 octets in each half-band filter design; suppress that report.
extern "C" __attribute__((weak)) const char* __lsan_default_suppressions() {
  return "leak:qs1dsearch_create";
}
#endif

namespace orbweaver::voice {
namespace {

// Chosen by measuring clean speech through the codec (10.7 dB waveform signal-to-noise ratio): a run of three
// equal bits increases the slope by half; more emphasis than 0.6 costs 1 dB, none costs 0.3 dB.
constexpr unsigned kRunBits = 3;
constexpr float kSlopeFactor = 1.5F;
constexpr float kEmphasis = 0.6F;

// The codec's maximum slope is absolute. Scaling to half of full scale keeps loud speech below that limit.
constexpr float kToCodec = 0.5F / 32768.0F;
constexpr float kFromCodec = 1.0F / kToCodec;

// A half-band filter of 4m+1 taps delays by 2m samples at the high rate; two of them by 2m speech samples.
constexpr unsigned kHalfBandSemiLength = kCodecDelay / 2;
constexpr float kStopBandDb = 60.0F;
constexpr float kDecimatorGain = 0.5F;  // liquid-dsp's decimator sums both phases

std::int16_t to_speech(float value) {
  return static_cast<std::int16_t>(std::lrintf(std::clamp(value, -32768.0F, 32767.0F)));
}

}  // namespace

void LiquidCvsdDelete::operator()(cvsd_s* codec) const noexcept { cvsd_destroy(codec); }
void LiquidHalfBandDelete::operator()(resamp2_rrrf_s* filter) const noexcept { resamp2_rrrf_destroy(filter); }

CvsdEncoder::CvsdEncoder()
    : interpolator_(resamp2_rrrf_create(kHalfBandSemiLength, 0.0F, kStopBandDb)),
      codec_(cvsd_create(kRunBits, kSlopeFactor, kEmphasis)) {}

void CvsdEncoder::encode(std::span<const std::int16_t> speech, std::vector<Bit>& bits) {
  for (const std::int16_t sample : speech) {
    float fast[2];
    resamp2_rrrf_interp_execute(interpolator_.get(), static_cast<float>(sample) * kToCodec, fast);
    bits.push_back(cvsd_encode(codec_.get(), fast[0]));
    bits.push_back(cvsd_encode(codec_.get(), fast[1]));
  }
}

void CvsdEncoder::flush(std::vector<Bit>& bits) {
  const std::int16_t silence[kCodecDelay] = {};
  encode(silence, bits);
}

CvsdDecoder::CvsdDecoder()
    : decimator_(resamp2_rrrf_create(kHalfBandSemiLength, 0.0F, kStopBandDb)),
      codec_(cvsd_create(kRunBits, kSlopeFactor, kEmphasis)) {}

void CvsdDecoder::decode(std::span<const Bit> bits, std::vector<std::int16_t>& speech) {
  for (const Bit bit : bits) {
    pair_[buffered_++] = cvsd_decode(codec_.get(), bit & 1U);
    if (buffered_ < 2) continue;
    buffered_ = 0;
    float value = 0.0F;
    resamp2_rrrf_decim_execute(decimator_.get(), pair_, &value);
    if (samples_to_drop_ > 0) {
      --samples_to_drop_;
    } else {
      speech.push_back(to_speech(value * kDecimatorGain * kFromCodec));
    }
  }
}

}  // namespace orbweaver::voice
