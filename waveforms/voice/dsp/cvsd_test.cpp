#include "dsp/cvsd.h"

#include <gtest/gtest.h>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

double power(const std::vector<std::int16_t>& speech) {
  double sum = 0;
  for (const double sample : speech) sum += sample * sample;
  return sum;
}

TEST(Cvsd, ProducesTwoBitsPerSample) {
  EXPECT_EQ(encoded(speech_like_signal(1000)).size(), 2 * (1000 + kCodecDelay));
}

TEST(Cvsd, PreservesTheNumberOfSamples) {
  for (const std::size_t samples : {0, 1, 2, 17, 18, 19, 159, 4001}) {
    EXPECT_EQ(decoded(encoded(speech_like_signal(samples))).size(), samples);
  }
}

TEST(Cvsd, PreservesAlignment) {
  const auto in = speech_like_signal(16'000);
  const auto out = decoded(encoded(in));
  // The two differ least without any shift.
  double best = 0;
  int best_shift = -100;
  for (int shift = -20; shift <= 20; ++shift) {
    double product = 0;
    for (int i = 100; i < 15'900; ++i) product += static_cast<double>(in[i]) * out[i + shift];
    if (product > best) {
      best = product;
      best_shift = shift;
    }
  }
  EXPECT_EQ(best_shift, 0);
}

TEST(Cvsd, ReconstructsSpeech) {
  const auto in = speech_like_signal(16'000);
  const auto out = decoded(encoded(in));
  std::vector<std::int16_t> error(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) error[i] = static_cast<std::int16_t>(in[i] - out[i]);
  EXPECT_GT(10 * std::log10(power(in) / power(error)), 8.0);
}

TEST(Cvsd, DecodesIndependentlyOfChunkSizes) {
  const auto in = speech_like_signal(4'001);
  const auto bits = encoded(in);
  const auto speech = decoded(bits);
  for (const std::size_t chunk : {1, 2, 3, 7, 160, 1000}) {
    EXPECT_EQ(encoded(in, chunk), bits) << chunk;
    EXPECT_EQ(decoded(bits, chunk), speech) << chunk;
  }
}

TEST(Cvsd, OutputsTheLastSample) {
  std::vector<std::int16_t> silence(2'000, 0);
  auto click = silence;
  click.back() = 32'000;
  EXPECT_NE(decoded(encoded(click)), decoded(encoded(silence)));
}

TEST(Cvsd, SaturatesAtFullScale) {
  std::vector<std::int16_t> loud(8'000);
  for (std::size_t i = 0; i < loud.size(); ++i) loud[i] = i / 40 % 2 ? 32'767 : -32'768;
  const auto out = decoded(encoded(loud));
  for (std::size_t i = 1; i < out.size(); ++i) {
    EXPECT_LT(std::abs(out[i] - out[i - 1]), 40'000) << "a step larger than the square wave's, at " << i;
  }
}

TEST(Cvsd, UsesTheLowestBitOfEachOctet) {
  std::vector<Bit> rubbish(1'001);
  for (std::size_t i = 0; i < rubbish.size(); ++i) rubbish[i] = static_cast<Bit>(i * 37);
  auto lowest = rubbish;
  for (Bit& bit : lowest) bit &= 1U;
  EXPECT_EQ(decoded(rubbish), decoded(lowest));
}

}  // namespace
}  // namespace orbweaver::voice::testing
