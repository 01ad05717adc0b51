#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "transport/testing/one_system_call.h"

/// Tests of batches and gathered segments on streams.
namespace orbweaver::transport::testing {
namespace {

/// The parameter is the name of a transport.
class StreamBatch : public ::testing::TestWithParam<std::string> {
 protected:
  static Transport& transport() {
    for (Transport* each : {&shm_transport(), &unix_transport(), &udp_transport()}) {
      if (GetParam() == each->name()) return *each;
    }
    return tcp_transport();
  }
  Ends ends_ =
      connect_ends(transport(), "", options_for(WaitStrategy::block), options_for(WaitStrategy::block));
};

TEST_P(StreamBatch, BatchesFramesInOneSystemCall) { expect_one_system_call_each_way(ends_, 50, 40); }

TEST_P(StreamBatch, KeepsQueuedFramesWhenAFlushTimesOut) {
  std::vector<std::size_t> queued;  // bytes of each frame
  for (;;) {
    ASSERT_TRUE(ok(queue_frame(*ends_.near, 10'001, static_cast<std::uint32_t>(queued.size()))));
    queued.push_back(10'001);
    const Result<void> flushed = flush(*ends_.near, Deadline::in_ms(2));
    if (flushed) continue;
    EXPECT_TRUE(fails_with(ErrorKind::timed_out, flushed));
    // A commit that times out withdraws its own frame, of which no byte was sent.
    const Result<void> sent =
        send_frame(*ends_.near, 500, static_cast<std::uint32_t>(queued.size()), Deadline::in_ms(2));
    if (!sent) {
      EXPECT_TRUE(fails_with(ErrorKind::timed_out, sent));
      break;
    }
    queued.push_back(500);  // the kernel has made room meanwhile
  }
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 20, static_cast<std::uint32_t>(queued.size()))));
  queued.push_back(20);
  std::thread receiving([&] {
    for (std::uint32_t i = 0; i < queued.size(); ++i) ASSERT_TRUE(receives(*ends_.far, queued[i], i));
  });
  EXPECT_TRUE(ok(flush(*ends_.near, hang_deadline())));
  receiving.join();
}

/// A frame with a gathered segment: its bytes between `from` and the tail.
struct GatheredFrame {
  GatheredFrame(std::size_t bytes, std::uint32_t sequence) : whole(bytes) { write_frame(whole, sequence); }
  Result<void> send(Channel& channel, std::size_t at, std::size_t length, Deadline deadline) {
    Result<MutableBytes> room = channel.claim(whole.size(), deadline);
    if (!room) return room.take_error();
    std::fill(room->begin(), room->end(), std::uint8_t{0xee});
    std::copy(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), room->begin());
    std::copy(whole.begin() + static_cast<std::ptrdiff_t>(at + length), whole.end(),
              room->begin() + static_cast<std::ptrdiff_t>(at + length));
    channel.capabilities().gathering->attach_segment(at, Bytes(whole).subspan(at, length));
    return channel.commit(whole.size(), deadline);
  }
  std::vector<std::uint8_t> whole;
};

TEST_P(StreamBatch, SendsAGatheredSegmentInTheSameSystemCall) {
  ASSERT_NE(ends_.near->capabilities().gathering, nullptr);
  const std::uint64_t before = platform::system_calls_made();
  ASSERT_TRUE(ok(GatheredFrame(40'000, 1).send(*ends_.near, 80, 32'768, Deadline::never())));
  EXPECT_EQ(platform::system_calls_made() - before, 1u);
  ASSERT_TRUE(ok(GatheredFrame(20'000, 2).send(*ends_.near, 100, 19'900, Deadline::never())))
      << "the segment ends the frame";
  ASSERT_TRUE(ok(send_frame(*ends_.near, 20'000, 3)));
  EXPECT_TRUE(receives(*ends_.far, 40'000, 1));
  EXPECT_TRUE(receives(*ends_.far, 20'000, 2));
  EXPECT_TRUE(receives(*ends_.far, 20'000, 3)) << "a segment is attached for one frame only";
}

TEST_P(StreamBatch, SendsAGatheredSegmentBehindQueuedFrames) {
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 33, 0)));
  ASSERT_TRUE(ok(GatheredFrame(40'000, 1).send(*ends_.near, 80, 32'768, Deadline::never())));
  EXPECT_TRUE(receives(*ends_.far, 33, 0));
  EXPECT_TRUE(receives(*ends_.far, 40'000, 1));
}

TEST_P(StreamBatch, KeepsAGatheredSegmentThatDoesNotFit) {
  constexpr std::size_t kBytes = 3'000'000;
  CallWhenThisThreadWaits receiving([&] {
    for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(receives(*ends_.far, kBytes + i, i));
  });
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(ok(GatheredFrame(kBytes + i, i).send(*ends_.near, 80, kBytes - 200, hang_deadline())));
  }
  receiving.join();
}

/// Uses a Unix socket, which accepts a small frame completely or not at all, so that it can be filled
/// completely.
TEST(UnixStreamBatch, WithdrawsAGatheredFrameAtItsDeadline) {
  Ends ends =
      connect_ends(unix_transport(), "", options_for(WaitStrategy::block), options_for(WaitStrategy::block));
  constexpr Deadline kPast{1};
  std::uint32_t sent = 0;
  while (send_frame(*ends.near, 1'000, sent, kPast)) ++sent;
  EXPECT_TRUE(fails_with(ErrorKind::timed_out,
                         GatheredFrame(20'000, 9'999).send(*ends.near, 80, 16'384, Deadline::in_ms(2))));
  std::thread receiving([&] {
    for (std::uint32_t i = 0; i < sent; ++i) ASSERT_TRUE(receives(*ends.far, 1'000, i));
    EXPECT_TRUE(receives(*ends.far, 77, sent));
  });
  EXPECT_TRUE(ok(send_frame(*ends.near, 77, sent, hang_deadline())));
  receiving.join();
}

/// Transports that send queued frames together.
class Batch : public StreamBatch {};

TEST_P(Batch, HoldsFramesUntilTheFlush) {
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 100, 0)));
  ASSERT_TRUE(ok(queue_frame(*ends_.near, 3'000, 1)));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, ends_.far->receive(Deadline::in_ms(5))));
  ASSERT_TRUE(ok(flush(*ends_.near, Deadline::never())));
  EXPECT_TRUE(receives(*ends_.far, 100, 0));
  EXPECT_TRUE(receives(*ends_.far, 3'000, 1));
}

std::string transport_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Transports, Batch, ::testing::Values("shm", "unix", "tcp", "udp"), transport_name);
INSTANTIATE_TEST_SUITE_P(Transports, StreamBatch, ::testing::Values("unix", "tcp"), transport_name);

}  // namespace
}  // namespace orbweaver::transport::testing
