// Frames over one ring, and what of them lies in it.
#include "transport/shm/repeated_head.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "transport/shm/ring.h"

namespace orbweaver::transport::shmem {
namespace {

constexpr std::size_t kHead = 72;

/// A ring in plain memory, with both ends in one thread. Its frames never reach the end.
struct OneRing {
  RingWords words;
  alignas(kLine) std::array<std::uint8_t, 64 * 1024> data{};
  RingLife life;
  RingMemory memory{&words, data.data(), data.size(), false};
  RingReader reader{memory, Wait::spin, life};
  RingWriter writer{memory, Wait::spin, life};
  std::size_t sent_at = 0;

  std::vector<std::uint8_t> last_received;

  /// Returns how many bytes of the ring the frame took, its word included.
  std::uint32_t pass(const std::vector<std::uint8_t>& frame, std::size_t head) {
    auto room = writer.claim(frame.size(), Deadline::never());
    std::memcpy(room->data(), frame.data(), frame.size());
    if (head != 0) writer.repeats(head);
    writer.publish(frame.size(), Kind::frame);
    std::uint64_t word;
    std::memcpy(&word, data.data() + sent_at, sizeof word);
    const auto took = static_cast<std::uint32_t>(word);
    sent_at += (took + kLine - 1) / kLine * kLine;
    auto got = reader.receive(Deadline::never());
    EXPECT_TRUE(got);
    last_received.assign(got->bytes.begin(), got->bytes.end());
    reader.release();
    return took;
  }
};

std::vector<std::uint8_t> frame(std::size_t bytes, std::uint8_t id, std::uint8_t operation = 7) {
  std::vector<std::uint8_t> f(bytes);
  std::iota(f.begin(), f.end(), std::uint8_t{1});
  f[12] = id;
  if (bytes > 40) f[40] = operation;
  return f;
}

TEST(RepeatedHead, ASecondCallIsOneLineAndArrivesWhole) {
  OneRing ring;
  EXPECT_EQ(ring.pass(frame(kHead, 1), kHead), 8 + kHead);
  EXPECT_EQ(ring.pass(frame(kHead, 2), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 2));
}

TEST(RepeatedHead, WhatFollowsTheHeadIsSentEachTime) {
  OneRing ring;
  auto f = frame(kHead + 136, 1);
  ring.pass(f, kHead);
  f = frame(kHead + 200, 2);
  f.back() = 99;
  EXPECT_EQ(ring.pass(f, kHead), 16 + 200u);
  EXPECT_EQ(ring.last_received, f);
}

TEST(RepeatedHead, AnotherHeadIsSentInFullAndKeptInsteadOfTheFirst) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  EXPECT_EQ(ring.pass(frame(kHead, 2, 8), kHead), 8 + kHead);
  EXPECT_EQ(ring.last_received, frame(kHead, 2, 8));
  EXPECT_EQ(ring.pass(frame(kHead, 3, 8), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 3, 8));
}

TEST(RepeatedHead, FramesWithoutAHeadAndLargeOnesPassBetween) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{513}, std::size_t{4000}}) {
    EXPECT_EQ(ring.pass(frame(bytes + 16, 2), bytes < kHead ? 0 : kHead), 8 + bytes + 16);
    EXPECT_EQ(ring.last_received, frame(bytes + 16, 2));
  }
  EXPECT_EQ(ring.pass(frame(kHead, 3), kHead), 16u);
}

TEST(RepeatedHead, AnOddLengthKeepsItsWholeWords) {
  OneRing ring;
  ring.pass(frame(kHead + 4, 1), kHead + 4);
  EXPECT_EQ(ring.pass(frame(kHead + 4, 2), kHead + 4), 16 + 4u);
  EXPECT_EQ(ring.last_received, frame(kHead + 4, 2));
}

/// Words that no honest writer makes.
TEST(RepeatedHead, ARestWithoutAHeadAndImpossibleHeadsEndTheConnection) {
  const std::uint64_t rest = 4, whole = 1;
  for (const std::uint64_t how : {rest,                      // nothing was kept
                                  rest | 72 << kHeadShift,   // a rest with a head
                                  whole | 200 << kHeadShift, // longer than any
                                  whole | 76 << kHeadShift,  // not whole words
                                  whole | 16 << kHeadShift,  // too short to be worth while
                                  whole | 96 << kHeadShift,  // longer than its frame
                                  whole | 0x200, std::uint64_t{5}, std::uint64_t{0xffffffff}}) {
    OneRing ring;
    const std::uint64_t word = how << 32 | (8 + 88);
    std::memcpy(ring.data.data(), &word, sizeof word);
    auto got = ring.reader.receive(Deadline::never());
    ASSERT_FALSE(got) << std::hex << how;
    EXPECT_EQ(got.error().remedy, Remedy::reconnect);
  }
}

TEST(RepeatedHead, ARestThatIsTooLongOrTooShortEndsTheConnection) {
  for (const std::uint64_t bytes : {std::uint64_t{8 + 7}, std::uint64_t{8 + kMostRepeatedBytes + 1}}) {
    OneRing ring;
    ring.pass(frame(kHead, 1), kHead);
    const std::uint64_t word = std::uint64_t{4} << 32 | bytes;
    std::memcpy(ring.data.data() + ring.sent_at, &word, sizeof word);
    EXPECT_FALSE(ring.reader.receive(Deadline::never()));
  }
}

}  // namespace
}  // namespace orbweaver::transport::shmem
