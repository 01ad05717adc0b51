// Rates and modulation parameters shared by both ends of the waveform. frame.h has those of the frame.
#pragma once

#include <complex>
#include <cstdint>

namespace orbweaver::voice {

using Sample = std::complex<float>;  ///< one baseband sample; the modulator's amplitude is 1
using Bit = std::uint8_t;            ///< 0 or 1, one to an octet, on every bit stream between blocks

inline constexpr unsigned kSpeechRate = 8'000;    ///< speech samples per second, 16-bit signed, one channel
inline constexpr unsigned kCodecRate = 16'000;    ///< CVSD bits per second: two per speech sample
inline constexpr unsigned kSymbolRate = 40'000;   ///< channel symbols per second, one bit each
inline constexpr unsigned kSamplesPerSymbol = 4;  ///< default; the modem also runs with 8
inline constexpr float kModulationIndex = 1.0F;   ///< the tones are at ± half the symbol rate

/// Alternating bits sent before the first and after the last frame. They keep frames away from the edges of
/// the transmission, where the receiver's filters cover only part of the signal.
inline constexpr unsigned kGuardSymbols = 64;

}  // namespace orbweaver::voice
