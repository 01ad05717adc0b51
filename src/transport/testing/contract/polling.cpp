#include "platform/socket.h"
#include "transport/testing/contract.h"
#include "transport/testing/peer_process.h"

/// Polling: a thread with an event loop waits at descriptors. Transports without descriptors skip these.
namespace orbweaver::transport::testing {

inline bool becomes_readable(int fd, Deadline deadline) {
  std::array<platform::PollItem, 1> item{{{fd, platform::kReadable, 0}}};
  return platform::poll(item, deadline) > 0;
}

#define ORBWEAVER_NEEDS_A_DESCRIPTOR(channel)        \
  if ((channel).capabilities().readiness == nullptr) \
  GTEST_SKIP() << "channels of this transport cannot be polled"

/// Returns the number of the next frame, waiting only at the descriptor; -1 if none arrives in time.
inline std::int64_t polled(Channel& channel, Deadline deadline = hang_deadline()) {
  for (;;) {
    const Result<Bytes> frame = channel.receive(Deadline{0});
    if (frame) {
      std::uint32_t number = 0;
      std::memcpy(&number, frame->data() + 8, sizeof number);
      channel.release();
      return number;
    }
    if (frame.error().kind != ErrorKind::timed_out) return -1;
    if (readiness(channel).arm() && !becomes_readable(readiness(channel).descriptor(), deadline)) return -1;
  }
}

TEST_P(TransportContract, ServesManyChannelsByPoll) {
  ORBWEAVER_NEEDS_RELIABILITY();
  constexpr std::size_t kChannels = 4;
  constexpr std::uint32_t kFrames = 200;
  std::array<Ends, kChannels> ends;
  for (Ends& each : ends) each = connected();
  ORBWEAVER_NEEDS_A_DESCRIPTOR(*ends[0].far);
  std::vector<std::thread> senders;
  for (Ends& each : ends) {
    senders.emplace_back([&channel = *each.near] {
      FrameSizes sizes(5, kRingBytes);
      for (std::uint32_t i = 0; i < kFrames; ++i) ASSERT_TRUE(ok(send_frame(channel, sizes.next(), i)));
    });
  }
  std::array<std::uint32_t, kChannels> received{};
  std::vector<FrameSizes> sizes(kChannels, FrameSizes(5, kRingBytes));
  for (std::size_t left = kChannels * kFrames; left > 0;) {
    std::array<platform::PollItem, kChannels> items;
    bool sleep = true;
    for (std::size_t c = 0; c < kChannels; ++c) {
      Channel& channel = *ends[c].far;
      for (;;) {
        const Result<Bytes> frame = channel.receive(Deadline{0});
        if (!frame) break;
        ASSERT_TRUE(is_frame(*frame, sizes[c].next(), received[c]));
        ++received[c];
        --left;
        channel.release();
      }
      if (!readiness(channel).arm()) sleep = false;
      items[c] = {readiness(channel).descriptor(), platform::kReadable, 0};
    }
    if (!sleep || left == 0) continue;
    ASSERT_GT(platform::poll(items, hang_deadline()), 0) << left << " frames are missing";
  }
  for (std::thread& sender : senders) sender.join();
}

TEST_P(TransportContract, ReportsAnAvailableFrameBeforePolling) {
  Ends ends = connected();
  ORBWEAVER_NEEDS_A_DESCRIPTOR(*ends.far);
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 64, i)));
  // Whether `arm` returns false or the descriptor becomes readable, no available frame is slept through.
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (readiness(*ends.far).arm()) {
      EXPECT_TRUE(becomes_readable(readiness(*ends.far).descriptor(), hang_deadline()));
    }
    EXPECT_TRUE(receives(*ends.far, 64, i, Deadline{0}));
  }
}

TEST_P(TransportContract, SignalsADescriptorObtainedAfterArming) {
  Ends ends = connected();
  ORBWEAVER_NEEDS_A_DESCRIPTOR(*ends.near);
  ASSERT_TRUE(readiness(*ends.far).arm());
  ASSERT_TRUE(ok(send_frame(*ends.near, 64, 1)));
  EXPECT_TRUE(becomes_readable(readiness(*ends.far).descriptor(), hang_deadline()));
  EXPECT_TRUE(receives(*ends.far, 64, 1, Deadline{0}));
}

TEST_P(TransportContract, LeavesAnIdleDescriptorUnreadable) {
  Ends ends = connected();
  ORBWEAVER_NEEDS_A_DESCRIPTOR(*ends.far);
  for (std::uint32_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(readiness(*ends.far).arm());
    EXPECT_FALSE(becomes_readable(readiness(*ends.far).descriptor(), Deadline{0}))
        << "after " << i << " frames";
    ASSERT_TRUE(ok(send_frame(*ends.near, 64, i)));
    EXPECT_TRUE(becomes_readable(readiness(*ends.far).descriptor(), hang_deadline()));
    ASSERT_TRUE(receives(*ends.far, 64, i));
  }
}

TEST_P(TransportContract, LosesNoWakeUpBetweenSendAndArm) {
  Ends ends = connected(WaitStrategy::block);
  ORBWEAVER_NEEDS_A_DESCRIPTOR(*ends.far);
  std::thread answering([&] {
    while (polled(*ends.far) >= 0) {
      if (!send_frame(*ends.far, 32, 0)) return;
    }
  });
  std::mt19937 random(4);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    ASSERT_TRUE(ok(send_frame(*ends.near, 32, i)));
    for (auto spin = random() % 200; spin > 0; --spin) platform::now_ns();
    const std::int64_t answer = i % 2 == 0 ? polled(*ends.near) : receives(*ends.near, 32, 0) ? 0 : -1;
    if (answer != 0) {
      ADD_FAILURE() << "the answer to frame " << i << " was not signalled";
      break;
    }
  }
  ends.near->close();
  answering.join();
}

TEST_P(TransportContract, WakesAPollOnDisconnect) {
  Ends ends[2] = {connected(), connected()};
  for (Ends& each : ends) {
    ORBWEAVER_NEEDS_A_DESCRIPTOR(*each.far);
    Channel& closing = &each == &ends[0] ? *each.near : *each.far;  // this end's own close wakes it, too
    ASSERT_TRUE(readiness(*each.far).arm());
    CallWhenThisThreadWaits later([&] { closing.close(); });
    EXPECT_TRUE(becomes_readable(readiness(*each.far).descriptor(), hang_deadline()));
    later.join();
    EXPECT_EQ(polled(*each.far), -1);
    EXPECT_FALSE(readiness(*each.far).arm());
  }
}

TEST_P(TransportContract, WakesAPollWhenThePeerDies) {
  ORBWEAVER_NEEDS_RELIABILITY();
  ORBWEAVER_NEEDS_PROCESSES();
  PeerProcess peer(transport(), listening(), sleep_as_peer);
  ORBWEAVER_NEEDS_A_DESCRIPTOR(peer.channel());
  ASSERT_TRUE(readiness(peer.channel()).arm());
  EXPECT_FALSE(becomes_readable(readiness(peer.channel()).descriptor(), Deadline::in_ms(5)));
  peer.process().kill();
  EXPECT_TRUE(becomes_readable(readiness(peer.channel()).descriptor(), hang_deadline()));
  EXPECT_EQ(polled(peer.channel()), -1);
}

TEST_P(TransportContract, SignalsAWaitingPeerAtTheAcceptor) {
  const std::unique_ptr<Acceptor> acceptor = listening();
  ASSERT_NE(acceptor, nullptr);
  if (acceptor->descriptor() < 0) GTEST_SKIP() << "acceptors of this transport cannot be polled";
  EXPECT_FALSE(becomes_readable(acceptor->descriptor(), Deadline{0}));
  const auto nobody = acceptor->try_accept();
  ASSERT_TRUE(ok(nobody));
  EXPECT_EQ(*nobody, nullptr);
  std::thread connecting([&] {
    const auto near = transport().connect(acceptor->address(), options_for(), hang_deadline());
    ASSERT_TRUE(ok(near));
    EXPECT_TRUE(ok(send_frame(**near, 100, 7)));
    EXPECT_TRUE(receives(**near, 100, 8));
  });
  // A transport may need several messages to admit a peer: null until then.
  Result<std::unique_ptr<Channel>> far = std::unique_ptr<Channel>();
  while (far && *far == nullptr && becomes_readable(acceptor->descriptor(), hang_deadline())) {
    far = acceptor->try_accept();
  }
  EXPECT_TRUE(far && *far != nullptr);
  if (far && *far != nullptr) {
    EXPECT_EQ(polled(**far), 7);
    EXPECT_TRUE(ok(send_frame(**far, 100, 8)));
  }
  connecting.join();
}

}  // namespace orbweaver::transport::testing
