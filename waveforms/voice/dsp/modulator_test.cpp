#include "dsp/modulator.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

TEST(Modulator, SendsEveryBitAndBothGuards) {
  EXPECT_EQ(modulated(random_bits(1'000), 4).size(), (1'000 + 2 * kGuardSymbols) * 4);
  EXPECT_EQ(modulated(random_bits(1'000), 8).size(), (1'000 + 2 * kGuardSymbols) * 8);
  EXPECT_EQ(modulated({}).size(), 2 * kGuardSymbols * 4);
}

TEST(Modulator, KeepsAmplitudeAndContinuousPhase) {
  const auto samples = modulated(random_bits(2'000));
  for (std::size_t i = 1; i < samples.size(); ++i) {
    EXPECT_NEAR(std::abs(samples[i]), 1.0F, 1e-4F);
    // The phase changes by half a turn in a symbol of four samples: at most an eighth of a turn per sample.
    EXPECT_LE(std::abs(std::arg(samples[i] * std::conj(samples[i - 1]))), std::numbers::pi / 4 + 1e-3);
  }
}

TEST(Modulator, MapsAOneToTheUpperTone) {
  const auto ones = modulated(std::vector<Bit>(100, 1));
  const std::size_t middle = (kGuardSymbols + 50) * 4;
  EXPECT_NEAR(std::arg(ones[middle + 1] * std::conj(ones[middle])), std::numbers::pi / 4, 1e-3);
  const auto zeros = modulated(std::vector<Bit>(100, 0));
  EXPECT_NEAR(std::arg(zeros[middle + 1] * std::conj(zeros[middle])), -std::numbers::pi / 4, 1e-3);
}

TEST(Modulator, IsIndependentOfChunkSizes) {
  const auto bits = random_bits(999);
  for (const std::size_t chunk : {1, 13, 998}) EXPECT_EQ(modulated(bits, 4, chunk), modulated(bits));
}

TEST(Modulator, RejectsOtherRates) {
  for (const unsigned rate : {0U, 1U, 3U, 5U, 16U}) EXPECT_THROW(Modulator{rate}, std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::voice::testing
