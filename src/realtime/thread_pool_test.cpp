// Places in thread pools, without connections.
#include "realtime/thread_pool.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <thread>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"

namespace orbweaver::realtime {
namespace {

using platform::testing::becomes_true;

/// A request that calls a function.
class TestRequest final : public orb::ObjectRequest {
 public:
  explicit TestRequest(std::function<void()> function) : function_(std::move(function)) {}
  bool serve() noexcept override {
    function_();
    return true;
  }

 private:
  const std::function<void()> function_;
};

/// An event that a thread waits for.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

struct ThreadPoolPlaces : ::testing::Test {
  std::shared_ptr<ThreadPool> make(const ThreadPool::Settings& settings) {
    auto pool = std::make_shared<ThreadPool>(settings, options, nullptr);
    pool->start();
    return pool;
  }
  const orb::Options options;
};

TEST_F(ThreadPoolPlaces, AreGivenToTheNextThatWaits) {
  const auto pool = make({.lanes = {{5, 1, 0}}});
  Event second, third;
  auto first = pool->reserve(5, 1, [] {});
  auto waiting = pool->reserve(5, 1, [&] { second.set(); });
  auto last = pool->reserve(5, 1, [&] { third.set(); });
  EXPECT_TRUE(first->is_granted());
  EXPECT_FALSE(waiting->is_granted());
  first = nullptr;  // given up
  second.wait();
  EXPECT_TRUE(waiting->is_granted());
  EXPECT_FALSE(last->is_granted());
  Event executed;
  waiting->put(std::make_unique<TestRequest>([&] { executed.set(); }));
  executed.wait();
  third.wait();
  EXPECT_TRUE(last->is_granted());
  last = nullptr;
  EXPECT_TRUE(becomes_true([&] { return pool->is_idle(); }));
  pool->stop();
}

TEST_F(ThreadPoolPlaces, AreNotGrantedAfterTheyHaveBeenGivenUp) {
  const auto pool = make({.lanes = {{5, 1, 0}}});
  auto first = pool->reserve(5, 1, [] {});
  auto waiting = pool->reserve(5, 1, [] { ADD_FAILURE() << "granted"; });
  waiting = nullptr;
  first = nullptr;
  EXPECT_TRUE(pool->reserve(5, 1, [] {})->is_granted());
  pool->stop();
}

TEST_F(ThreadPoolPlaces, AreNullIfTheBufferIsFull) {
  const auto pool = make({.lanes = {{5, 1, 0}}, .buffers = true, .max_requests = 1});
  const auto first = pool->reserve(5, 1, [] {});
  auto buffered = pool->reserve(5, 1, [] {});
  EXPECT_TRUE(buffered->is_granted());
  EXPECT_EQ(pool->reserve(5, 1, [] {}), nullptr);
  buffered = nullptr;
  EXPECT_NE(pool->reserve(5, 1, [] {}), nullptr);
  pool->stop();
}

TEST_F(ThreadPoolPlaces, ExecuteEachRequestOnceWithManyThreads) {
  for (const bool borrows : {false, true}) {
    SCOPED_TRACE(borrows);
    const auto pool =
        make({.lanes = {{10, 1, 2}, {20, 2, 0}, {30, 0, 2}}, .has_lanes = true, .borrows = borrows});
    std::mutex mutex;
    std::multiset<int> executed;
    std::vector<std::thread> threads;
    constexpr int kThreads = 6, kRequests = 200;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kRequests; ++i) {
          Event granted;
          const auto place =
              pool->reserve(static_cast<std::int16_t>(10 * (1 + (t + i) % 3)), 1, [&] { granted.set(); });
          if (!place->is_granted()) granted.wait();
          if (i % 7 == 0) continue;  // given up
          place->put(std::make_unique<TestRequest>([&, number = t * kRequests + i] {
            const std::lock_guard lock(mutex);
            executed.insert(number);
          }));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(becomes_true([&] { return pool->is_idle(); }));
    pool->stop();
    const std::set<int> each(executed.begin(), executed.end());
    EXPECT_EQ(each.size(), executed.size());
    EXPECT_EQ(executed.size(), std::size_t{kThreads} * (kRequests - (kRequests + 6) / 7));
  }
}

TEST_F(ThreadPoolPlaces, AreServedByTheirCallersIfNoThreadCanBeStarted) {
  const auto pool = make({.stack_bytes = std::size_t{1} << 60, .lanes = {{5, 0, 1}}});
  std::vector<int> executed;
  bool granted = false;
  const auto first = pool->reserve(5, 1, [] {});
  const auto waiting = pool->reserve(5, 1, [&] { granted = true; });
  EXPECT_FALSE(waiting->is_granted());
  first->put(std::make_unique<TestRequest>([&] { executed.push_back(1); }));
  EXPECT_TRUE(granted);
  waiting->put(std::make_unique<TestRequest>([&] { executed.push_back(2); }));
  EXPECT_THAT(executed, ::testing::ElementsAre(1, 2));
  EXPECT_TRUE(pool->is_idle());
  pool->stop();
}

TEST_F(ThreadPoolPlaces, EndBeforeEachStopReturns) {
  const auto pool = make({.lanes = {{5, 1, 0}}});
  Event executing, open;
  std::atomic<bool> executed{false};
  pool->reserve(5, 1, [] {})->put(std::make_unique<TestRequest>([&] {
    executing.set();
    open.wait();
    executed = true;
  }));
  executing.wait();
  platform::testing::WaitingThread first([&] { pool->stop(); });
  EXPECT_TRUE(first.waits());
  platform::testing::WaitingThread second([&] {
    pool->stop();
    EXPECT_TRUE(executed);
  });
  EXPECT_TRUE(second.waits());
  EXPECT_FALSE(pool->has_ended());
  open.set();
  first.join();
  second.join();
  EXPECT_TRUE(pool->has_ended());
}

TEST_F(ThreadPoolPlaces, AreServedAtTheStop) {
  const auto pool = make({.lanes = {{5, 1, 0}}, .buffers = true});
  Event open;
  int executed = 0;  // by one thread
  for (int i = 0; i < 5; ++i) {
    pool->reserve(5, 1, [] {})->put(std::make_unique<TestRequest>([&] {
      open.wait();
      ++executed;
    }));
  }
  std::thread stopping([&] { pool->stop(); });
  open.set();
  stopping.join();
  EXPECT_EQ(executed, 5);
}

}  // namespace
}  // namespace orbweaver::realtime
