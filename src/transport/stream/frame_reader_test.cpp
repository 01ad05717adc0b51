#include "transport/stream/frame_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "transport/testing/frames.h"
#include "transport/testing/resources.h"

namespace orbweaver::transport::testing {
namespace {

constexpr std::size_t kLimit = std::size_t{64} << 20;

/// Feeds bytes to the reader as a socket would, at most `at_once` per call, and records the largest buffer
/// that it requested.
std::size_t feed(FrameReader& reader, Bytes bytes, std::size_t at_once) {
  const MutableBytes room = reader.room();
  const std::size_t n = std::min({bytes.size(), at_once, room.size()});
  std::copy_n(bytes.begin(), n, room.begin());
  reader.arrived(n);
  return n;
}

std::vector<std::uint8_t> stream_of(std::uint32_t frames, std::uint32_t seed) {
  std::vector<std::uint8_t> stream;
  FrameSizes sizes(seed, 60'000);
  for (std::uint32_t i = 0; i < frames; ++i) {
    const std::size_t start = stream.size();
    stream.resize(start + sizes.next());
    write_frame(std::span(stream).subspan(start), i);
  }
  return stream;
}

TEST(FrameReader, SplitsTheStreamHoweverItArrives) {
  const std::vector<std::uint8_t> stream = stream_of(200, 5);
  for (const std::size_t at_once : {7, 1000, 65'536, 1'000'000'000}) {
    SCOPED_TRACE(at_once);
    FrameReader reader(test_frame_length, kLimit);
    FrameSizes sizes(5, 60'000);
    Bytes rest(stream);
    for (std::uint32_t i = 0; i < 200; ++i) {
      Result<Bytes> frame = reader.next_frame();
      while (frame && frame->empty()) {
        rest = rest.subspan(feed(reader, rest, at_once));
        frame = reader.next_frame();
      }
      ASSERT_TRUE(ok(frame));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(frame->data()) % 8, 0u);
      ASSERT_TRUE(is_frame(*frame, sizes.next(), i));
      ASSERT_TRUE(is_frame(*reader.next_frame(), frame->size(), i)) << "repeated before its release";
      reader.release();
    }
    EXPECT_TRUE(reader.next_frame()->empty());
  }
}

TEST(FrameReader, ReadsNothingBeyondALargeFrame) {
  FrameReader reader(test_frame_length, kLimit);
  std::vector<std::uint8_t> frame(100'000);
  write_frame(frame, 1);
  feed(reader, std::span(frame).first(50), 50);
  ASSERT_TRUE(reader.next_frame()->empty());
  Bytes rest = std::span(frame).subspan(50);
  while (!rest.empty()) {
    ASSERT_LE(reader.room().size(), rest.size());
    rest = rest.subspan(feed(reader, rest, 30'000));
    EXPECT_EQ(reader.next_frame()->empty(), !rest.empty());
  }
}

TEST(FrameReader, GrowsOnlyWithReceivedBytes) {
  FrameReader reader(test_frame_length, kLimit);
  std::vector<std::uint8_t> start(1000);
  write_header(start.data(), kLimit, 1);
  feed(reader, start, start.size());
  ASSERT_TRUE(reader.next_frame()->empty());
  const std::vector<std::uint8_t> more(10'000);
  for (std::size_t arrived = start.size(); arrived < 4'000'000; arrived += more.size()) {
    feed(reader, more, more.size());
    ASSERT_LE(reader.room().size(),
              std::max<std::size_t>(arrived + more.size(), 4 * limits::kFirstMessageBytes));
  }
}

TEST(FrameReader, ReleasesLargeBuffersAfterSmallFrames) {
  FrameReader reader(test_frame_length, kLimit);
  const auto pass = [&](std::size_t bytes) {
    std::vector<std::uint8_t> frame(bytes);
    write_frame(frame, 1);
    Bytes rest(frame);
    while (reader.next_frame()->empty()) rest = rest.subspan(feed(reader, rest, bytes));
    reader.release();
  };
  pass(10'000'000);
  const std::size_t large = reader.room().size();
  for (int i = 0; i < 300; ++i) pass(100);
  EXPECT_GT(large, 1'000'000u);
  EXPECT_LE(reader.room().size(), limits::kFirstMessageBytes);
}

TEST(FrameReader, RejectsInvalidFramesPermanently) {
  for (const std::uint32_t announced : {0u, 11u, static_cast<std::uint32_t>(kLimit + 1), 0xFFFFFFFFu}) {
    FrameReader reader(test_frame_length, kLimit);
    std::uint8_t header[kFrameHeaderBytes];
    write_header(header, announced, 0);
    feed(reader, header, sizeof header);
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, reader.next_frame()));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, reader.next_frame()));
  }
}

}  // namespace
}  // namespace orbweaver::transport::testing
