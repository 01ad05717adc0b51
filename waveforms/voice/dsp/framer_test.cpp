#include "dsp/framer.h"

#include <gtest/gtest.h>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

std::vector<Frame> frames_of(const std::vector<Bit>& channel) {
  std::vector<Frame> frames;
  for (std::size_t at = 0; at + kFrameBits <= channel.size(); at += kFrameBits) {
    const auto decoded =
        FrameCodec().decode(std::span<const Bit, kCodedBits>(channel.data() + at + kSyncBits, kCodedBits));
    frames.push_back(decoded.frame.value());
  }
  return frames;
}

TEST(Framer, NumbersItsFramesFromZeroAndMarksTheLast) {
  const auto frames = frames_of(framed(random_bits(2 * kPayloadBits + 5)));
  ASSERT_EQ(frames.size(), 3U);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(frames[i].sequence, i);
    EXPECT_EQ(frames[i].end, i == 2);
  }
  EXPECT_EQ(frames[1].payload_bits, kPayloadBits);
  EXPECT_EQ(frames[2].payload_bits, 5);
}

TEST(Framer, AppendsNoEmptyFrameAfterAFullOne) {
  const auto frames = frames_of(framed(random_bits(2 * kPayloadBits)));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_TRUE(frames[1].end);
  EXPECT_EQ(frames[1].payload_bits, kPayloadBits);
}

TEST(Framer, SendsOneFrameForAnEmptyStream) {
  const auto frames = frames_of(framed({}));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_TRUE(frames[0].end);
  EXPECT_EQ(frames[0].payload_bits, 0);
}

TEST(Framer, IsIndependentOfChunkSizes) {
  const auto bits = random_bits(3'000);
  const auto whole = framed(bits);
  for (const std::size_t chunk : {1, 7, 639, 640, 641, 1000}) EXPECT_EQ(framed(bits, chunk), whole) << chunk;
}

}  // namespace
}  // namespace orbweaver::voice::testing
