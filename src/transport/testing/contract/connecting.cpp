#include "platform/testing/becomes_true.h"
#include "transport/testing/contract.h"
#include "transport/testing/resources.h"

/// Connecting and accepting, without leaks.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, ReportsConnectionRefused) {
  std::unique_ptr<Acceptor> acceptor = listening();
  const std::string address = acceptor->address();
  acceptor->close();
  acceptor.reset();
  const auto channel = transport().connect(address, options_for(), hang_deadline());
  ASSERT_TRUE(fails_with(ErrorKind::transient, channel));
  EXPECT_NE(channel.error().message.find(address), std::string::npos) << channel.error().message;
}

TEST_P(TransportContract, ReleasesTheAddressWithItsListener) {
  std::unique_ptr<Acceptor> first = listening();
  const std::string address = first->address();
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, transport().listen(address, options_for())));
  first.reset();
  EXPECT_TRUE(ok(transport().listen(address, options_for())));
}

TEST_P(TransportContract, EndsAcceptOnClose) {
  std::unique_ptr<Acceptor> acceptor = listening();
  WaitingThread accepting([&] { EXPECT_TRUE(fails_with(ErrorKind::unavailable, acceptor->accept())); });
  EXPECT_TRUE(accepting.waits());
  acceptor->close();
  accepting.join();
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, acceptor->accept()));
}

TEST_P(TransportContract, KeepsChannelsAfterTheAcceptor) {
  Ends ends = connected();
  ends.acceptor->close();
  ends.acceptor.reset();
  EXPECT_TRUE(ok(send_frame(*ends.near, 100, 1)));
  EXPECT_TRUE(receives(*ends.far, 100, 1));
}

TEST_P(TransportContract, NamesThePeerAtBothEnds) {
  Ends ends = connected();
  EXPECT_FALSE(ends.near->peer().address.empty());
  EXPECT_FALSE(ends.far->peer().address.empty());
}

TEST_P(TransportContract, ServesManyPeers) {
  constexpr std::uint32_t kPeers = 8, kFrames = 100;
  std::unique_ptr<Acceptor> acceptor = listening();
  std::vector<std::thread> clients;
  for (std::uint32_t peer = 0; peer < kPeers; ++peer) {
    clients.emplace_back([&, peer] {
      auto near = transport().connect(acceptor->address(), options_for(), hang_deadline());
      if (!near) acceptor->close();
      ASSERT_TRUE(ok(near));
      for (std::uint32_t i = 0; i < kFrames; ++i) {
        ASSERT_TRUE(ok(send_frame(**near, 12 + 100 * peer, 1000 * peer + i)));
        ASSERT_TRUE(receives(**near, 12 + 100 * peer, 1000 * peer + i));
      }
    });
  }
  std::vector<std::unique_ptr<Channel>> far;
  std::vector<std::unique_ptr<Echo>> echoes;
  for (std::uint32_t peer = 0; peer < kPeers; ++peer) {
    auto accepted = acceptor->accept();
    EXPECT_TRUE(ok(accepted));
    if (!accepted) break;
    far.push_back(std::move(*accepted));
    echoes.push_back(std::make_unique<Echo>(*far.back()));
  }
  for (std::thread& client : clients) client.join();
}

TEST_P(TransportContract, LeaksNothingOver500Connections) {
  std::unique_ptr<Acceptor> acceptor = listening();
  const auto connect_and_part = [&](std::uint32_t number) {
    std::unique_ptr<Channel> far;
    std::thread accepting([&] {
      auto accepted = acceptor->accept();
      ASSERT_TRUE(ok(accepted));
      far = std::move(*accepted);
      EXPECT_TRUE(receives(*far, 3000, number));
    });
    auto near = transport().connect(acceptor->address(), options_for(), hang_deadline());
    EXPECT_TRUE(ok(near));
    if (near) {
      EXPECT_TRUE(ok(send_frame(**near, 3000, number)));
    } else {
      acceptor->close();
    }
    accepting.join();
    if (near && number % 2 == 0) (*near)->close();
  };
  for (std::uint32_t i = 0; i < 10; ++i) connect_and_part(i);
  const std::size_t descriptors_before = descriptors(), threads_before = threads();
  const std::size_t blocks_before = live_blocks(), files_before = shared_files();
  for (std::uint32_t i = 0; i < 500 && !HasFailure(); ++i) connect_and_part(i);
  // The last connections may linger, and those before the count may have lingered while it was made.
  using platform::testing::becomes_true;
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= descriptors_before; })) << descriptors();
  EXPECT_TRUE(becomes_true([&] { return threads() <= threads_before; })) << threads();
  EXPECT_TRUE(becomes_true([&] { return live_blocks() <= blocks_before; })) << live_blocks();
  EXPECT_EQ(shared_files(), files_before);
}

}  // namespace orbweaver::transport::testing
