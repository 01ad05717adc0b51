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

  void write(const std::vector<std::uint8_t>& frame) {
    auto room = writer.claim(frame.size(), Deadline::never());
    std::memcpy(room->data(), frame.data(), frame.size());
  }
  /// Returns how many bytes of the ring the frame took, its word included.
  std::uint32_t pass(const std::vector<std::uint8_t>& frame) {
    write(frame);
    writer.publish(frame.size(), FrameKind::frame);
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

/// The whole of a header that is sent with its prefix, and what is left of it without.
constexpr std::uint32_t kComplete = 8 + kHead, kOmitted = 8 + kVaryingBytes;

TEST(PrefixCache, OmitsAHeaderFromItsThirdFrameOn) {
  OneRing ring;
  EXPECT_EQ(ring.pass(frame(kHead, 1)), kComplete);
  EXPECT_EQ(ring.pass(frame(kHead, 2)), kComplete) << "announces the prefix";
  for (std::uint8_t id = 3; id < 10; ++id) {
    EXPECT_EQ(ring.pass(frame(kHead, id)), kOmitted);
    EXPECT_EQ(ring.last_received, frame(kHead, id));
  }
}

TEST(PrefixCache, SendsTheSuffixEachTime) {
  OneRing ring;
  std::vector<std::uint8_t> f;
  for (std::uint8_t id = 1; id < 6; ++id) {
    f = frame(kHead + 100 + id * std::size_t{8}, id);
    std::fill(f.begin() + kHead, f.end(), id);
    const std::uint32_t took = ring.pass(f);
    EXPECT_EQ(took, id < 3 ? 8 + f.size() : kOmitted + 100u + id * 8u);
    EXPECT_EQ(ring.last_received, f);
  }
}

TEST(PrefixCache, ReplacesAPrefixThatIsNoLongerSent) {
  OneRing ring;
  for (std::uint8_t id = 1; id < 4; ++id) ring.pass(frame(kHead, id));
  const auto other = [](std::uint8_t id) {
    auto f = frame(kHead, id);
    f[20] = 0;
    return f;
  };
  EXPECT_EQ(ring.pass(other(4)), kComplete);
  EXPECT_EQ(ring.pass(other(5)), kComplete);
  EXPECT_EQ(ring.pass(other(6)), kOmitted);
  EXPECT_EQ(ring.last_received, other(6));
}

TEST(PrefixCache, ShortensThePrefixToWhatTwoOperationsShare) {
  OneRing ring;
  const auto call = [](std::uint8_t id) {
    auto f = frame(kHead, id);
    f[60] = id % 2;
    return f;
  };
  for (std::uint8_t id = 1; id < 10; ++id) {
    EXPECT_EQ(ring.pass(call(id)), id < 3 ? kComplete : kOmitted + 16);
    EXPECT_EQ(ring.last_received, call(id));
  }
}

TEST(PrefixDetector, FindsALongerPrefixLater) {
  PrefixDetector detector;
  std::size_t longest = 0;
  for (int i = 0; i < 2'000; ++i) {
    auto f = frame(kHead, 1);
    f[60] = i < 4 ? static_cast<std::uint8_t>(i) : std::uint8_t{4};
    const std::size_t omitted = detector.announced_prefix_of(f.data(), f.size());
    if (omitted == 0) detector.announce(f.data(), f.size());
    longest = std::max(longest, omitted);
  }
  EXPECT_EQ(longest, kHead);
}

TEST(PrefixCache, PassesShortAndLargeFrames) {
  OneRing ring;
  for (std::uint8_t id = 1; id < 3; ++id) ring.pass(frame(kHead, id));
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{32}, std::size_t{513}, std::size_t{4000}}) {
    EXPECT_EQ(ring.pass(frame(bytes, 3)), 8 + bytes);
    EXPECT_EQ(ring.last_received, frame(bytes, 3));
  }
  EXPECT_EQ(ring.pass(frame(kHead, 4)), kOmitted);
}

TEST(PrefixCache, IgnoresAnAbandonedFrame) {
  OneRing ring;
  for (std::uint8_t id = 1; id < 3; ++id) ring.pass(frame(kHead, id));
  ring.write(frame(kHead, 3, 8));  // another header, abandoned
  EXPECT_EQ(ring.pass(frame(kHead, 4)), kOmitted);
  EXPECT_EQ(ring.last_received, frame(kHead, 4));
}

TEST(PrefixCache, AnnouncesNothingToAReaderWithoutIt) {
  OneRing ring;
  const std::atomic<std::uint32_t> features{0};
  ring.connection.peer_features = &features;
  for (std::uint8_t id = 1; id < 5; ++id) EXPECT_EQ(ring.pass(frame(kHead, id)), kComplete);
}

TEST(PrefixCache, CachesWholeWordsOfAnOddLength) {
  OneRing ring;
  for (std::uint8_t id = 1; id < 3; ++id) ring.pass(frame(kHead + 4, id));
  EXPECT_EQ(ring.pass(frame(kHead + 4, 3)), kOmitted + 4);
  EXPECT_EQ(ring.last_received, frame(kHead + 4, 3));
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
    for (std::uint8_t id = 1; id < 3; ++id) ring.pass(frame(kHead, id));
    const std::uint64_t word = std::uint64_t{4} << 32 | bytes;
    std::memcpy(ring.data.data() + ring.sent_at, &word, sizeof word);
    EXPECT_FALSE(ring.reader.receive(Deadline::never()));
  }
}

}  // namespace
}  // namespace orbweaver::transport::shm
