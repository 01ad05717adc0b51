#include "dsp/demodulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

/// Whether the received bits contain all sent bits contiguously and without an error.
bool contains(const std::vector<Bit>& received, const std::vector<Bit>& sent) {
  return std::search(received.begin(), received.end(), sent.begin(), sent.end()) != received.end();
}

ChannelSettings air(double es_n0_db, double frequency_offset, double timing_offset, unsigned rate = 4) {
  ChannelSettings settings;
  settings.es_n0_db = es_n0_db;
  settings.frequency_offset = frequency_offset;
  settings.timing_offset = timing_offset;
  settings.samples_per_symbol = rate;
  return settings;
}

/// Resamples as a receiver does whose clock is fast by `ppm` parts per million.
std::vector<Sample> resampled(const std::vector<Sample>& samples, double ppm) {
  std::vector<Sample> out;
  for (double at = 0; at + 1 < static_cast<double>(samples.size()); at += 1.0 - ppm * 1e-6) {
    const auto whole = static_cast<std::size_t>(at);
    const auto part = static_cast<float>(at - static_cast<double>(whole));
    out.push_back(samples[whole] * (1 - part) + samples[whole + 1] * part);
  }
  return out;
}

TEST(Demodulator, DemodulatesACleanSignal) {
  for (const unsigned rate : {4U, 8U}) {
    for (const std::size_t count : {1, 100, 513, 5'000}) {
      const auto bits = random_bits(count);
      const auto received = demodulated(modulated(bits, rate), rate);
      EXPECT_TRUE(contains(received, bits)) << count << " bits at " << rate;
    }
  }
}

TEST(Demodulator, WorksAcrossItsCarrierRange) {
  const auto bits = random_bits(3'000);
  for (double offset = -kCarrierRange; offset <= kCarrierRange + 1e-9; offset += 0.01) {
    EXPECT_TRUE(contains(demodulated(impaired(modulated(bits), air(18, offset, 0.3))), bits)) << offset;
  }
}

TEST(Demodulator, WorksForEveryDelay) {
  const auto bits = random_bits(3'000);
  const auto samples = modulated(bits);
  for (double delay = 0; delay < 2; delay += 0.0625) {
    EXPECT_TRUE(contains(demodulated(impaired(samples, air(18, 0.03, delay))), bits)) << delay;
  }
  for (const double delay : {100.1, 511.9, 512.5, 1'023.3, 5'000.7}) {
    EXPECT_TRUE(contains(demodulated(impaired(samples, air(18, 0.03, delay))), bits)) << delay;
  }
}

TEST(Demodulator, TracksASymbolClockOffset) {
  const auto bits = random_bits(60'000);
  for (const double ppm : {-100.0, -20.0, 20.0, 100.0}) {
    EXPECT_TRUE(contains(demodulated(resampled(modulated(bits, 8), ppm), 8), bits)) << ppm;
  }
}

TEST(Demodulator, MatchesTheTheoreticalBitErrorRate) {
  // Noncoherent detection of two orthogonal tones: half of exp(-Es / 2 N0).
  const auto bits = random_bits(200'000);
  const auto samples = modulated(bits, 8);
  for (const double es_n0_db : {8.0, 10.0}) {
    const auto received = demodulated(impaired(samples, air(es_n0_db, 0, 0, 8)), 8);
    ASSERT_GE(received.size(), bits.size() + kGuardSymbols);
    // Modulator and first decision may shift the guard by a symbol or two: use the shift with the fewest
    // errors.
    std::size_t fewest = bits.size();
    for (std::size_t lead = kGuardSymbols - 2; lead <= kGuardSymbols + 3; ++lead) {
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bits.size() && i + lead < received.size(); ++i) {
        wrong += bits[i] != received[i + lead];
      }
      fewest = std::min(fewest, wrong);
    }
    const double theory = 0.5 * std::exp(-std::pow(10.0, es_n0_db / 10) / 2);
    const double measured = static_cast<double>(fewest) / static_cast<double>(bits.size());
    EXPECT_NEAR(measured / theory, 1.0, 0.15) << es_n0_db;
  }
}

TEST(Demodulator, ReportsItsMeasurements) {
  const auto samples = impaired(modulated(random_bits(20'000)), air(11, -0.05, 0.25));
  Demodulator demodulator;
  std::vector<Bit> bits;
  demodulator.push(samples, bits);
  demodulator.flush(bits);
  EXPECT_NEAR(demodulator.stats().frequency_offset, -0.05, 0.0001);
  EXPECT_NEAR(demodulator.stats().es_n0_db, 11.0, 0.3);
  EXPECT_EQ(demodulator.stats().samples, samples.size());
  EXPECT_EQ(demodulator.stats().symbols, bits.size());
}

TEST(Demodulator, IsIndependentOfChunkSizes) {
  const auto samples = impaired(modulated(random_bits(4'000)), air(9, 0.03, 0.37));
  const auto whole = demodulated(samples);
  for (const std::size_t chunk : {1, 5, 2'047, 2'048, 2'049, 10'000}) {
    EXPECT_EQ(demodulated(samples, 4, chunk), whole) << chunk;
  }
}

TEST(Demodulator, SurvivesACarrierOutOfRange) {
  const auto bits = random_bits(5'000);
  const auto received = demodulated(impaired(modulated(bits), air(18, 0.3, 0.3)));
  EXPECT_FALSE(contains(received, bits));
  EXPECT_NEAR(static_cast<double>(received.size()), 5'000.0 + 2 * kGuardSymbols, 60);
}

TEST(Demodulator, AcceptsAnySamples) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Sample poison : {Sample{nan, 0}, Sample{inf, -inf}, Sample{1e38F, 1e38F}, Sample{0, 0}}) {
    std::vector<Sample> samples(20'000, poison);
    EXPECT_NEAR(static_cast<double>(demodulated(samples).size()), 5'000, 16);
  }
  EXPECT_TRUE(demodulated({}).empty());
}

TEST(Demodulator, RecoversAfterNan) {
  const auto bits = random_bits(5'000);
  std::vector<Sample> samples(9'001, Sample{std::numeric_limits<float>::quiet_NaN(), 0});
  const auto clean = modulated(bits);
  samples.insert(samples.end(), 5'000, Sample{});
  samples.insert(samples.end(), clean.begin(), clean.end());
  EXPECT_TRUE(contains(demodulated(samples), bits));
}

TEST(Demodulator, RejectsOtherRates) {
  for (const unsigned rate : {0U, 2U, 5U, 16U}) EXPECT_THROW(Demodulator{rate}, std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::voice::testing
