#include "transport/testing/contract.h"
#include "transport/testing/resources.h"

/// Back-pressure: a full receiver blocks the sender; no frame is dropped, no memory grows, and steady traffic
/// allocates nothing.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, BlocksTheSenderWhileFull) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : {WaitStrategy::adaptive, WaitStrategy::block}) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    Flood flood(*ends.near, 16'000);
    const std::uint32_t queued = flood.wait_until_blocked();
    const std::size_t live = live_blocks();
    EXPECT_LE(flood.wait_until_blocked(), queued + 1);
    EXPECT_LE(live_blocks(), live) << "memory grows while the receiver does nothing";
    for (std::uint32_t i = 0; i < queued + 100; ++i) {
      if (::testing::AssertionResult good = receives(*ends.far, 16'000, i); !good) {
        ADD_FAILURE() << good.message();
        break;
      }
    }
    ends.near->close();
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, flood.end()));
  }
}

TEST_P(TransportContract, LimitsTheSenderToTheReceiversPace) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  Flood flood(*ends.near, 8'000);
  const std::uint32_t queued = flood.wait_until_blocked();
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(receives(*ends.far, 8'000, i));
    if (i % 5 == 0) flood.wait_until_blocked();
  }
  // Free space may be reported in larger steps than frames, but no more than that can have been sent.
  EXPECT_LE(flood.committed(), queued + 20 + queued / 2 + 1);
  ends.near->close();
}

TEST_P(TransportContract, AllocatesNothingForSteadyTraffic) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    Echo echo(*ends.far);
    const auto exchange = [&] {
      FrameSizes sizes(7, 16'384);
      for (std::uint32_t i = 0; i < times(wait, 300); ++i) {
        const std::size_t bytes = sizes.next();
        ASSERT_TRUE(ok(send_frame(*ends.near, bytes, 1)));
        ASSERT_TRUE(receives(*ends.near, bytes, 1));
      }
    };
    exchange();  // the same sizes as below: buffers reach their size
    const std::size_t before = allocations();
    exchange();
    EXPECT_EQ(allocations() - before, 0u);
    ends.near->close();
  }
}

TEST_P(TransportContract, AllocatesNothingForOneWays) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 4000; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 12 + i % 2000, i)));
  });
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    if (i == 1000) before = allocations();
    ASSERT_TRUE(receives(*ends.far, 12 + i % 2000, i));
  }
  EXPECT_EQ(allocations() - before, 0u);
  sending.join();
}

TEST_P(TransportContract, SendsLargeFramesFromBothEndsAtOnce) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  WaitingThread near_sends([&] { EXPECT_TRUE(ok(send_frame(*ends.near, kMaxFrameBytes, 1))); });
  WaitingThread far_sends([&] { EXPECT_TRUE(ok(send_frame(*ends.far, kMaxFrameBytes, 2))); });
  near_sends.waits();  // unless the buffers hold that much
  far_sends.waits();
  EXPECT_TRUE(receives(*ends.far, kMaxFrameBytes, 1));
  EXPECT_TRUE(receives(*ends.near, kMaxFrameBytes, 2));
  near_sends.join();
  far_sends.join();
}

}  // namespace orbweaver::transport::testing
