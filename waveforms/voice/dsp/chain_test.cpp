// Tests of the whole waveform, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "dsp/speech_file.h"
#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

struct ChainOutput {
  std::vector<std::int16_t> speech;
  DeframerStats stats;
};

ChainOutput over_the_air(const std::vector<std::int16_t>& speech, const ChannelSettings& settings,
                         std::size_t chunk = 1 << 20) {
  const unsigned rate = settings.samples_per_symbol;
  const auto sent = modulated(framed(encoded(speech, chunk), chunk), rate, chunk);
  const auto received = deframed(demodulated(impaired(sent, settings, chunk), rate, chunk), chunk);
  return {decoded(received.bits, chunk), received.stats};
}

std::vector<std::int16_t> codec_alone(const std::vector<std::int16_t>& speech) {
  return decoded(encoded(speech));
}

TEST(VoiceChain, CorrectsAllErrorsOfTheDefaultChannel) {
  const auto speech = speech_like_signal(10 * kSpeechRate);
  const ChainOutput received = over_the_air(speech, {});
  EXPECT_EQ(received.speech, codec_alone(speech));
  EXPECT_GT(received.stats.bit_errors, 200U);
  EXPECT_EQ(received.stats.frames_bad, 0U);
  EXPECT_EQ(received.stats.frames_lost, 0U);
  EXPECT_TRUE(received.stats.end_seen);
}

/// The demo's speech, of each kind that waveforms/voice/speech provides on this machine.
class DemoSpeech : public ::testing::TestWithParam<const char*> {};

TEST_P(DemoSpeech, PassesTheDefaultChannelUnchanged) {
  const std::string folder =
      ::testing::TempDir() + "demo_speech_" + GetParam() + "." + std::to_string(getpid());
  const std::string command = std::string("'" VOICE_SPEECH "' '") + folder + "' " + GetParam() + " 2>&1";
  std::FILE* program = popen(command.c_str(), "r");
  ASSERT_NE(program, nullptr);
  std::string output;  // the description of the speech, then its path
  for (int octet; (octet = std::fgetc(program)) != EOF;) output += static_cast<char>(octet);
  if (pclose(program) != 0) GTEST_SKIP() << output;
  ASSERT_THAT(output, ::testing::StartsWith(GetParam()));
  output.pop_back();
  const auto speech = read_speech(output.substr(output.find('\n') + 1));
  std::filesystem::remove_all(folder);
  EXPECT_GT(speech.size(), 105 * kSpeechRate) << "about two minutes";
  EXPECT_LT(speech.size(), 135 * kSpeechRate);

  const ChainOutput received = over_the_air(speech, {});
  EXPECT_EQ(received.speech.size(), speech.size());
  EXPECT_EQ(received.speech, codec_alone(speech));
  EXPECT_GT(received.stats.bit_errors, 3'000U);
  EXPECT_EQ(received.stats.frames_bad, 0U);
  EXPECT_EQ(received.stats.frames_lost, 0U);
}

INSTANTIATE_TEST_SUITE_P(Voice, DemoSpeech, ::testing::Values("recorded", "synthesised"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(VoiceChain, IsIndependentOfPacketSizes) {
  const auto speech = speech_like_signal(4'001);
  const ChainOutput whole = over_the_air(speech, {});
  for (const std::size_t chunk : {1, 17, 160, 4'096}) {
    const ChainOutput cut = over_the_air(speech, {}, chunk);
    EXPECT_EQ(cut.speech, whole.speech) << chunk;
    EXPECT_EQ(cut.stats.bit_errors, whole.stats.bit_errors) << chunk;
  }
}

TEST(VoiceChain, PreservesEverySpeechLength) {
  for (const std::size_t samples : {1, 2, 301, 302, 303, 2'000}) {
    const auto speech = speech_like_signal(samples);
    EXPECT_EQ(over_the_air(speech, {}).speech, codec_alone(speech)) << samples;
  }
}

TEST(VoiceChain, WorksAcrossOffsetsDelaysSeedsAndRates) {
  const auto speech = speech_like_signal(kSpeechRate);
  const auto reference = codec_alone(speech);
  std::uint64_t seed = 1;
  for (const unsigned rate : {4U, 8U}) {
    for (const double frequency : {-0.1, -0.031, 0.0, 0.07, 0.1}) {
      for (const double delay : {0.0, 0.25, 0.49, 0.51, 77.77}) {
        ChannelSettings settings;
        settings.frequency_offset = frequency;
        settings.timing_offset = delay;
        settings.samples_per_symbol = rate;
        settings.seed = ++seed;
        EXPECT_EQ(over_the_air(speech, settings).speech, reference)
            << frequency << ", " << delay << ", " << rate;
      }
    }
  }
}

TEST(VoiceChain, KeepsTimingUnderHeavyNoise) {
  const auto speech = speech_like_signal(10 * kSpeechRate);
  ChannelSettings noisy;
  noisy.es_n0_db = 8.0;
  const ChainOutput received = over_the_air(speech, noisy);
  EXPECT_GT(received.stats.frames_lost, 0U);
  EXPECT_GT(received.stats.frames_bad, 0U);
  EXPECT_GT(received.stats.frames_good, 150U);
  EXPECT_EQ(received.stats.filled_bits, received.stats.frames_lost * kPayloadBits);
  if (received.stats.end_seen) {
    EXPECT_EQ(received.speech.size(), speech.size());
  }
}

TEST(VoiceChain, ProducesSilenceFromNoise) {
  ChannelSettings hopeless;
  hopeless.es_n0_db = -20.0;
  const ChainOutput received = over_the_air(speech_like_signal(2 * kSpeechRate), hopeless);
  EXPECT_TRUE(received.speech.empty());
  EXPECT_EQ(received.stats.frames_good, 0U);
}

}  // namespace
}  // namespace orbweaver::voice::testing
