// Frames over one ring, and what of them lies in it.
#include "transport/shm/repeated_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

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
  Channel::Known last_known;
  std::vector<std::vector<std::uint8_t>> heads;

  /// The same for the same octets, 8 to 15 aside.
  std::uint64_t number_of(Bytes octets) {
    std::vector<std::uint8_t> head(octets.begin(), octets.end());
    std::fill(head.begin() + 8, head.begin() + 16, std::uint8_t{0});
    const auto at = std::find(heads.begin(), heads.end(), head);
    const auto number = static_cast<std::uint64_t>(at - heads.begin()) + 1;
    if (at == heads.end()) heads.push_back(head);
    return number;
  }

  /// Writes all of the frame but its head, which the writer has to put; a head of 0 bytes is none.
  void write(const std::vector<std::uint8_t>& frame, std::size_t head) {
    auto room = writer.claim(frame.size(), Deadline::never());
    if (head != 0) writer.put_head(*room, {number_of({frame.data(), head}), {frame.data(), head}}, true);
    if (head != 0) std::memcpy(room->data() + 8, frame.data() + 8, 8);
    std::memcpy(room->data() + head, frame.data() + head, frame.size() - head);
  }
  /// Returns how many bytes of the ring the frame took, its word included.
  std::uint32_t pass(const std::vector<std::uint8_t>& frame, std::size_t head) {
    write(frame, head);
    writer.publish(frame.size(), Kind::frame);
    std::uint64_t word;
    std::memcpy(&word, data.data() + sent_at, sizeof word);
    const auto took = static_cast<std::uint32_t>(word);
    sent_at += (took + kLine - 1) / kLine * kLine;
    auto got = reader.receive(Deadline::never());
    EXPECT_TRUE(got);
    last_received.assign(got->bytes.begin(), got->bytes.end());
    last_known = got->known;
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

TEST(RepeatedHead, WhatIsGivenBackUnsentLeavesNoHeadBehind) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  ring.write(frame(kHead, 2, 8), 0);  // another header, never published
  EXPECT_EQ(ring.pass(frame(kHead, 3), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 3));
  ring.write(frame(kHead, 4, 8), 0);
  ring.pass(frame(kHead, 5, 8), kHead);  // the reader needs it in full: it has to be there in full
  EXPECT_EQ(ring.last_received, frame(kHead, 5, 8));
  ring.write(frame(kHead, 6), kHead);  // put, and given back
  EXPECT_EQ(ring.pass(frame(kHead, 7, 8), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 7, 8));
  EXPECT_EQ(ring.pass(frame(kHead, 8), kHead), 8 + kHead);
  EXPECT_EQ(ring.last_received, frame(kHead, 8));
  // Too long to be kept by the reader, so that it is still to come in full when its room has been written over.
  ring.pass(frame(600, 9, 8), kHead);
  ring.write(frame(kHead, 10, 9), 0);
  EXPECT_EQ(ring.pass(frame(kHead, 11, 8), kHead), 8 + kHead);
  EXPECT_EQ(ring.last_received, frame(kHead, 11, 8));
}

TEST(RepeatedHead, TheReaderTellsWhichHeadAFrameHas) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  const Channel::Known first = ring.last_known;
  EXPECT_NE(first.head, 0u);
  EXPECT_EQ(first.bytes, kHead);
  ring.pass(frame(kHead, 2), kHead);
  EXPECT_EQ(ring.last_known.head, first.head);
  ring.pass(frame(kHead, 3), 0);  // the same, but nobody looked
  EXPECT_EQ(ring.last_known.head, 0u);
  ring.pass(frame(kHead, 4, 8), kHead);
  const Channel::Known second = ring.last_known;
  EXPECT_NE(second.head, 0u);
  EXPECT_NE(second.head, first.head);
  ring.pass(frame(kHead, 5), kHead);
  EXPECT_NE(ring.last_known.head, second.head);
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
