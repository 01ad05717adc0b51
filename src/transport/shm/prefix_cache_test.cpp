// Tests of frames sent without their cached prefix over one ring.
#include "transport/shm/prefix_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

namespace orbweaver::transport::shm {
namespace {

constexpr std::size_t kHead = 72;

/// A ring in private memory, with both ends in one thread. Its frames never reach the end.
struct OneRing {
  RingWords words;
  alignas(kLine) std::array<std::uint8_t, 64 * 1024> data{};
  RingConnectionState connection;
  RingMemory memory{&words, data.data(), data.size(), false};
  RingReader reader{memory, WaitStrategy::spin, connection};
  RingWriter writer{memory, WaitStrategy::spin, connection};
  std::size_t sent_at = 0;

  std::vector<std::uint8_t> last_received;
  Channel::ReceivedPrefix last_prefix;
  std::vector<std::vector<std::uint8_t>> prefixes;

  /// Returns a number for these octets: the same for octets that differ only in 8 to 15.
  std::uint64_t number_of(Bytes octets) {
    std::vector<std::uint8_t> head(octets.begin(), octets.end());
    std::fill(head.begin() + 8, head.begin() + 16, std::uint8_t{0});
    const auto at = std::find(prefixes.begin(), prefixes.end(), head);
    const auto number = static_cast<std::uint64_t>(at - prefixes.begin()) + 1;
    if (at == prefixes.end()) prefixes.push_back(head);
    return number;
  }

  /// Writes a frame, with its prefix of `head` bytes through put_prefix; 0: without a prefix.
  void write(const std::vector<std::uint8_t>& frame, std::size_t head) {
    auto room = writer.claim(frame.size(), Deadline::never());
    if (head != 0) writer.put_prefix(*room, {number_of({frame.data(), head}), {frame.data(), head}}, true);
    if (head != 0) std::memcpy(room->data() + 8, frame.data() + 8, 8);
    std::memcpy(room->data() + head, frame.data() + head, frame.size() - head);
  }
  /// Returns how many bytes of the ring the frame took, its word included.
  std::uint32_t pass(const std::vector<std::uint8_t>& frame, std::size_t head) {
    write(frame, head);
    writer.publish(frame.size(), FrameKind::frame);
    std::uint64_t word;
    std::memcpy(&word, data.data() + sent_at, sizeof word);
    const auto took = static_cast<std::uint32_t>(word);
    sent_at += (took + kLine - 1) / kLine * kLine;
    auto got = reader.receive(Deadline::never());
    EXPECT_TRUE(got);
    last_received.assign(got->bytes.begin(), got->bytes.end());
    last_prefix = got->received_prefix;
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

TEST(PrefixCache, SendsARepeatedCallInOneCacheLine) {
  OneRing ring;
  EXPECT_EQ(ring.pass(frame(kHead, 1), kHead), 8 + kHead);
  EXPECT_EQ(ring.pass(frame(kHead, 2), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 2));
}

TEST(PrefixCache, SendsTheSuffixEachTime) {
  OneRing ring;
  auto f = frame(kHead + 136, 1);
  ring.pass(f, kHead);
  f = frame(kHead + 200, 2);
  f.back() = 99;
  EXPECT_EQ(ring.pass(f, kHead), 16 + 200u);
  EXPECT_EQ(ring.last_received, f);
}

TEST(PrefixCache, ReplacesTheCachedPrefix) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  EXPECT_EQ(ring.pass(frame(kHead, 2, 8), kHead), 8 + kHead);
  EXPECT_EQ(ring.last_received, frame(kHead, 2, 8));
  EXPECT_EQ(ring.pass(frame(kHead, 3, 8), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 3, 8));
}

TEST(PrefixCache, PassesUnprefixedAndLargeFrames) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{513}, std::size_t{4000}}) {
    EXPECT_EQ(ring.pass(frame(bytes + 16, 2), bytes < kHead ? 0 : kHead), 8 + bytes + 16);
    EXPECT_EQ(ring.last_received, frame(bytes + 16, 2));
  }
  EXPECT_EQ(ring.pass(frame(kHead, 3), kHead), 16u);
}

TEST(PrefixCache, ForgetsThePrefixOfAnAbandonedFrame) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  ring.write(frame(kHead, 2, 8), 0);  // another header, abandoned
  EXPECT_EQ(ring.pass(frame(kHead, 3), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 3));
  ring.write(frame(kHead, 4, 8), 0);
  ring.pass(frame(kHead, 5, 8), kHead);  // the reader needs the complete prefix, so the ring must have it
  EXPECT_EQ(ring.last_received, frame(kHead, 5, 8));
  ring.write(frame(kHead, 6), kHead);  // put, then abandoned
  EXPECT_EQ(ring.pass(frame(kHead, 7, 8), kHead), 16u);
  EXPECT_EQ(ring.last_received, frame(kHead, 7, 8));
  EXPECT_EQ(ring.pass(frame(kHead, 8), kHead), 8 + kHead);
  EXPECT_EQ(ring.last_received, frame(kHead, 8));
  // Too long to be cached by the reader: the prefix must still be sent completely after its buffer was
  // overwritten.
  ring.pass(frame(600, 9, 8), kHead);
  ring.write(frame(kHead, 10, 9), 0);
  EXPECT_EQ(ring.pass(frame(kHead, 11, 8), kHead), 8 + kHead);
  EXPECT_EQ(ring.last_received, frame(kHead, 11, 8));
}

TEST(PrefixCache, ReportsThePrefixOfEachFrame) {
  OneRing ring;
  ring.pass(frame(kHead, 1), kHead);
  const Channel::ReceivedPrefix first = ring.last_prefix;
  EXPECT_NE(first.head, 0u);
  EXPECT_EQ(first.bytes, kHead);
  ring.pass(frame(kHead, 2), kHead);
  EXPECT_EQ(ring.last_prefix.head, first.head);
  ring.pass(frame(kHead, 3), 0);  // the same octets, without put_prefix
  EXPECT_EQ(ring.last_prefix.head, 0u);
  ring.pass(frame(kHead, 4, 8), kHead);
  const Channel::ReceivedPrefix second = ring.last_prefix;
  EXPECT_NE(second.head, 0u);
  EXPECT_NE(second.head, first.head);
  ring.pass(frame(kHead, 5), kHead);
  EXPECT_NE(ring.last_prefix.head, second.head);
}

TEST(PrefixCache, CachesWholeWordsOfAnOddLength) {
  OneRing ring;
  ring.pass(frame(kHead + 4, 1), kHead + 4);
  EXPECT_EQ(ring.pass(frame(kHead + 4, 2), kHead + 4), 16 + 4u);
  EXPECT_EQ(ring.last_received, frame(kHead + 4, 2));
}

/// Words that no correct writer produces.
TEST(PrefixCache, DisconnectsOnInvalidPrefixWords) {
  const std::uint64_t suffix = 4, whole = 1;
  for (const std::uint64_t how : {suffix,                             // no prefix is cached
                                  suffix | 72 << kPrefixLengthShift,  // a suffix with a prefix length
                                  whole | 200 << kPrefixLengthShift,  // longer than the maximum
                                  whole | 76 << kPrefixLengthShift,   // not a multiple of 8
                                  whole | 16 << kPrefixLengthShift,   // too short to be cached
                                  whole | 96 << kPrefixLengthShift,   // longer than its frame
                                  whole | 0x200, std::uint64_t{5}, std::uint64_t{0xffffffff}}) {
    OneRing ring;
    const std::uint64_t word = how << 32 | (8 + 88);
    std::memcpy(ring.data.data(), &word, sizeof word);
    auto got = ring.reader.receive(Deadline::never());
    ASSERT_FALSE(got) << std::hex << how;
    EXPECT_EQ(got.error().kind, ErrorKind::disconnected);
  }
}

TEST(PrefixCache, DisconnectsOnInvalidSuffixLengths) {
  for (const std::uint64_t bytes : {std::uint64_t{8 + 7}, std::uint64_t{8 + kMaxPrefixedFrameBytes + 1}}) {
    OneRing ring;
    ring.pass(frame(kHead, 1), kHead);
    const std::uint64_t word = std::uint64_t{4} << 32 | bytes;
    std::memcpy(ring.data.data() + ring.sent_at, &word, sizeof word);
    EXPECT_FALSE(ring.reader.receive(Deadline::never()));
  }
}

}  // namespace
}  // namespace orbweaver::transport::shm
