#include "transport/testing/contract.h"

/// Limits: data from the peer is checked before it is used, and a malformed frame affects only its channel.
namespace orbweaver::transport::testing {

/// Commits 64 bytes whose header has this magic and length.
inline Result<void> send_header(Channel& channel, const char* magic, std::uint32_t announced) {
  Result<MutableBytes> room = channel.claim(64, hang_deadline());
  if (!room) return room.take_error();
  write_frame(room->first(64), 0);
  std::memcpy(room->data(), magic, 4);
  std::memcpy(room->data() + 4, &announced, sizeof announced);
  return channel.commit(64, hang_deadline());
}

TEST_P(TransportContract, EnforcesTheFrameLimit) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, ends.near->claim(kMaxFrameBytes + 1, Deadline::never())));
  std::thread sending([&] { EXPECT_TRUE(ok(send_frame(*ends.near, kMaxFrameBytes, 1))); });
  EXPECT_TRUE(receives(*ends.far, kMaxFrameBytes, 1));
  sending.join();
}

TEST_P(TransportContract, DisconnectsOnAFrameBeyondTheReceiversLimit) {
  ChannelOptions strict = options_for();
  strict.max_frame_bytes = 1000;
  Ends ends = connected(options_for(), strict);
  EXPECT_TRUE(ok(send_frame(*ends.near, 1000, 0)));
  EXPECT_TRUE(receives(*ends.far, 1000, 0));
  const Result<void> sent = send_frame(*ends.near, 1001, 1);  // may be rejected at once, or on arrival
  const Result<Bytes> received = ends.far->receive(sent ? hang_deadline() : Deadline::in_ms(50));
  if (sent) {
    ASSERT_TRUE(fails_with(ErrorKind::disconnected, received));
    EXPECT_NE(received.error().message.find("1001"), std::string::npos) << received.error().message;
  } else {
    EXPECT_FALSE(received);
  }
}

TEST_P(TransportContract, DisconnectsOnlyTheChannelOfInvalidBytes) {
  std::unique_ptr<Acceptor> acceptor = listening();
  ASSERT_NE(acceptor, nullptr);
  std::vector<std::unique_ptr<Channel>> near, far;
  std::thread accepting([&] {
    for (int i = 0; i < 2; ++i) far.push_back(std::move(*acceptor->accept()));
  });
  for (int i = 0; i < 2; ++i) {
    near.push_back(std::move(*transport().connect(acceptor->address(), options_for(), hang_deadline())));
  }
  accepting.join();
  // The first frame shows which accepted channel belongs to which end.
  for (std::uint32_t i = 0; i < 2; ++i) ASSERT_TRUE(ok(send_frame(*near[i], 12, i)));
  if (const Result<Bytes> first = far[0]->receive(hang_deadline()); !is_frame(*first, 12, 0)) {
    far[0]->release();
    std::swap(far[0], far[1]);
    ASSERT_TRUE(receives(*far[0], 12, 0));
  } else {
    far[0]->release();
    ASSERT_TRUE(receives(*far[1], 12, 1));
  }

  ASSERT_TRUE(ok(send_header(*near[0], "NOPE", 64)));
  const Result<Bytes> malformed = far[0]->receive(hang_deadline());
  ASSERT_TRUE(fails_with(ErrorKind::disconnected, malformed));
  EXPECT_NE(malformed.error().message.find("no 'TEST' where a frame begins"), std::string::npos)
      << "the message should say what was found: " << malformed.error().message;
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, far[0]->receive(hang_deadline())));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, near[0]->receive(hang_deadline())));

  EXPECT_TRUE(ok(send_frame(*near[1], 5000, 7)));
  EXPECT_TRUE(receives(*far[1], 5000, 7));
}

TEST_P(TransportContract, DisconnectsOnAnInvalidLength) {
  for (const std::uint32_t announced :
       {0u, 11u, static_cast<std::uint32_t>(kMaxFrameBytes + 1), 0xFFFFFFFFu}) {
    SCOPED_TRACE("announcing " + std::to_string(announced));
    Ends ends = connected();
    ASSERT_TRUE(ok(send_header(*ends.near, "TEST", announced)));
    const Result<Bytes> received = ends.far->receive(hang_deadline());
    ASSERT_TRUE(fails_with(ErrorKind::disconnected, received));
    EXPECT_NE(received.error().message.find(std::to_string(announced)), std::string::npos)
        << received.error().message;
  }
}

}  // namespace orbweaver::transport::testing
