// What is known of frames that were sent to a peer which had closed: whether its host took them.
#include <gtest/gtest.h>

#include "platform/socket.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::testing {
namespace {

/// A channel, and the other end of its connection as a bare socket.
struct BareEnd : ::testing::Test {
  platform::Fd listener = std::move(platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 4).fd);
  std::unique_ptr<Channel> channel = std::move(
      *tcp().connect(platform::local_address(listener).text(), options_for(Wait::block), hang_deadline()));
  platform::Fd peer = std::move(platform::accept_from(listener, hang_deadline()).fd);

  void send(std::uint32_t sequence, std::size_t bytes) {
    auto room = channel->claim(bytes, hang_deadline());
    ASSERT_TRUE(ok(room));
    write_frame(room->first(bytes), sequence);
    ASSERT_TRUE(ok(channel->commit(bytes, hang_deadline())));
  }
  /// Reads so many bytes at the bare end.
  void take(std::size_t bytes) {
    std::vector<std::uint8_t> room(bytes);
    for (std::size_t there = 0; there < bytes;) {
      const auto got = platform::recv(peer, MutableBytes(room).subspan(there), platform::Block::yes);
      ASSERT_TRUE(got.error == 0 && got.bytes > 0);
      there += got.bytes;
    }
  }
  std::size_t not_taken_at_the_end() {
    EXPECT_TRUE(fails_with(Remedy::reconnect, channel->receive(hang_deadline())));
    return channel->bytes_not_taken();
  }
};

TEST_F(BareEnd, ClosedBeforeTheFrameCameHasTakenNothing) {
  peer = platform::Fd();
  send(1, 400);
  EXPECT_EQ(not_taken_at_the_end(), 400u);
}

TEST_F(BareEnd, HasTakenWhatItReadBeforeItClosed) {
  send(1, 400);
  take(400);
  peer = platform::Fd();
  EXPECT_EQ(not_taken_at_the_end(), 0u);
}

TEST_F(BareEnd, HasTakenTheFirstFrameAndNotTheSecond) {
  send(1, 400);
  take(400);
  peer = platform::Fd();
  send(2, 1000);
  EXPECT_EQ(not_taken_at_the_end(), 1000u);
}

/// It might go on reading.
TEST_F(BareEnd, ThatEndedOnlyItsSendingSideHasPerhapsTakenAll) {
  platform::shutdown_sending(peer);
  while (platform::unacknowledged(peer) != 0) std::this_thread::yield();
  send(1, 400);
  EXPECT_EQ(not_taken_at_the_end(), 0u);
  take(400);
}

/// A reset tells nothing of what was read before it.
TEST_F(BareEnd, ThatResetsTheConnectionHasPerhapsTakenAll) {
  send(1, 400);
  take(400);
  platform::abort_tcp(peer);
  EXPECT_EQ(not_taken_at_the_end(), 0u);
}

TEST(RefusedFrame, IsNotKnownOfUnixSockets) {
  Ends ends = connect_ends(unix_sockets(), "", options_for(Wait::block), options_for(Wait::block));
  ends.far = nullptr;
  EXPECT_TRUE(fails_with(Remedy::reconnect, ends.near->receive(hang_deadline())));
  EXPECT_EQ(ends.near->bytes_not_taken(), 0u);
}

}  // namespace
}  // namespace orbweaver::transport::testing
