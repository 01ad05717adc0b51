#include "transport/mqueue/message_frames.h"

#include <gtest/gtest.h>

#include <vector>

#include "transport/testing/ends.h"

/// Tests of valid and malformed messages, without a queue.
namespace orbweaver::transport::mqueue {
namespace {

using namespace orbweaver::transport::testing;
using Octets = std::vector<std::uint8_t>;

constexpr std::size_t kMessageBytes = 2048;

/// A message under construction.
/// ~99
struct Message {
  explicit Message(std::uint32_t kind, std::uint32_t zero = 0) : bytes(kHeaderBytes) {
    const MessageHeader header{kind, zero};
    std::memcpy(bytes.data(), &header, sizeof header);
  }
  Message& frame(std::size_t size, std::uint32_t sequence) {
    const std::size_t at = round_up(bytes.size(), 8);
    bytes.resize(at + size);
    write_frame(MutableBytes(bytes).subspan(at), sequence);
    return *this;
  }
  Message& raw(const Octets& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return *this;
  }
  Octets bytes;
};

struct MessageFramesTest : ::testing::Test {
  void arrives(const Message& message) {
    const MutableBytes room = frames.room();
    ASSERT_EQ(room.size(), kMessageBytes);
    std::copy(message.bytes.begin(), message.bytes.end(), room.begin());
    frames.arrived(message.bytes.size());
  }
  ::testing::AssertionResult gives(std::size_t bytes, std::uint32_t sequence) {
    const Result<Bytes> frame = frames.next_frame();
    if (!frame) return ::testing::AssertionFailure() << frame.error().message;
    if (reinterpret_cast<std::uintptr_t>(frame->data()) % 8 != 0)
      return ::testing::AssertionFailure() << "not aligned to 8";
    const ::testing::AssertionResult same = is_frame(*frame, bytes, sequence);
    frames.release();
    return same;
  }
  bool wants_another() {
    const Result<Bytes> frame = frames.next_frame();
    return frame && frame->empty() && !frames.has_some();
  }

  ChannelOptions options = options_for();
  MessageFrames frames{options, kMessageBytes};
};

TEST_F(MessageFramesTest, SplitsAMessageIntoFrames) {
  arrives(Message(kFrame).frame(100, 1));
  EXPECT_TRUE(gives(100, 1));
  EXPECT_TRUE(wants_another());
  arrives(Message(kFrames).frame(12, 2).frame(13, 3).frame(100, 4).frame(21, 5));
  EXPECT_TRUE(gives(12, 2));
  EXPECT_TRUE(frames.has_some());
  EXPECT_TRUE(gives(13, 3));
  EXPECT_TRUE(gives(100, 4));
  EXPECT_TRUE(gives(21, 5));
  EXPECT_TRUE(wants_another());
  arrives(Message(kFrames).frame(50, 6));
  EXPECT_TRUE(gives(50, 6));
  EXPECT_TRUE(wants_another());
}

TEST_F(MessageFramesTest, KeepsAFrameUntilRelease) {
  arrives(Message(kFrames).frame(40, 1).frame(44, 2));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_frame(*frames.next_frame(), 40, 1));
  EXPECT_TRUE(frames.has_more());
  frames.release();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_frame(*frames.next_frame(), 44, 2));
  EXPECT_FALSE(frames.has_more());
}

TEST_F(MessageFramesTest, AssemblesAFrameFromParts) {
  Octets large(5'000);
  write_frame(large, 7);
  arrives(Message(kPart).raw({large.begin(), large.begin() + 2'000}));
  EXPECT_TRUE(wants_another());
  arrives(Message(kPart).raw({large.begin() + 2'000, large.begin() + 4'000}));
  EXPECT_TRUE(wants_another());
  arrives(Message(kLast).raw({large.begin() + 4'000, large.end()}));
  EXPECT_TRUE(gives(5'000, 7));
  EXPECT_TRUE(wants_another());
}

TEST_F(MessageFramesTest, RejectsPartsWithoutAHeaderOrBeyondTheAnnouncedLength) {
  for (const bool has_header : {false, true}) {
    MessageFrames fresh{options, kMessageBytes};
    Message part(kPart);
    if (has_header)
      part.frame(1'000, 1);
    else
      part.raw(Octets(1'000));
    int parts = 0;
    Result<Bytes> taken = Bytes();
    while (taken && ++parts < 1'000) {
      std::copy(part.bytes.begin(), part.bytes.end(), fresh.room().begin());
      fresh.arrived(part.bytes.size());
      taken = fresh.next_frame();
    }
    EXPECT_LT(parts, 70) << has_header;  // when the first buffer, of 64 KiB, is full
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, taken)) << has_header;
  }
}

TEST_F(MessageFramesTest, RejectsInvalidMessages) {
  Message too_long(kFrames), too_short(kFrames), beyond(kFrames);
  too_long.frame(40, 1).bytes[kHeaderBytes + 4] = 48;  // more than the message has
  too_short.frame(40, 1).bytes[kHeaderBytes + 4] = 4;  // less than a header
  beyond.frame(40, 1).bytes[kHeaderBytes + 7] = 0x7f;  // far more than any message
  const std::vector<Message> bad = {
      Message(kFrame),  // no frame after the header
      Message(0).frame(20, 1),
      Message(5).frame(20, 1),
      Message(kFrame, 1).frame(20, 1),
      Message(kFrames, 1u << 31).frame(20, 1),
      Message(kFrame).raw(Octets(11)),
      Message(kFrame).frame(20, 1).raw({0}),
      Message(kFrames).raw(Octets(40)),
      Message(kFrames).raw(Octets(3)),
      too_long,
      too_short,
      beyond,
  };
  for (const Message& each : bad) {
    MessageFrames fresh{options, kMessageBytes};
    std::copy(each.bytes.begin(), each.bytes.end(), fresh.room().begin());
    fresh.arrived(each.bytes.size());
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, fresh.next_frame())) << &each - bad.data();
  }
}

TEST_F(MessageFramesTest, RejectsTrailingBytes) {
  arrives(Message(kFrames).frame(24, 1).raw({'T', 'E', 'S'}));
  EXPECT_TRUE(gives(24, 1));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, frames.next_frame()));
}

TEST_F(MessageFramesTest, RejectsAFrameInsideAPartialOne) {
  for (const std::uint32_t kind : {kFrame, kFrames}) {
    MessageFrames fresh{options, kMessageBytes};
    const Message part = Message(kPart).frame(100, 1), whole = Message(kind).frame(20, 2);
    for (const Message* each : {&part, &whole}) {
      std::copy(each->bytes.begin(), each->bytes.end(), fresh.room().begin());
      fresh.arrived(each->bytes.size());
      const Result<Bytes> taken = fresh.next_frame();
      EXPECT_EQ(static_cast<bool>(taken), each == &part);
    }
  }
}

}  // namespace
}  // namespace orbweaver::transport::mqueue
