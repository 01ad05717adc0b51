// Tests of undelivered_bytes: frames sent to a peer that has closed.
#include <gtest/gtest.h>

#include "platform/resolver.h"
#include "platform/socket.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::testing {
namespace {

/// A channel whose peer is a raw socket.
struct RawPeerChannel : ::testing::Test {
  platform::Fd listener =
      std::move(platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 4).fd);
  std::unique_ptr<Channel> channel = std::move(*tcp_transport().connect(
      platform::local_address(listener).text(), options_for(WaitStrategy::block), hang_deadline()));
  platform::Fd peer = std::move(platform::accept_from(listener, hang_deadline()).fd);

  void send(std::uint32_t sequence, std::size_t bytes) {
    auto room = channel->claim(bytes, hang_deadline());
    ASSERT_TRUE(ok(room));
    write_frame(room->first(bytes), sequence);
    ASSERT_TRUE(ok(channel->commit(bytes, hang_deadline())));
  }
  /// Reads that number of bytes at the raw socket.
  void take(std::size_t bytes) {
    std::vector<std::uint8_t> room(bytes);
    for (std::size_t received = 0; received < bytes;) {
      const auto got = platform::recv(peer, MutableBytes(room).subspan(received), platform::Blocking::yes);
      ASSERT_TRUE(got.error == 0 && got.bytes > 0);
      received += got.bytes;
    }
  }
  std::size_t not_taken_at_the_end() {
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel->receive(hang_deadline())));
    return channel->capabilities().receive_status->undelivered_bytes();
  }
};

TEST_F(RawPeerChannel, ReportsAllBytesOfAFrameSentAfterClose) {
  peer = platform::Fd();
  send(1, 400);
  EXPECT_EQ(not_taken_at_the_end(), 400u);
}

TEST_F(RawPeerChannel, ReportsNoBytesOfAFrameReadBeforeClose) {
  send(1, 400);
  take(400);
  peer = platform::Fd();
  EXPECT_EQ(not_taken_at_the_end(), 0u);
}

TEST_F(RawPeerChannel, ReportsOnlyTheBytesOfTheSecondFrame) {
  send(1, 400);
  take(400);
  peer = platform::Fd();
  send(2, 1000);
  EXPECT_EQ(not_taken_at_the_end(), 1000u);
}

/// The peer might continue to read.
TEST_F(RawPeerChannel, ReportsNothingAfterAHalfClose) {
  platform::shutdown_sending(peer);
  while (platform::unacknowledged_bytes(peer) != 0) std::this_thread::yield();
  send(1, 400);
  EXPECT_EQ(not_taken_at_the_end(), 0u);
  take(400);
}

/// A reset does not show what was read before it.
TEST_F(RawPeerChannel, ReportsNothingAfterAReset) {
  send(1, 400);
  take(400);
  platform::abort_tcp(peer);
  EXPECT_EQ(not_taken_at_the_end(), 0u);
}

TEST(RefusedFrame, ReportsNothingForUnixSockets) {
  Ends ends =
      connect_ends(unix_transport(), "", options_for(WaitStrategy::block), options_for(WaitStrategy::block));
  ends.far = nullptr;
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.near->receive(hang_deadline())));
  EXPECT_EQ(ends.near->capabilities().receive_status->undelivered_bytes(), 0u);
}

}  // namespace
}  // namespace orbweaver::transport::testing
