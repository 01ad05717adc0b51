#include "platform/testing/becomes_true.h"
#include "transport/stream/lingering.h"
#include "transport/testing/contract.h"

/// Closing: `close` from any thread wakes the threads that wait at either end; later calls fail with
/// ErrorKind::disconnected.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, WakesReceiversOnClose) {
  for (const WaitStrategy wait : kEveryWait) {
    for (const bool at_near : {true, false}) {
      SCOPED_TRACE(std::string(to_string(wait)) +
                   (at_near ? ", closed by the one" : ", closed by the other"));
      Ends ends = connected(wait);
      const auto wait_for_end = [](Channel& channel) {
        EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel.receive(Deadline::never())));
      };
      WaitingThread near_waits([&] { wait_for_end(*ends.near); });
      WaitingThread far_waits([&] { wait_for_end(*ends.far); });
      EXPECT_TRUE(near_waits.waits() && far_waits.waits());
      (at_near ? ends.near : ends.far)->close();
    }
  }
}

TEST_P(TransportContract, WakesABlockedSenderOnClose) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : kEveryWait) {
    for (const bool at_near : {true, false}) {
      SCOPED_TRACE(std::string(to_string(wait)) +
                   (at_near ? ", closed by the sender" : ", closed by the receiver"));
      Ends ends = connected(wait);
      Flood flood(*ends.near, 20'000);
      flood.wait_until_blocked();
      (at_near ? ends.near : ends.far)->close();
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, flood.end()));
    }
  }
}

TEST_P(TransportContract, FailsEveryCallAfterClose) {
  Ends ends = connected();
  ASSERT_TRUE(ok(send_frame(*ends.far, 100, 0)));
  ends.near->close();
  ends.near->close();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.near->claim(100, Deadline::never())));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.near->receive(Deadline::never())));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(Deadline::never())));
  }
}

TEST_P(TransportContract, FailsACommitAfterClose) {
  Ends ends = connected();
  Result<MutableBytes> room = ends.near->claim(100, Deadline::never());
  ASSERT_TRUE(ok(room));
  write_frame(room->first(100), 0);
  ends.near->close();
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.near->commit(100, Deadline::never())));
}

TEST_P(TransportContract, DeliversFramesCommittedBeforeClose) {
  Ends ends = connected();
  // Unread bytes at the closing end must not prevent the delivery of what it has sent.
  const std::uint32_t unread = std::min(20u, max_in_flight());
  for (std::uint32_t i = 0; i < unread / 2; ++i) ASSERT_TRUE(ok(send_frame(*ends.far, 1000, i)));
  for (std::uint32_t i = 0; i < unread; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 1000, i)));
  ends.near->close();
  ends.near.reset();
  // the shutdown has ended
  EXPECT_TRUE(platform::testing::becomes_true([] { return lingering_count() == 0; }));
  for (std::uint32_t i = 0; i < unread; ++i) ASSERT_TRUE(receives(*ends.far, 1000, i));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
}

TEST_P(TransportContract, DeliversReceivedFramesAfterAFailedSend) {
  Ends ends = connected();
  const std::uint32_t unread = std::min(20u, max_in_flight());
  for (std::uint32_t i = 0; i < unread; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 1000, i)));
  ends.near->close();
  ends.near.reset();
  const Deadline hang = hang_deadline();
  while (send_frame(*ends.far, 1000, 0)) ASSERT_FALSE(hang.passed());
  for (std::uint32_t i = 0; i < unread; ++i) ASSERT_TRUE(receives(*ends.far, 1000, i));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
}

TEST_P(TransportContract, DeliversALongQueueBeforeClose) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : {WaitStrategy::adaptive, WaitStrategy::block}) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    constexpr std::uint32_t kFrames = 400;
    std::thread sending([&] {
      for (std::uint32_t i = 0; i < kFrames; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 50'000, i)));
      ends.near->close();
      ends.near.reset();
    });
    for (std::uint32_t i = 0; i < std::min(20u, max_in_flight()); ++i) {  // unread at the closing end
      if (!send_frame(*ends.far, 1000, i)) break;
    }
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      const ::testing::AssertionResult good = receives(*ends.far, 50'000, i);
      EXPECT_TRUE(good);
      if (!good) break;
    }
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
    ends.far->close();
    sending.join();
  }
}

TEST_P(TransportContract, EndsBothEndsOnCloseAtAnyMoment) {
  std::mt19937 random(20);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Ends ends = connected(kEveryWait[random() % 3]);
    Flood flood(*ends.near, 12 + random() % 20'000);
    Flood back(*ends.far, 12);
    const auto drain = [](Channel& channel) {
      while (channel.receive(Deadline::never())) channel.release();
    };
    std::thread near_receives([&] { drain(*ends.near); });
    std::thread far_receives([&] { drain(*ends.far); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    std::thread closing([&] { ends.near->close(); });
    (random() % 2 != 0 ? ends.near : ends.far)->close();
    closing.join();
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, flood.end()));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, back.end()));
    near_receives.join();
    far_receives.join();
  }
}

}  // namespace orbweaver::transport::testing
