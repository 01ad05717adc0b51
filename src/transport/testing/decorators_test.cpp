#include "transport/testing/decorators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/testing/ends.h"
#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {
namespace {

using std::chrono::microseconds;

Ends inproc_ends() { return connect_ends(inproc(), "", options_for(), options_for()); }

TEST(Decorators, ADelayKeepsTheOrder) {
  Ends ends = inproc_ends();
  Delayed late(std::move(ends.near), microseconds(300), 1);
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(ok(send_frame(late, 100, i)));
  });
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_TRUE(receives(*ends.far, 100, i));
  sending.join();
}

TEST(Decorators, ASlowReaderSlowsTheSenderDown) {
  Ends ends = inproc_ends();
  SlowReader slow(std::move(ends.far), microseconds(1000));
  const std::int64_t start = platform::now_ns();
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 50; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 10'000, i)));
  });
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_TRUE(receives(slow, 10'000, i));
  sending.join();
  EXPECT_GE(platform::now_ns() - start, 40'000'000);
}

TEST(Decorators, CorruptionOfABodyArrivesAndOfAHeaderEndsTheChannel) {
  Ends ends = inproc_ends();
  Corrupting bad(std::move(ends.near), 3, 7);
  std::uint32_t changed = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    if (!send_frame(bad, 1000, i)) break;
    const Result<Bytes> frame = ends.far->receive(Deadline::in_ms(5'000));
    if (!frame) {
      EXPECT_TRUE(fails_with(Remedy::reconnect, frame));
      ++changed;
      break;
    }
    changed += is_frame(*frame, 1000, i) ? 0 : 1;
    ends.far->release();
  }
  EXPECT_GT(changed, 0u);
  EXPECT_EQ(changed, bad.corrupted());
}

TEST(Decorators, DeathComesAfterSoManyFrames) {
  Ends ends = inproc_ends();
  DyingAfter mortal(std::move(ends.near), 5);
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(ok(send_frame(mortal, 100, i)));
  EXPECT_TRUE(fails_with(Remedy::reconnect, send_frame(mortal, 100, 5)));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_TRUE(receives(*ends.far, 100, i));
  EXPECT_TRUE(fails_with(Remedy::reconnect, ends.far->receive(Deadline::in_ms(5'000))));
}

}  // namespace
}  // namespace orbweaver::transport::testing
