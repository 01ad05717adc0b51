#include "platform/timed_mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "platform/testing/waiting_thread.h"

namespace orbweaver::platform {
namespace {

TEST(TimedMutex, ExcludesOtherThreads) {
  TimedMutex lock;
  int inside = 0, most = 0, times = 0;  // not atomic: guarded by the lock
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        ASSERT_TRUE(lock.lock(Deadline::never()));
        most = std::max(most, ++inside);
        ++times;
        if (i % 500 == 0) std::this_thread::yield();
        --inside;
        lock.unlock();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(times, 20'000);
}

TEST(TimedMutex, TimesOutAndStaysUsable) {
  TimedMutex lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  EXPECT_FALSE(lock.lock(Deadline::in_ms(20)));
  lock.unlock();
  EXPECT_TRUE(lock.lock(Deadline::in_ms(0)));
}

TEST(TimedMutex, WakesAWaiterOnUnlock) {
  TimedMutex lock;
  ASSERT_TRUE(lock.try_lock());
  testing::WaitingThread sleeper([&] {
    ASSERT_TRUE(lock.lock(Deadline::never()));
    lock.unlock();
  });
  EXPECT_TRUE(sleeper.waits());
  lock.unlock();
  sleeper.join();
}

}  // namespace
}  // namespace orbweaver::platform
