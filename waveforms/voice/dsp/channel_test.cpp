#include "dsp/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

constexpr double kQuiet = 100.0;  // dB

ChannelSettings settings(double es_n0_db, double frequency_offset, double timing_offset) {
  ChannelSettings settings;
  settings.es_n0_db = es_n0_db;
  settings.frequency_offset = frequency_offset;
  settings.timing_offset = timing_offset;
  return settings;
}

TEST(Channel, AddsNoiseOfTheGivenEsN0) {
  const std::vector<Sample> silence(200'000);
  for (const double es_n0_db : {0.0, 6.0, 11.0}) {
    double power = 0;
    for (const Sample sample : impaired(silence, settings(es_n0_db, 0, 0))) power += std::norm(sample);
    power /= static_cast<double>(silence.size());
    // Energy of a symbol of four samples of amplitude 1, divided by the noise power of one sample.
    EXPECT_NEAR(10 * std::log10(kSamplesPerSymbol / power), es_n0_db, 0.05);
  }
}

TEST(Channel, ChangesItsNoiseWhileItRuns) {
  const std::vector<Sample> silence(100'000);
  Channel channel(settings(kQuiet, 0, 0));
  std::vector<Sample> quiet, loud;
  channel.push(silence, quiet);
  channel.set_es_n0_db(0);
  channel.push(silence, loud);
  double power = 0;
  for (const Sample sample : loud) power += std::norm(sample);
  EXPECT_NEAR(10 * std::log10(kSamplesPerSymbol * static_cast<double>(loud.size()) / power), 0, 0.1);
  EXPECT_LT(std::norm(quiet.back()), 1e-6);
  EXPECT_THROW(channel.set_es_n0_db(101), std::invalid_argument);
}

TEST(Channel, RotatesTheCarrierByItsOffset) {
  const std::vector<Sample> carrier(10'000, Sample{1, 0});
  const auto out = impaired(carrier, settings(kQuiet, 0.03, 0));
  const auto turned = std::arg(out[5'001] * std::conj(out[5'000]));
  EXPECT_NEAR(turned, 2 * std::numbers::pi * 0.03 / kSamplesPerSymbol, 1e-4);
}

TEST(Channel, DelaysByAnyFractionOfASymbol) {
  // A tone slow enough that its phase gives the delay.
  constexpr double kStep = 0.05;
  std::vector<Sample> tone;
  for (int i = 0; i < 2'000; ++i) tone.emplace_back(std::polar(1.0, kStep * i));
  const auto undelayed = impaired(tone, settings(kQuiet, 0, 0));
  for (const double symbols : {0.1, 0.37, 0.5, 1.0, 3.99}) {
    const auto delayed = impaired(tone, settings(kQuiet, 0, symbols));
    EXPECT_NEAR(std::arg(delayed[1'000] * std::conj(undelayed[1'000])), -kStep * symbols * kSamplesPerSymbol,
                2e-4);
    EXPECT_EQ(delayed.size(), tone.size() + static_cast<std::size_t>(std::ceil(symbols * kSamplesPerSymbol)));
  }
}

TEST(Channel, IsReproducibleFromItsSeed) {
  const auto samples = modulated(random_bits(500));
  ChannelSettings first;
  EXPECT_EQ(impaired(samples, first), impaired(samples, first));
  ChannelSettings second;
  second.seed = 2;
  EXPECT_NE(impaired(samples, first), impaired(samples, second));
}

TEST(Channel, IsIndependentOfChunkSizes) {
  const auto samples = modulated(random_bits(500));
  ChannelSettings late;
  late.timing_offset = 12.34;
  for (const std::size_t chunk : {1, 3, 1000}) {
    EXPECT_EQ(impaired(samples, late, chunk), impaired(samples, late));
  }
}

TEST(Channel, NamesTheSettingThatIsOutOfRange) {
  const auto refusal = [](const ChannelSettings& bad) -> std::string {
    try {
      Channel channel(bad);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(settings(101, 0, 0)), HasSubstr("Es/N0"));
  EXPECT_THAT(refusal(settings(std::numeric_limits<double>::quiet_NaN(), 0, 0)), HasSubstr("Es/N0"));
  EXPECT_THAT(refusal(settings(10, 0.6, 0)), HasSubstr("frequency offset"));
  EXPECT_THAT(refusal(settings(10, 0, -1)), HasSubstr("timing offset"));
}

}  // namespace
}  // namespace orbweaver::voice::testing
