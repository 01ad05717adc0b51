#include <algorithm>
#include <vector>

#include "transport/testing/contract.h"
#include "transport/testing/resources.h"

/// Channel::send: as a claim, a copy and a commit.
namespace orbweaver::transport::testing {

/// Sends test frame number `sequence` by Channel::send.
inline Result<void> send_whole(Channel& channel, std::size_t bytes, std::uint32_t sequence,
                               Deadline deadline = Deadline::never()) {
  alignas(8) std::uint8_t small[4096];
  std::vector<std::uint8_t> large(bytes > sizeof small ? bytes : 0);
  const MutableBytes frame(large.empty() ? small : large.data(), bytes);
  write_frame(frame, sequence);
  return channel.send(frame, deadline);
}

TEST_P(TransportContract, SendsWholeFramesBetweenOthersInOrder) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    const std::uint32_t frames = times(wait, 3000);
    std::thread sending([&] {
      FrameSizes sizes(5, 3000);
      for (std::uint32_t i = 0; i < frames; ++i) {
        const std::size_t bytes = sizes.next();
        const Result<void> sent = i % 5 == 3   ? send_frame(*ends.near, bytes, i)
                                  : i % 5 == 4 ? queue_frame(*ends.near, bytes, i)
                                               : send_whole(*ends.near, bytes, i);
        ASSERT_TRUE(ok(sent));
      }
      ASSERT_TRUE(ok(flush(*ends.near, Deadline::never())));
    });
    FrameSizes sizes(5, 3000);
    for (std::uint32_t i = 0; i < frames; ++i) {
      if (::testing::AssertionResult good = receives(*ends.far, sizes.next(), i); !good) {
        ADD_FAILURE() << good.message();
        break;
      }
    }
    ends.far->close();
    sending.join();
  }
}

TEST_P(TransportContract, SendsRepeatedWholeFramesUnchanged) {
  Ends ends = connected();
  // Frames that differ after their beginning, as requests do: octets 12 to 15 and the end change each time.
  for (const std::size_t bytes : {40, 56, 57, 64, 120, 121, 200, 512, 513, 2040, 2041}) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      std::vector<std::uint8_t> frame(bytes);
      write_frame(MutableBytes(frame), 1);
      std::memcpy(frame.data() + 12, &i, sizeof i);
      if (bytes > 80) frame.back() = static_cast<std::uint8_t>(i);
      ASSERT_TRUE(ok(ends.near->send(frame, Deadline::never())));
      const Result<Bytes> received = ends.far->receive(hang_deadline());
      ASSERT_TRUE(ok(received));
      EXPECT_TRUE(std::equal(frame.begin(), frame.end(), received->begin(), received->end())) << bytes;
      ends.far->release();
    }
  }
}

TEST_P(TransportContract, SendsWholeFramesLargerThanItsBuffers) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  std::thread sending([&] { EXPECT_TRUE(ok(send_whole(*ends.near, kMaxFrameBytes, 1))); });
  EXPECT_TRUE(receives(*ends.far, kMaxFrameBytes, 1));
  sending.join();
}

TEST_P(TransportContract, StaysUsableAfterAWholeFrameBeyondItsLimit) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, send_whole(*ends.near, kMaxFrameBytes + 1, 1)));
  EXPECT_TRUE(ok(send_whole(*ends.near, 100, 2)));
  EXPECT_TRUE(receives(*ends.far, 100, 2));
}

TEST_P(TransportContract, LimitsAWholeFrameToItsDeadline) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    std::uint32_t accepted = 0;
    Result<void> sent = send_whole(*ends.near, 2000, accepted, Deadline::in_ms(50));
    while (sent) sent = send_whole(*ends.near, 2000, ++accepted, Deadline::in_ms(50));
    EXPECT_TRUE(fails_with(ErrorKind::timed_out, sent));
    for (std::uint32_t i = 0; i < accepted; ++i) ASSERT_TRUE(receives(*ends.far, 2000, i));
    // No part of the failed frame may be delivered: the channel continues without it, or has ended.
    if (send_whole(*ends.near, 500, accepted + 1)) {
      EXPECT_TRUE(receives(*ends.far, 500, accepted + 1));
    } else {
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
    }
  }
}

TEST_P(TransportContract, FailsAWholeFrameAfterClose) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const bool closes_near : {true, false}) {
    Ends ends = connected();
    (closes_near ? ends.near : ends.far)->close();
    const Deadline hang = hang_deadline();
    Result<void> sent = send_whole(*ends.near, 100, 0);
    while (sent && !hang.passed()) sent = send_whole(*ends.near, 100, 0);  // until the close arrives
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, sent));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, send_whole(*ends.near, 100, 0)));
  }
}

TEST_P(TransportContract, AllocatesNothingForWholeFrames) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    Echo echo(*ends.far);
    const auto exchange = [&] {
      for (std::uint32_t i = 0; i < times(wait, 300); ++i) {
        ASSERT_TRUE(ok(send_whole(*ends.near, 12 + i % 500, i)));
        ASSERT_TRUE(receives(*ends.near, 12 + i % 500, i));
      }
    };
    exchange();
    const std::size_t before = allocations();
    exchange();
    EXPECT_EQ(allocations() - before, 0u);
    ends.near->close();
  }
}

}  // namespace orbweaver::transport::testing
