#include "dsp/deframer.h"

#include <gtest/gtest.h>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

void cut_frame(std::vector<Bit>& channel, std::size_t index) {
  const auto at = channel.begin() + static_cast<std::ptrdiff_t>(index * kFrameBits);
  channel.erase(at, at + kFrameBits);
}

void spoil_frame(std::vector<Bit>& channel, std::size_t index) {
  for (std::size_t i = kSyncBits; i < kFrameBits; i += 3) channel[index * kFrameBits + i] ^= 1U;
}

std::vector<Bit> with_idle_frame(std::vector<Bit> bits, std::size_t index) {
  for (std::size_t i = 0; i < kPayloadBits; ++i) bits[index * kPayloadBits + i] = static_cast<Bit>(i & 1U);
  return bits;
}

TEST(Deframer, RecoversTheFramedBits) {
  for (const std::size_t count : {0, 1, 639, 640, 641, 6'400, 10'001}) {
    const auto bits = random_bits(count);
    const auto result = deframed(framed(bits));
    EXPECT_EQ(result.bits, bits);
    EXPECT_TRUE(result.stats.end_seen);
    EXPECT_EQ(result.stats.bit_errors, 0U);
    EXPECT_EQ(result.stats.payload_bits, count);
  }
}

TEST(Deframer, IsIndependentOfChunkSizes) {
  const auto bits = random_bits(5'000);
  auto channel = framed(bits);
  spoil_frame(channel, 3);
  const auto whole = deframed(channel);
  for (const std::size_t chunk : {1, 63, 64, 65, 1599, 1600, 1601, 4000}) {
    const auto result = deframed(channel, chunk);
    EXPECT_EQ(result.bits, whole.bits) << chunk;
    EXPECT_EQ(result.stats.frames_bad, whole.stats.frames_bad) << chunk;
  }
}

TEST(Deframer, FindsFramesAfterNoise) {
  const auto bits = random_bits(2'000);
  const auto frames = framed(bits);
  for (const std::size_t lead : {1, 63, 1'000, 7'777}) {
    auto channel = random_bits(lead, 99);
    channel.insert(channel.end(), frames.begin(), frames.end());
    EXPECT_EQ(deframed(channel).bits, bits) << lead;
  }
}

TEST(Deframer, CountsTheChannelsErrorsExactly) {
  const auto bits = random_bits(10 * kPayloadBits);
  auto channel = framed(bits);
  unsigned wrong = 0;
  for (std::size_t i = 7; i < channel.size(); i += 97, ++wrong) channel[i] ^= 1U;
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits, bits);
  EXPECT_EQ(result.stats.bit_errors, wrong);
  EXPECT_EQ(result.stats.compared_bits, channel.size());
  EXPECT_EQ(result.stats.frames_good, 10U);
}

TEST(Deframer, FillsAMissingFrameWithIdleBits) {
  const auto bits = random_bits(5 * kPayloadBits);
  auto channel = framed(bits);
  cut_frame(channel, 2);
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits, with_idle_frame(bits, 2));
  EXPECT_EQ(result.stats.frames_lost, 1U);
  EXPECT_EQ(result.stats.sequence_gaps, 1U);
  EXPECT_EQ(result.stats.filled_bits, kPayloadBits);
}

TEST(Deframer, DetectsAMissingFirstFrame) {
  const auto bits = random_bits(3 * kPayloadBits);
  auto channel = framed(bits);
  cut_frame(channel, 0);
  EXPECT_EQ(deframed(channel).bits, with_idle_frame(bits, 0));
}

TEST(Deframer, CountsACorruptedFrame) {
  const auto bits = random_bits(5 * kPayloadBits);
  auto channel = framed(bits);
  spoil_frame(channel, 2);
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits, with_idle_frame(bits, 2));
  EXPECT_GE(result.stats.frames_bad, 1U);
  EXPECT_EQ(result.stats.frames_good, 4U);
}

TEST(Deframer, LosesOneFrameToABitSlip) {
  const auto bits = random_bits(5 * kPayloadBits);
  auto channel = framed(bits);
  channel.erase(channel.begin() + 2 * kFrameBits + 800);
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits, with_idle_frame(bits, 2));
  EXPECT_EQ(result.stats.frames_lost, 1U);
}

TEST(Deframer, DropsARepeatedFrame) {
  const auto bits = random_bits(3 * kPayloadBits);
  auto channel = framed(bits);
  const std::vector<Bit> second(channel.begin() + kFrameBits, channel.begin() + 2 * kFrameBits);
  channel.insert(channel.begin() + 2 * kFrameBits, second.begin(), second.end());
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits, bits);
  EXPECT_EQ(result.stats.frames_repeated, 1U);
}

TEST(Deframer, LimitsIdleBitsForALateReceiver) {
  Frame frame;
  frame.sequence = 1'000'000;
  frame.payload_bits = kPayloadBits;
  std::vector<Bit> channel;
  FrameCodec().encode(frame, channel);
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits.size(), kPayloadBits);
  EXPECT_EQ(result.stats.filled_bits, 0U);
  EXPECT_EQ(result.stats.frames_lost, 1'000'000U);
}

TEST(Deframer, IgnoresRandomBits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto rubbish = random_bits(50'000, seed);
    for (std::size_t i = 0; i < rubbish.size(); ++i)
      rubbish[i] |= static_cast<Bit>(i << 1);  // set upper bits too
    EXPECT_TRUE(deframed(rubbish).bits.empty());
  }
  EXPECT_TRUE(deframed(std::vector<Bit>(50'000, 0)).bits.empty());
  EXPECT_TRUE(deframed(std::vector<Bit>(50'000, 255)).bits.empty());
}

TEST(Deframer, CountsSyncWordsWithoutAFrame) {
  std::vector<Bit> words;
  while (words.size() < 20 * kFrameBits) {
    for (unsigned i = 0; i < kSyncBits; ++i) words.push_back(static_cast<Bit>(kSyncWord >> (63 - i) & 1U));
  }
  const auto result = deframed(words);
  EXPECT_TRUE(result.bits.empty());
  EXPECT_GT(result.stats.frames_bad, 100U);
}

TEST(Deframer, KeepsCompleteFramesOfATruncatedStream) {
  const auto bits = random_bits(3 * kPayloadBits);
  auto channel = framed(bits);
  channel.resize(channel.size() - 1);
  const auto result = deframed(channel);
  EXPECT_EQ(result.bits.size(), 2 * kPayloadBits);
  EXPECT_FALSE(result.stats.end_seen);
}

}  // namespace
}  // namespace orbweaver::voice::testing
