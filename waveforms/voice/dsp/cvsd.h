// Continuously variable slope delta modulation at 16 kbit/s.
//
// CVSD has one bit per sample, so 16 kbit/s means that the codec runs at 16 kHz: the encoder doubles the 8
// kHz speech rate with a half-band filter, and the decoder halves it with the same filter. Together the
// filters delay by kCodecDelay speech samples; the encoder's flush outputs them and the decoder drops as many
// at the start, so that N samples in are N samples out, aligned.
//
// Both ends are deterministic: the output depends on the input, not on how it is split.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsp/rates.h"

struct cvsd_s;  // of liquid-dsp, whose header is not included here
struct resamp2_rrrf_s;

namespace orbweaver::voice {

inline constexpr unsigned kCodecDelay = 18;  ///< delay of both half-band filters in speech samples

struct LiquidCvsdDelete {
  void operator()(cvsd_s* codec) const noexcept;
};
struct LiquidHalfBandDelete {
  void operator()(resamp2_rrrf_s* filter) const noexcept;
};

/// Encodes speech to bits. Not thread-safe.
class CvsdEncoder {
 public:
  CvsdEncoder();

  /// Appends two bits for every sample of `speech` (8 kHz, full scale ±32768) to `bits`.
  void encode(std::span<const std::int16_t> speech, std::vector<Bit>& bits);

  /// Ends the stream: appends the 2 × kCodecDelay bits that contain the last samples. Call once.
  void flush(std::vector<Bit>& bits);

 private:
  std::unique_ptr<resamp2_rrrf_s, LiquidHalfBandDelete> interpolator_;
  std::unique_ptr<cvsd_s, LiquidCvsdDelete> codec_;
};

/// Decodes bits to speech; the output is a function of all bits since construction. Not thread-safe.
class CvsdDecoder {
 public:
  CvsdDecoder();

  /// Appends one sample (8 kHz) for every second bit, except for the first kCodecDelay samples, during which
  /// the filters fill. Uses the lowest bit of each octet. An odd bit is kept until the next one.
  void decode(std::span<const Bit> bits, std::vector<std::int16_t>& speech);

 private:
  std::unique_ptr<resamp2_rrrf_s, LiquidHalfBandDelete> decimator_;
  std::unique_ptr<cvsd_s, LiquidCvsdDelete> codec_;
  float pair_[2] = {0.0F, 0.0F};
  unsigned buffered_ = 1;  // values in pair_; starts at 1 to align the phases of the two filters
  unsigned samples_to_drop_ = kCodecDelay;  // samples still to be dropped at the start
};

}  // namespace orbweaver::voice
