#include "platform/futex.h"

#include <gtest/gtest.h>

#include <thread>

namespace orbweaver::platform {
namespace {

TEST(Futex, DoesNotSleepOnAWordThatHasChanged) {
  std::atomic<std::uint32_t> word{1};
  EXPECT_EQ(futex_wait(&word, 0, Deadline::never(), false), FutexWait::changed);
}

TEST(Futex, SleepsUntilItsDeadline) {
  std::atomic<std::uint32_t> word{0};
  const std::int64_t start = now_ns();
  FutexWait result = FutexWait::woken;
  while (result == FutexWait::woken) result = futex_wait(&word, 0, Deadline::in_ms(20), false);
  EXPECT_EQ(result, FutexWait::timeout);
  EXPECT_GE(now_ns() - start, 19'000'000);
  EXPECT_EQ(futex_wait(&word, 0, Deadline{now_ns() - 1}, false), FutexWait::timeout);
  EXPECT_EQ(futex_wait(&word, 0, Deadline{-1}, false), FutexWait::timeout);
}

TEST(Futex, WakesPrivateAndSharedWaiters) {
  for (const bool shared : {false, true}) {
    std::atomic<std::uint32_t> word{0};
    std::thread sleeping([&] {
      while (word == 0) EXPECT_NE(futex_wait(&word, 0, Deadline::in_ms(120'000), shared), FutexWait::timeout);
    });
    while (futex_wake(&word, 0, shared) != 0) {
    }
    word = 1;
    futex_wake(&word, 1, shared);
    sleeping.join();
  }
}

TEST(Futex, WakesNoOneWithoutWaiters) {
  std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(futex_wake(&word, 1, false), 0);
}

}  // namespace
}  // namespace orbweaver::platform
