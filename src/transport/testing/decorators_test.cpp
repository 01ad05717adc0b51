#include "transport/testing/decorators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "transport/testing/ends.h"
#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {
namespace {

using std::chrono::microseconds;

Ends inproc_ends() { return connect_ends(inproc_transport(), "", options_for(), options_for()); }

TEST(Decorators, KeepsOrderWhenDelaying) {
  Ends ends = inproc_ends();
  DelayingChannel late(std::move(ends.near), microseconds(300), 1);
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(ok(send_frame(late, 100, i)));
  });
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_TRUE(receives(*ends.far, 100, i));
  sending.join();
}

TEST(Decorators, SlowsTheSenderOfASlowReader) {
  Ends ends = inproc_ends();
  SlowReaderChannel slow(std::move(ends.far), microseconds(1000));
  const std::int64_t start = platform::now_ns();
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 50; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 10'000, i)));
  });
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_TRUE(receives(slow, 10'000, i));
  sending.join();
  EXPECT_GE(platform::now_ns() - start, 40'000'000);
}

TEST(Decorators, DeliversCorruptedBodiesAndDisconnectsOnHeaders) {
  Ends ends = inproc_ends();
  CorruptingChannel bad(std::move(ends.near), 3, 7);
  std::uint32_t changed = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    if (!send_frame(bad, 1000, i)) break;
    const Result<Bytes> frame = ends.far->receive(hang_deadline());
    if (!frame) {
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, frame));
      ++changed;
      break;
    }
    changed += is_frame(*frame, 1000, i) ? 0 : 1;
    ends.far->release();
  }
  EXPECT_GT(changed, 0u);
  EXPECT_EQ(changed, bad.corrupted());
}

TEST(Decorators, ClosesAfterTheGivenFrames) {
  Ends ends = inproc_ends();
  ClosingChannel mortal(std::move(ends.near), 5);
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(ok(send_frame(mortal, 100, i)));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, send_frame(mortal, 100, 5)));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_TRUE(receives(*ends.far, 100, i));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
}

/// Returns the numbers of the frames that arrive until the sender closes; each must be complete.
std::vector<std::uint32_t> numbers_received(Channel& channel, std::size_t bytes) {
  std::vector<std::uint32_t> numbers;
  for (;;) {
    const Result<Bytes> frame = channel.receive(hang_deadline());
    if (!frame) {
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, frame));
      return numbers;
    }
    std::uint32_t number = 0;
    std::memcpy(&number, frame->data() + 8, sizeof number);
    EXPECT_TRUE(is_frame(*frame, bytes, number));
    numbers.push_back(number);
    channel.release();
  }
}

/// Sends 300 frames through `channel`, closes it, and returns the numbers of the frames that arrive at the
/// other end.
std::vector<std::uint32_t> deliver_300(Channel& channel, Channel& far) {
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 300; ++i) ASSERT_TRUE(ok(send_frame(channel, 500, i)));
    channel.close();
  });
  std::vector<std::uint32_t> numbers = numbers_received(far, 500);
  sending.join();
  return numbers;
}

TEST(Decorators, CountsLostFramesAndKeepsOrder) {
  Ends ends = inproc_ends();
  LossyChannel lossy(std::move(ends.near), 5, 3);
  const std::vector<std::uint32_t> numbers = deliver_300(lossy, *ends.far);
  EXPECT_GT(lossy.lost(), 0u);
  EXPECT_EQ(numbers.size() + lossy.lost(), 300u);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

TEST(Decorators, SendsDuplicatesBehindTheOriginal) {
  Ends ends = inproc_ends();
  DuplicatingChannel twice(std::move(ends.near), 5, 3);
  std::vector<std::uint32_t> numbers = deliver_300(twice, *ends.far);
  EXPECT_GT(twice.duplicated(), 0u);
  EXPECT_EQ(numbers.size(), 300u + twice.duplicated());
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  EXPECT_EQ(numbers.size(), 300u);
}

TEST(Decorators, SwapsNeighboursWithoutLoss) {
  Ends ends = inproc_ends();
  ReorderingChannel mixed(std::move(ends.near), 5, 3);
  std::vector<std::uint32_t> numbers = deliver_300(mixed, *ends.far);
  EXPECT_GT(mixed.reordered(), 0u);
  EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  std::sort(numbers.begin(), numbers.end());
  ASSERT_EQ(numbers.size(), 300u);
  for (std::uint32_t i = 0; i < 300; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(Decorators, SendsAHeldFrameOnClose) {
  Ends ends = inproc_ends();
  ReorderingChannel mixed(std::move(ends.near), 1, 3);
  ASSERT_TRUE(ok(send_frame(mixed, 100, 0)));
  mixed.close();
  EXPECT_EQ(numbers_received(*ends.far, 100), std::vector<std::uint32_t>{0});
}

TEST(Decorators, PassesOnRejectionsOfTheInnerChannel) {
  Ends ends = inproc_ends();
  LossyChannel lossy(std::move(ends.near), 2, 1);
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, lossy.claim(kMaxFrameBytes + 1, Deadline::never())));
  lossy.close();
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, lossy.claim(100, Deadline::never())));
}

}  // namespace
}  // namespace orbweaver::transport::testing
