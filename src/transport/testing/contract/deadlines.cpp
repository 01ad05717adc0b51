#include "transport/testing/contract.h"

/// Deadlines: a wait ends with ErrorKind::timed_out and leaves the channel usable.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, StaysUsableAfterAReceiveTimeout) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    const std::int64_t start = platform::now_ns();
    EXPECT_TRUE(fails_with(ErrorKind::timed_out, ends.far->receive(Deadline::in_ms(20))));
    const std::int64_t took_ms = (platform::now_ns() - start) / 1'000'000;
    EXPECT_GE(took_ms, 19);
    EXPECT_TRUE(ok(send_frame(*ends.near, 100, 1)));
    EXPECT_TRUE(receives(*ends.far, 100, 1));
  }
}

TEST_P(TransportContract, ReceivesAvailableFramesAtAPassedDeadline) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    const Deadline passed{platform::now_ns() - 1};
    EXPECT_TRUE(fails_with(ErrorKind::timed_out, ends.far->receive(passed)));
    ASSERT_TRUE(ok(send_frame(*ends.near, 100, 1)));
    // The frame may be on its way: polls until it arrives.
    const Deadline hang = hang_deadline();
    Result<Bytes> frame = ends.far->receive(passed);
    while (!frame && frame.error().kind == ErrorKind::timed_out && !hang.passed())
      frame = ends.far->receive(passed);
    ASSERT_TRUE(ok(frame));
    EXPECT_TRUE(is_frame(*frame, 100, 1));
    ends.far->release();
  }
}

TEST_P(TransportContract, ExchangesFramesWithinADeadline) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    Echo echo(*ends.far);
    for (std::uint32_t i = 0; i < times(wait, 200); ++i) {
      EXPECT_TRUE(ok(send_frame(*ends.near, 200, i, hang_deadline())));
      EXPECT_TRUE(receives(*ends.near, 200, i, hang_deadline()));
    }
    ends.near->close();
  }
}

TEST_P(TransportContract, LimitsASenderToItsDeadline) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    std::uint32_t committed = 0;
    const auto send_one = [&] { return send_frame(*ends.near, 30'000, committed, Deadline::in_ms(30)); };
    Result<void> sent = send_one();
    for (; sent && committed < 100'000; sent = send_one()) ++committed;
    EXPECT_TRUE(fails_with(ErrorKind::timed_out, sent));
    for (std::uint32_t i = 0; i < committed; ++i) ASSERT_TRUE(receives(*ends.far, 30'000, i));
    // No part of the failed frame may be delivered: the channel continues without it, or has ended.
    if (send_frame(*ends.near, 500, committed + 1)) {
      EXPECT_TRUE(receives(*ends.far, 500, committed + 1));
    } else {
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
    }
  }
}

}  // namespace orbweaver::transport::testing
