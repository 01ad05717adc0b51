#include "sca/deployment/concurrently.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

namespace orbweaver::sca {
namespace {

using ::testing::Each;
using ::testing::Le;
using ::testing::SizeIs;

/// A number for the calling thread, which no other thread has or had.
int number_of_thread() {
  static std::atomic<int> threads{0};
  thread_local const int number = ++threads;
  return number;
}

TEST(RunConcurrently, CallsEachNumberOnce) {
  std::vector<std::atomic<int>> calls(1000);
  run_concurrently(calls.size(), [&](std::size_t i) { ++calls[i]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  run_concurrently(0, [](std::size_t) { FAIL(); });
}

TEST(RunConcurrently, ThrowsTheExceptionOfTheLowestNumberWhenAllCallsHaveReturned) {
  std::barrier all(4);
  std::atomic<int> returned{0};
  try {
    run_concurrently(4, [&](std::size_t i) {
      all.arrive_and_wait();
      ++returned;
      if (i != 0) throw std::runtime_error(std::to_string(i));
    });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "1");
  }
  EXPECT_EQ(returned, 4);
}

/// The steps of a deployment: a thread for each call of each step would take longer than the calls.
TEST(RunConcurrently, UsesThreadsOfFormerCalls) {
  std::mutex mutex;
  std::set<int> used;
  for (int step = 0; step < 100; ++step) {
    std::barrier all(4);
    run_concurrently(4, [&](std::size_t) {
      all.arrive_and_wait();
      const std::lock_guard lock(mutex);
      used.insert(number_of_thread());
    });
  }
  EXPECT_THAT(used, SizeIs(Le(150u))) << "301 without";
}

}  // namespace
}  // namespace orbweaver::sca
