#include "transport/testing/contract.h"
#include "transport/testing/resources.h"

/// Batching: queued frames are sent with the next commit or flush, in order. A transport that sends at once
/// passes these, too.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, DeliversQueuedFramesBeforeTheNextCommit) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    const std::uint32_t count = std::min(50u, max_in_flight());
    for (std::uint32_t round = 0; round < 3; ++round) {
      for (std::uint32_t i = 0; i + 1 < count; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, 13 + 7 * i, i)));
      ASSERT_TRUE(ok(send_frame(*ends.near, 100, count)));
      for (std::uint32_t i = 0; i + 1 < count; ++i) ASSERT_TRUE(receives(*ends.far, 13 + 7 * i, i));
      ASSERT_TRUE(receives(*ends.far, 100, count));
    }
  }
}

TEST_P(TransportContract, FlushesOnlyQueuedFrames) {
  Ends ends = connected();
  EXPECT_TRUE(ok(flush(*ends.near, Deadline::never())));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 1000, 0)));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 20, 1)));
  ASSERT_TRUE(ok(ends.near->claim(500, Deadline::never())));
  ends.near->abandon();
  EXPECT_TRUE(ok(flush(*ends.near, hang_deadline())));
  EXPECT_TRUE(receives(*ends.far, 1000, 0));
  EXPECT_TRUE(receives(*ends.far, 20, 1));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, ends.far->receive(Deadline::in_ms(5))));
}

TEST_P(TransportContract, QueuesMoreThanItsBuffers) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  std::thread sending([&] {
    FrameSizes sizes(9, kRingBytes);
    for (std::uint32_t i = 0; i < 300; ++i) {
      ASSERT_TRUE(ok(i % 100 == 99 ? send_frame(*ends.near, sizes.next(), i)
                                   : queue_frame(*ends.near, sizes.next(), i)));
    }
  });
  FrameSizes sizes(9, kRingBytes);
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_TRUE(receives(*ends.far, sizes.next(), i));
  sending.join();
}

TEST_P(TransportContract, AllocatesNothingForQueuedFrames) {
  Ends ends = connected();
  const std::uint32_t count = std::min(20u, max_in_flight());
  std::size_t before = 0;
  for (std::uint32_t round = 0; round < 400; ++round) {
    if (round == 300) before = allocations();
    for (std::uint32_t i = 0; i + 1 < count; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, 101, i)));
    ASSERT_TRUE(ok(send_frame(*ends.near, 100, count)));
    for (std::uint32_t i = 0; i + 1 < count; ++i) ASSERT_TRUE(receives(*ends.far, 101, i));
    ASSERT_TRUE(receives(*ends.far, 100, count));
  }
  EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace orbweaver::transport::testing
