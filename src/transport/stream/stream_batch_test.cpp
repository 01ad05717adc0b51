#include <gtest/gtest.h>

#include "platform/socket.h"
#include "transport/testing/contract/batching.h"
#include "transport/testing/ends.h"

/// What batches save on streams, and what a peer that takes nothing does to them.
namespace orbweaver::transport::testing {
namespace {

class StreamBatch : public ::testing::TestWithParam<Transport* (*)()> {
 protected:
  Ends ends_ = connect_ends(*GetParam()(), "", options_for(Wait::block), options_for(Wait::block));
};

TEST_P(StreamBatch, FiftyFramesLeaveAndArriveByOneSystemCall) {
  std::uint64_t before = platform::calls_made();
  for (std::uint32_t i = 0; i < 50; ++i) ASSERT_TRUE(ok(queue_frame(*ends_.near, 40 + i, i)));
  EXPECT_EQ(platform::calls_made() - before, 0u);
  ASSERT_TRUE(ok(ends_.near->flush(Deadline::never())));
  EXPECT_EQ(platform::calls_made() - before, 1u);
  before = platform::calls_made();
  for (std::uint32_t i = 0; i < 50; ++i) ASSERT_TRUE(receives(*ends_.far, 40 + i, i, Deadline::never()));
  EXPECT_EQ(platform::calls_made() - before, 1u);
}

TEST_P(StreamBatch, AFlushThatEndsAtItsDeadlineLosesNothing) {
  std::uint32_t queued = 0;
  for (;;) {
    ASSERT_TRUE(ok(queue_frame(*ends_.near, 10'001, queued++)));
    const Result<void> flushed = ends_.near->flush(Deadline::in_ms(2));
    if (flushed) continue;
    EXPECT_TRUE(fails_with(Remedy::wait, flushed));
    break;
  }
  // A commit that ends at its deadline takes its own frame back, where nothing of that has left.
  EXPECT_TRUE(fails_with(Remedy::wait, send_frame(*ends_.near, 500, 9'999, Deadline::in_ms(2))));
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 20, queued++)));
  std::thread receiving([&] {
    for (std::uint32_t i = 0; i + 1 < queued; ++i) ASSERT_TRUE(receives(*ends_.far, 10'001, i));
    ASSERT_TRUE(receives(*ends_.far, 20, queued - 1));
  });
  EXPECT_TRUE(ok(ends_.near->flush(Deadline::in_ms(20'000))));
  receiving.join();
}

/// Everywhere where a wait saves something.
class Batch : public StreamBatch {};

TEST_P(Batch, NothingArrivesBeforeTheFlush) {
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 100, 0)));
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 3'000, 1)));
  EXPECT_TRUE(fails_with(Remedy::wait, ends_.far->receive(Deadline::in_ms(5))));
  ASSERT_TRUE(ok(ends_.near->flush(Deadline::never())));
  EXPECT_TRUE(receives(*ends_.far, 100, 0));
  EXPECT_TRUE(receives(*ends_.far, 3'000, 1));
}

INSTANTIATE_TEST_SUITE_P(Roads, Batch,
                         ::testing::Values([]() -> Transport* { return &shm(); },
                                           []() -> Transport* { return &unix_sockets(); },
                                           []() -> Transport* { return &tcp(); },
                                           []() -> Transport* { return &udp(); }));
INSTANTIATE_TEST_SUITE_P(Tcp, StreamBatch, ::testing::Values([]() -> Transport* { return &tcp(); }));
INSTANTIATE_TEST_SUITE_P(Unix, StreamBatch, ::testing::Values([]() -> Transport* { return &unix_sockets(); }));

}  // namespace
}  // namespace orbweaver::transport::testing
