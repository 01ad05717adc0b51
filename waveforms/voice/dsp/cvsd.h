// Continuously variable slope delta modulation at 16 kbit/s.
//
// CVSD spends one bit a sample, so 16 kbit/s means that the codec runs at 16 kHz: the encoder doubles the
// 8 kHz speech rate with a half-band filter, the decoder halves it again with the same filter. The pair of
// filters delays by kCodecDelay speech samples; the encoder's flush pushes them out and the decoder drops
// as many at the start, so that N samples in are N samples out, aligned.
//
// Both ends are deterministic: what comes out depends on what went in and not on how it was cut.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsp/rates.h"

struct cvsd_s;  // liquid-dsp's, so that its header stays out of ours
struct resamp2_rrrf_s;

namespace orbweaver::voice {

inline constexpr unsigned kCodecDelay = 18;  ///< speech samples through both half-band filters

struct LiquidCvsdDelete {
  void operator()(cvsd_s* codec) const noexcept;
};
struct LiquidHalfBandDelete {
  void operator()(resamp2_rrrf_s* filter) const noexcept;
};

/// Speech to bits. One thread at a time.
class CvsdEncoder {
 public:
  CvsdEncoder();

  /// Appends two bits for every sample of `speech` (8 kHz, full scale ±32768) to `bits`.
  void encode(std::span<const std::int16_t> speech, std::vector<Bit>& bits);

  /// Ends the stream: appends the 2 × kCodecDelay bits that still hold the last samples. Call once.
  void flush(std::vector<Bit>& bits);

 private:
  std::unique_ptr<resamp2_rrrf_s, LiquidHalfBandDelete> interpolator_;
  std::unique_ptr<cvsd_s, LiquidCvsdDelete> codec_;
};

/// Bits to speech: a pure function of the bits since construction. One thread at a time.
class CvsdDecoder {
 public:
  CvsdDecoder();

  /// Appends one sample (8 kHz) for every second bit, except for the first kCodecDelay samples, which are
  /// the filters filling. Of each octet only the lowest bit counts. An odd bit waits for its partner.
  void decode(std::span<const Bit> bits, std::vector<std::int16_t>& speech);

 private:
  std::unique_ptr<resamp2_rrrf_s, LiquidHalfBandDelete> decimator_;
  std::unique_ptr<cvsd_s, LiquidCvsdDelete> codec_;
  float pair_[2] = {0.0F, 0.0F};
  unsigned held_ = 1;               // values waiting in pair_; one, so that the two filters' phases meet
  unsigned to_drop_ = kCodecDelay;  // samples still to be left out at the start
};

}  // namespace orbweaver::voice
