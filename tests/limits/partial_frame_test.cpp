// Memory of channels for partial frames.
#include <gmock/gmock.h>

#include <vector>

#include "base/log.h"
#include "base/log_rate_limiter.h"
#include "connected_pair.h"
#include "platform/socket.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;
using orbweaver::ErrorKind;
using orbweaver::log::LogRateLimiter;

/// A pair whose far end has received at least `min_received_bytes` of a frame of 16 MB and waits for the
/// rest. Over a stream of bytes the sender stops soon after them: a receiver that is slower than the sender
/// would read on. Other transports send the whole frame; if that exceeds the budget first, which closes the
/// connection, another pair is created.
class HalfSentFrame {
 public:
  HalfSentFrame(const std::string& transport, const std::shared_ptr<ReceiveBudget>& budget,
                std::size_t min_received_bytes = 1) {
    constexpr std::size_t kBytes = 16'000'000;
    const std::size_t sent =
        transport == "tcp" || transport == "unix" ? min_received_bytes + 1'000'000 : kBytes;
    for (bool refused = true; refused;) {
      end();
      pair_ = std::make_unique<ConnectedPair>(transport, budget);
      sending_ = std::thread([this, sent] { (void)send(near(), kBytes, Deadline::in_ms(120'000), sent); });
      EXPECT_TRUE(becomes_true([&] {
        const auto frame = far().receive(Deadline{0});
        EXPECT_FALSE(frame);
        refused = !frame && frame.error().kind == ErrorKind::disconnected;
        return refused || (has_partial_frame(far()) && budget->bytes() >= min_received_bytes);
      }));
    }
  }
  ~HalfSentFrame() { end(); }
  void end() {
    if (pair_) near().close();
    if (sending_.joinable()) sending_.join();
  }
  Channel& near() { return *pair_->near; }
  Channel& far() { return *pair_->far; }

 private:
  std::unique_ptr<ConnectedPair> pair_;
  std::thread sending_;
};

class PartialFrame : public ::testing::TestWithParam<const char*> {};

TEST_P(PartialFrame, DisconnectsBeyondTheBudget) {
  const auto budget = std::make_shared<ReceiveBudget>(400'000);
  {
    ConnectedPair pair(GetParam(), budget);
    std::thread sending([&] { (void)send(*pair.near, 4'000'000, Deadline::in_ms(120'000)); });
    const auto frame = pair.far->receive(Deadline::in_ms(120'000));
    pair.far->close();
    pair.near->close();
    sending.join();
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().kind, ErrorKind::disconnected);
    EXPECT_THAT(frame.error().message, ::testing::HasSubstr("-ORBTune receive-bytes"));
  }
  EXPECT_EQ(budget->bytes(), 0u);
}

TEST_P(PartialFrame, IsNotCountedWhileInUse) {
  const auto budget = std::make_shared<ReceiveBudget>(5'000'000);
  ConnectedPair pair(GetParam(), budget);
  for (int i = 0; i < 3; ++i) {
    std::thread sending([&] { (void)send(*pair.near, 4'000'000, Deadline::in_ms(120'000)); });
    const auto frame = pair.far->receive(Deadline::in_ms(120'000));
    sending.join();
    ASSERT_TRUE(frame) << frame.error().message;
    EXPECT_EQ(frame->size(), 4'000'000u);
    EXPECT_EQ(budget->bytes(), 0u);
    EXPECT_LE(budget->cached_bytes(), 64u);
    EXPECT_FALSE(has_partial_frame(*pair.far));
    pair.far->release();
    EXPECT_EQ(budget->bytes(), 0u);
    EXPECT_LE(budget->cached_bytes(),
              2'500'000u);  // the storage for the next frame is kept up to half of the budget
  }
}

TEST_P(PartialFrame, LeavesTheBudgetToOthersWhileInUse) {
  const auto budget = std::make_shared<ReceiveBudget>(4'100'000);
  std::vector<std::unique_ptr<ConnectedPair>> pairs;
  for (int i = 0; i < 3; ++i) {
    pairs.push_back(std::make_unique<ConnectedPair>(GetParam(), budget));
    std::thread sending([&] { (void)send(*pairs.back()->near, 4'000'000, Deadline::in_ms(60'000)); });
    const auto frame = pairs.back()->far->receive(Deadline::in_ms(60'000));
    sending.join();
    ASSERT_TRUE(frame) << frame.error().message;  // remains in use
  }
}

TEST_P(PartialFrame, CountsBuffersKeptForReceiving) {
  const auto budget = std::make_shared<ReceiveBudget>(100'000'000);
  {
    ConnectedPair pair(GetParam(), budget);
    std::thread sending([&] { (void)send(*pair.near, 4'000'000, Deadline::in_ms(60'000)); });
    const auto frame = pair.far->receive(Deadline::in_ms(60'000));
    sending.join();
    ASSERT_TRUE(frame) << frame.error().message;
    pair.far->release();
    EXPECT_GE(budget->cached_bytes(), 4'000'000u);
    EXPECT_LE(budget->cached_bytes(), 4'000'100u) << "no more than the frame announced";
  }
  EXPECT_EQ(budget->cached_bytes(), 0u);
}

TEST_P(PartialFrame, CountsBuffersKeptForSendingUpToHalf) {
  for (const std::size_t limit : {std::size_t{100'000'000}, std::size_t{5'000'000}}) {
    const auto budget = std::make_shared<ReceiveBudget>(limit);
    ConnectedPair pair(GetParam(), budget);
    std::thread sending([&] { EXPECT_TRUE(send(*pair.far, 4'000'000, Deadline::in_ms(60'000))); });
    EXPECT_TRUE(pair.near->receive(Deadline::in_ms(60'000)));
    sending.join();
    if (limit > 8'000'000)
      EXPECT_GE(budget->cached_bytes(), 4'000'000u);
    else
      EXPECT_EQ(budget->cached_bytes(), 0u);
  }
}

TEST_P(PartialFrame, IsNotTimedOutWhileInputIsUnread) {
  const auto budget = std::make_shared<ReceiveBudget>(64'000'000);
  ConnectedPair pair(GetParam(), budget);
  std::thread sending([&] {
    while (send(*pair.near, 4'000'000, Deadline::in_ms(60'000))) {
    }
  });
  // Until a part of a frame has been read and no input is left: a frame that is sent as fast as it is read is
  // complete.
  bool waits_for_the_rest = false;
  while (!waits_for_the_rest) {
    const auto frame = pair.far->receive(Deadline{0});
    if (frame)
      pair.far->release();
    else if (frame.error().kind != ErrorKind::timed_out)
      break;
    waits_for_the_rest = !frame && has_partial_frame(*pair.far) && pair.far->capabilities().readiness->arm();
  }
  EXPECT_TRUE(waits_for_the_rest);
  platform::PollItem readable{pair.far->capabilities().readiness->descriptor(), platform::kReadable, 0};
  EXPECT_EQ(platform::poll(std::span(&readable, 1), Deadline::in_ms(30'000)), 1);
  budget->end_timed_out(kExpired_ms);
  const auto frame = pair.far->receive(Deadline::in_ms(60'000));
  EXPECT_TRUE(frame) << frame.error().message;
  pair.far->close();
  sending.join();
}

TEST_P(PartialFrame, DropsTheOldestForAnother) {
  const auto budget = std::make_shared<ReceiveBudget>(5'000'000);
  HalfSentFrame old(GetParam(), budget, 3'000'000);
  ConnectedPair young(GetParam(), budget);
  EXPECT_TRUE(has_partial_frame(old.far()));
  std::thread other([&] { (void)send(*young.near, 4'000'000, Deadline::in_ms(120'000)); });
  const auto frame = young.far->receive(Deadline::in_ms(120'000));
  EXPECT_TRUE(frame);
  other.join();
  EXPECT_FALSE(old.far().receive(Deadline::in_ms(120'000)));
}

/// The owner may keep the channel for any time after the disconnect.
TEST_P(PartialFrame, IsFreedAfterADisconnectWhileTheChannelExists) {
  for (const bool closes_here : {false, true}) {
    const auto budget = std::make_shared<ReceiveBudget>(15'000'000);
    HalfSentFrame half(GetParam(), budget);
    if (closes_here)
      half.far().close();
    else
      half.end();
    for (int times = 0; times < 2; ++times) {
      const auto frame = half.far().receive(Deadline::in_ms(60'000));
      ASSERT_FALSE(frame);
      EXPECT_EQ(frame.error().kind, ErrorKind::disconnected);
      EXPECT_EQ(budget->bytes() + budget->cached_bytes(), 0u);
      EXPECT_FALSE(has_partial_frame(half.far()));
    }
  }
}

/// Without a limit, a peer that connects repeatedly could fill the disk.
TEST_P(PartialFrame, LogsDroppedFramesAtALimitedRate) {
  constexpr std::size_t kGivenUp = 60;
  orbweaver::log::set_level("warn");
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  const std::int64_t start_ns = orbweaver::now_ns();
  for (std::size_t i = 0; i < kGivenUp; ++i) {
    const auto budget = std::make_shared<ReceiveBudget>(15'000'000);
    HalfSentFrame half(GetParam(), budget);
    ReceiveBudget::Share other(budget, [](const std::string&) {});
    other.count_for(half.far().peer());
    EXPECT_TRUE(other.hold(1, 14'999'999));  // the whole budget: the frame is dropped
    EXPECT_TRUE(becomes_true([&] {
      const auto frame = half.far().receive(Deadline{0});
      return !frame && frame.error().kind == ErrorKind::disconnected;
    }));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  std::size_t lines = 0;
  const std::string line = ": connection with ";
  for (std::size_t at = log.find(line); at != std::string::npos; at = log.find(line, at + 1)) ++lines;
  EXPECT_GE(lines, 1u);
  const auto seconds = static_cast<std::size_t>((orbweaver::now_ns() - start_ns) / 1'000'000'000);
  EXPECT_LE(lines, LogRateLimiter::kBurst + LogRateLimiter::kPerSecond * (seconds + 1));
}

/// An orderly close between two frames is not logged.
TEST_P(PartialFrame, IsNotReportedForAnOrderlyClose) {
  orbweaver::log::set_level("warn");
  ConnectedPair pair(GetParam(), std::make_shared<ReceiveBudget>(64'000'000));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(send(*pair.near, 100, Deadline::in_ms(120'000)));
  pair.near->close();
  EXPECT_TRUE(pair.far->receive(Deadline::in_ms(120'000)));
  pair.far->release();
  EXPECT_FALSE(pair.far->receive(Deadline::in_ms(120'000)));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

INSTANTIATE_TEST_SUITE_P(Transports, PartialFrame, ::testing::Values("shm", "unix", "tcp", "mqueue"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace orbtest
