#include "dsp/frame.h"

#include <gtest/gtest.h>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

Frame some_frame() {
  Frame frame;
  frame.stream = 0xCAFE0001;
  frame.sequence = 0x01020304;
  frame.payload_bits = kPayloadBits;
  const auto bits = random_bits(kPayloadBits);
  std::copy(bits.begin(), bits.end(), frame.payload.begin());
  return frame;
}

std::vector<Bit> sent(const Frame& frame) {
  std::vector<Bit> channel;
  FrameCodec().encode(frame, channel);
  return channel;
}

DecodeResult received(const std::vector<Bit>& channel) {
  return FrameCodec().decode(std::span<const Bit, kCodedBits>(channel.data() + kSyncBits, kCodedBits));
}

TEST(Frame, Has1600BitsPer40Milliseconds) {
  EXPECT_EQ(kFrameBits, 1600U);
  EXPECT_EQ(sent(some_frame()).size(), kFrameBits);
  EXPECT_EQ(kFrameBits * kCodecRate / kPayloadBits, kSymbolRate);
}

TEST(Frame, BeginsWithTheSynchronisationWordMostSignificantBitFirst) {
  std::uint64_t word = 0;
  const auto channel = sent(some_frame());
  for (unsigned i = 0; i < kSyncBits; ++i) word = word << 1 | channel[i];
  EXPECT_EQ(word, 0x034776C7272895B0U);
}

TEST(Frame, RoundTrips) {
  Frame frame = some_frame();
  EXPECT_EQ(received(sent(frame)).frame, frame);
  frame.end = true;
  EXPECT_EQ(received(sent(frame)).frame, frame);
  frame.payload_bits = 0;
  frame.payload = {};
  EXPECT_EQ(received(sent(frame)).frame, frame);
}

// The bit layout of README.md, computed here independently of the code under test.
TEST(Frame, MatchesTheDocumentedBitLayout) {
  const auto channel = sent(some_frame());
  // Codeword 0 has the version 0x01 and the upper half of the flags 0x0 in its bits 12..23; bit b is sent at
  // 64b. Whitening: x^9 + x^5 + 1, starting with all ones.
  std::vector<Bit> whitening;
  unsigned state = 0x1FF;
  for (unsigned i = 0; i < kCodedBits; ++i) {
    whitening.push_back(static_cast<Bit>(state >> 8 & 1U));
    state = (state << 1 | ((state >> 8 ^ state >> 4) & 1U)) & 0x1FF;
  }
  unsigned data = 0;
  for (unsigned b = 12; b < 24; ++b) data = data << 1 | (channel[kSyncBits + 64 * b] ^ whitening[64 * b]);
  EXPECT_EQ(data, 0x010U);
}

TEST(Frame, CorrectsThreeBitErrorsPerCodeword) {
  const Frame frame = some_frame();
  auto channel = sent(frame);
  // The bits of one codeword are 64 apart.
  for (unsigned i = 0; i < 3 * 64; ++i) channel[kSyncBits + 5 * 64 + i] ^= 1U;
  const DecodeResult decoded = received(channel);
  EXPECT_EQ(decoded.frame, frame);
  EXPECT_EQ(decoded.bit_errors, 192U);
}

TEST(Frame, CorrectsABurstOf192Bits) {
  const Frame frame = some_frame();
  for (unsigned start = 0; start + 192 <= kCodedBits; start += 31) {
    auto channel = sent(frame);
    for (unsigned i = 0; i < 192; ++i) channel[kSyncBits + start + i] ^= 1U;
    EXPECT_EQ(received(channel).frame, frame) << start;
  }
}

TEST(Frame, RejectsUncorrectableFrames) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    auto channel = sent(some_frame());
    Noise noise(seed);
    for (unsigned i = kSyncBits; i < kFrameBits; ++i) channel[i] ^= Bit{noise.uniform() < 0.2F};
    EXPECT_FALSE(received(channel).frame);
  }
}

TEST(Frame, RejectsRandomBits) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    EXPECT_FALSE(received(random_bits(kFrameBits, seed)).frame);
  }
}

TEST(Frame, TruncatesAnOverlongPayload) {
  Frame frame = some_frame();
  frame.payload_bits = 65'535;
  EXPECT_EQ(received(sent(frame)).frame->payload_bits, kPayloadBits);
}

TEST(Frame, WhitensSilence) {
  Frame frame;
  frame.payload_bits = kPayloadBits;
  const auto channel = sent(frame);
  unsigned run = 0;
  unsigned longest = 0;
  for (std::size_t i = 1; i < channel.size(); ++i) {
    run = channel[i] == channel[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  EXPECT_LE(longest, 16U);
}

}  // namespace
}  // namespace orbweaver::voice::testing
