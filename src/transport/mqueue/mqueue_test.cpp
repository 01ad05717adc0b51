#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "platform/testing/becomes_true.h"
#include "transport/testing/fixtures.h"
#include "transport/testing/one_call.h"

/// What a message costs, and what wakes one who waits in a queue alone.
namespace orbweaver::transport::testing {
namespace {

struct Mqueue : ::testing::Test {
  void SetUp() override {
    if (const std::string why = MqueueFixture::unavailable(); !why.empty()) GTEST_SKIP() << why;
    ends = connect_ends(mqueue(), "", options_for(Wait::block), options_for(Wait::block));
    ASSERT_TRUE(ends.near && ends.far);
  }
  Ends ends;
};

TEST_F(Mqueue, AFrameIsOneSystemCallToSendAndOneToReceive) {
  const std::uint64_t before = platform::calls_made();
  ASSERT_TRUE(ok(send_frame(*ends.near, 1'000, 0)));
  EXPECT_EQ(platform::calls_made() - before, 1u);
  ASSERT_TRUE(receives(*ends.far, 1'000, 0, Deadline::never()));
  EXPECT_EQ(platform::calls_made() - before, 2u);
  // One that is waited for, as well.
  OnceThisThreadWaits sending([&] { ASSERT_TRUE(ok(send_frame(*ends.near, 100, 1))); });
  ASSERT_TRUE(receives(*ends.far, 100, 1, Deadline::never()));
  EXPECT_EQ(platform::calls_made() - before, 3u);
  sending.join();
}

TEST_F(Mqueue, ALookAtWhatHasComeIsOneSystemCall) {
  ASSERT_TRUE(ok(send_frame(*ends.near, 1'000, 0)));
  const std::uint64_t before = platform::calls_made();
  ASSERT_TRUE(receives(*ends.far, 1'000, 0, Deadline{0}));
  EXPECT_EQ(platform::calls_made() - before, 1u);
}

TEST_F(Mqueue, TwentyQueuedFramesAreOneMessage) { expect_one_call_each_way(ends, 20, 60); }

TEST_F(Mqueue, FramesThatFillAMessageLeaveWithoutAFlush) {
  std::uint64_t before = platform::calls_made();
  for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, 500, i)));
  EXPECT_EQ(platform::calls_made() - before, 3u);  // four to a message of 2 KiB, of which the last waits
  EXPECT_TRUE(receives(*ends.far, 500, 0));
  ASSERT_TRUE(ok(send_frame(*ends.near, 6'000, 16)));
  for (std::uint32_t i = 1; i < 16; ++i) ASSERT_TRUE(receives(*ends.far, 500, i));
  EXPECT_TRUE(receives(*ends.far, 6'000, 16));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 20, 17)));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 6'000, 18)));
  EXPECT_TRUE(receives(*ends.far, 20, 17));
  EXPECT_TRUE(receives(*ends.far, 6'000, 18));
}

TEST_F(Mqueue, AFlushThatEndsAtItsDeadlineLosesNothing) {
  std::uint32_t sent = 0;
  while (send_frame(*ends.near, 100, sent, Deadline::in_ms(1))) ++sent;
  ASSERT_TRUE(ok(queue_frame(*ends.near, 300, sent)));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 301, sent + 1)));
  EXPECT_TRUE(fails_with(Remedy::wait, ends.near->flush(Deadline::in_ms(1))));
  EXPECT_TRUE(fails_with(Remedy::wait, send_frame(*ends.near, 302, 9'999, Deadline::in_ms(1))));
  for (std::uint32_t i = 0; i < sent; ++i) ASSERT_TRUE(receives(*ends.far, 100, i));
  EXPECT_TRUE(ok(ends.near->flush(Deadline::never())));
  EXPECT_TRUE(receives(*ends.far, 300, sent));
  EXPECT_TRUE(receives(*ends.far, 301, sent + 1));
  EXPECT_TRUE(fails_with(Remedy::wait, ends.far->receive(Deadline::in_ms(1))));
}

/// The end of a peer whose queue is full finds a receiver that does not wait, and has to be seen behind all of it.
TEST_F(Mqueue, TheEndBehindAFullQueueIsSeen) {
  std::uint32_t sent = 0;
  while (send_frame(*ends.near, 100, sent, Deadline::in_ms(1))) ++sent;
  ends.near->close();
  // Until the watch has told, in vain.
  EXPECT_TRUE(platform::testing::becomes_true([] { return platform::testing::others_sleep(); }));
  for (std::uint32_t i = 0; i < sent; ++i) ASSERT_TRUE(receives(*ends.far, 100, i, Deadline::never()));
  EXPECT_TRUE(fails_with(Remedy::reconnect, ends.far->receive(Deadline::never())));
}

/// All queues of a user share a limit. A server destroys those of a client that has gone some time later.
TEST_F(Mqueue, ConnectsAgainWhileQueuesAreAboutToBeFree) {
  auto acceptor = std::move(*mqueue().listen("", options_for()));
  std::vector<std::unique_ptr<Channel>> near, far;
  std::mutex mutex;
  std::thread accepting([&] {
    while (auto accepted = acceptor->accept()) {
      const std::lock_guard lock(mutex);
      far.push_back(std::move(*accepted));
    }
  });
  const auto connect = [&] { return mqueue().connect(acceptor->address(), options_for(), hang_deadline()); };
  auto last = connect();
  for (; last; last = connect()) near.push_back(std::move(*last));
  EXPECT_TRUE(fails_with(Remedy::give_up, last)) << "none is given back";
  EXPECT_TRUE(platform::testing::becomes_true([&] {
    const std::lock_guard lock(mutex);
    return far.size() == near.size();
  }));
  near.clear();
  OnceThisThreadWaits later([&] {
    const std::lock_guard lock(mutex);
    far.clear();
  });
  EXPECT_TRUE(ok(connect()));
  later.join();
  acceptor->close();
  accepting.join();
}

}  // namespace
}  // namespace orbweaver::transport::testing
