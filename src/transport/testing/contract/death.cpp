#include "platform/testing/becomes_true.h"
#include "transport/testing/contract.h"
#include "transport/testing/peer_process.h"
#include "transport/testing/resources.h"

/// Death of the peer: detected like a close, whether sleeping or spinning. For transports between processes;
/// the peer is a child process that is killed.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, EndsReceiveWhenThePeerDies) {
  ORBWEAVER_NEEDS_PROCESSES();
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    PeerProcess peer(transport(), listening(wait), sleep_as_peer);
    CallWhenThisThreadWaits killing([&] { peer.process().kill(); });
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, peer.channel().receive(hang_deadline())));
  }
}

TEST_P(TransportContract, EndsABlockedSenderWhenThePeerDies) {
  ORBWEAVER_NEEDS_RELIABILITY();
  ORBWEAVER_NEEDS_PROCESSES();
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    PeerProcess peer(transport(), listening(wait), sleep_as_peer);
    Flood flood(peer.channel(), 20'000);
    flood.wait_until_blocked();
    peer.process().kill();
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, flood.end()));
  }
}

TEST_P(TransportContract, DeliversFramesSentBeforeThePeerDied) {
  ORBWEAVER_NEEDS_PROCESSES();
  const std::uint32_t frames = std::min(30u, max_in_flight());
  PeerProcess peer(transport(), listening(), [frames](Channel& channel) {
    for (std::uint32_t i = 0; i < frames; ++i) {
      if (!send_frame(channel, 1000, i)) return;
    }
    platform::testing::ForkedProcess::die();
  });
  peer.process().reap();
  for (std::uint32_t i = 0; i < frames; ++i) ASSERT_TRUE(receives(peer.channel(), 1000, i));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, peer.channel().receive(hang_deadline())));
}

TEST_P(TransportContract, DeliversOnlyWholeFramesWhenTheSenderDies) {
  ORBWEAVER_NEEDS_RELIABILITY();
  ORBWEAVER_NEEDS_PROCESSES();
  std::mt19937 random(99);
  const std::size_t descriptors_before = descriptors();
  for (std::uint32_t round = 0; round < 60 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    PeerProcess peer(transport(), listening(kEveryWait[random() % 3]), [round](Channel& channel) {
      FrameSizes sizes(round, kRingBytes);
      for (std::uint32_t i = 0; send_frame(channel, sizes.next(), i); ++i) {
      }
    });
    std::thread killing([&, after_us = random() % 4000] {
      std::this_thread::sleep_for(std::chrono::microseconds(after_us));
      peer.process().kill();
    });
    FrameSizes sizes(round, kRingBytes);
    const Deadline hang = hang_deadline();
    for (std::uint32_t i = 0;; ++i) {
      const Result<Bytes> frame = peer.channel().receive(hang);
      if (!frame) {
        EXPECT_TRUE(fails_with(ErrorKind::disconnected, frame));
        break;
      }
      EXPECT_TRUE(is_frame(*frame, sizes.next(), i));
      peer.channel().release();
    }
    killing.join();
  }
  EXPECT_TRUE(platform::testing::becomes_true([&] { return descriptors() == descriptors_before; }))
      << descriptors();
}

TEST_P(TransportContract, EndsTheSenderWhenTheReceiverDies) {
  ORBWEAVER_NEEDS_PROCESSES();
  std::mt19937 random(100);
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    PeerProcess peer(transport(), listening(kEveryWait[random() % 3]), [](Channel& channel) {
      while (channel.receive(Deadline::never())) channel.release();
    });
    Flood flood(peer.channel(), 12 + random() % 100'000);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    peer.process().kill();
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, flood.end()));
  }
}

TEST_P(TransportContract, WaitsForAStoppedPeer) {
  ORBWEAVER_NEEDS_PROCESSES();
  PeerProcess peer(transport(), listening(), [](Channel& channel) { Echo echo(channel); });
  ASSERT_TRUE(ok(send_frame(peer.channel(), 100, 0)));
  ASSERT_TRUE(receives(peer.channel(), 100, 0));
  peer.process().stop();
  ASSERT_TRUE(ok(send_frame(peer.channel(), 100, 1)));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, peer.channel().receive(Deadline::in_ms(50))));
  peer.process().go_on();
  EXPECT_TRUE(receives(peer.channel(), 100, 1));
}

}  // namespace orbweaver::transport::testing
