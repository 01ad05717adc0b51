// Helpers for the tests of this folder: signals, and the blocks applied to whole streams.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "dsp/channel.h"
#include "dsp/cvsd.h"
#include "dsp/deframer.h"
#include "dsp/demodulator.h"
#include "dsp/framer.h"
#include "dsp/modulator.h"
#include "dsp/noise.h"

namespace orbweaver::voice::testing {

/// A speech-like signal: three gliding tones under a syllabic envelope. Reproducible.
inline std::vector<std::int16_t> speech_like_signal(std::size_t samples) {
  std::vector<std::int16_t> speech(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = static_cast<double>(i) / kSpeechRate;
    const double pitch = 2 * std::numbers::pi * (140 * t + 8 * std::sin(2.5 * t));
    const double envelope = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * 3 * t);
    speech[i] = static_cast<std::int16_t>(
        9000 * envelope * (std::sin(pitch) + 0.5 * std::sin(4 * pitch) + 0.25 * std::sin(9 * pitch)));
  }
  return speech;
}

inline std::vector<Bit> random_bits(std::size_t count, std::uint64_t seed = 1) {
  Noise noise(seed);
  std::vector<Bit> bits(count);
  for (Bit& bit : bits) bit = noise.uniform() > 0.5F ? 1 : 0;
  return bits;
}

/// Passes a whole stream to `push`, `chunk` elements at a time.
template <typename In, typename Push>
void in_chunks(const std::vector<In>& all, std::size_t chunk, Push push) {
  for (std::size_t at = 0; at < all.size(); at += chunk) {
    push(std::span<const In>(all).subspan(at, std::min(chunk, all.size() - at)));
  }
}

inline std::vector<Bit> encoded(const std::vector<std::int16_t>& speech, std::size_t chunk = 1 << 20) {
  CvsdEncoder encoder;
  std::vector<Bit> bits;
  in_chunks(speech, chunk, [&](auto part) { encoder.encode(part, bits); });
  encoder.flush(bits);
  return bits;
}

inline std::vector<std::int16_t> decoded(const std::vector<Bit>& bits, std::size_t chunk = 1 << 20) {
  CvsdDecoder decoder;
  std::vector<std::int16_t> speech;
  in_chunks(bits, chunk, [&](auto part) { decoder.decode(part, speech); });
  return speech;
}

inline std::vector<Bit> framed(const std::vector<Bit>& bits, std::size_t chunk = 1 << 20) {
  Framer framer;
  std::vector<Bit> channel;
  in_chunks(bits, chunk, [&](auto part) { framer.push(part, channel); });
  framer.flush(channel);
  return channel;
}

inline std::vector<Sample> modulated(const std::vector<Bit>& channel, unsigned samples_per_symbol = 4,
                                     std::size_t chunk = 1 << 20) {
  Modulator modulator(samples_per_symbol);
  std::vector<Sample> samples;
  in_chunks(channel, chunk, [&](auto part) { modulator.push(part, samples); });
  modulator.flush(samples);
  return samples;
}

inline std::vector<Sample> impaired(const std::vector<Sample>& samples, const ChannelSettings& settings,
                                    std::size_t chunk = 1 << 20) {
  Channel channel(settings);
  std::vector<Sample> received;
  in_chunks(samples, chunk, [&](auto part) { channel.push(part, received); });
  channel.flush(received);
  return received;
}

inline std::vector<Bit> demodulated(const std::vector<Sample>& samples, unsigned samples_per_symbol = 4,
                                    std::size_t chunk = 1 << 20) {
  Demodulator demodulator(samples_per_symbol);
  std::vector<Bit> channel;
  in_chunks(samples, chunk, [&](auto part) { demodulator.push(part, channel); });
  demodulator.flush(channel);
  return channel;
}

struct DeframerOutput {
  std::vector<Bit> bits;
  DeframerStats stats;
};

inline DeframerOutput deframed(const std::vector<Bit>& channel, std::size_t chunk = 1 << 20) {
  Deframer deframer;
  DeframerOutput result;
  in_chunks(channel, chunk, [&](auto part) { deframer.push(part, result.bits); });
  deframer.flush();
  result.stats = deframer.stats();
  return result;
}

}  // namespace orbweaver::voice::testing
