#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include <orbweaver/streams/bounded_queue.h>

#include "platform/testing/waiting_thread.h"

namespace orbweaver::streams {
namespace {

using platform::testing::WaitingThread;
using Queue = BoundedQueue<int>;

void push(Queue& queue, std::size_t bytes = 1, int count = 1) {
  for (; count > 0; --count) ASSERT_EQ(queue.push(0, bytes), PushResult::accepted);
}
void take(Queue& queue, int count = 1) {
  for (int packet = 0; count > 0; --count) ASSERT_EQ(queue.take(packet), TakeResult::taken);
}

/// Watermarks whose functions append "high " and "low " to `reports`.
Watermarks reporting(std::string& reports, Watermarks levels) {
  levels.on_high = [&] { reports += "high "; };
  levels.on_low = [&] { reports += "low "; };
  return levels;
}

TEST(Watermarks, ReportEachChangeOnce) {
  std::string reports;
  Queue queue{{10}, reporting(reports, {4, 2})};
  push(queue, 1, 3);
  EXPECT_EQ(reports, "");
  push(queue, 1, 2);
  EXPECT_EQ(reports, "high ");
  take(queue, 2);
  push(queue, 1, 2);
  EXPECT_EQ(reports, "high ") << "the low watermark has not been reached";
  take(queue, 3);
  EXPECT_EQ(reports, "high low ");
  take(queue, 2);
  push(queue, 1, 3);
  EXPECT_EQ(reports, "high low ");
  push(queue);
  EXPECT_EQ(reports, "high low high ");
  EXPECT_EQ(queue.counts().high_reports, 2u);
  EXPECT_EQ(queue.counts().low_reports, 1u);
}

TEST(Watermarks, AreInBytes) {
  std::string reports;
  Queue queue{{10, 100}, reporting(reports, {kUnlimited, 0, 80, 20})};
  push(queue, 79);
  EXPECT_EQ(reports, "");
  push(queue, 1);
  EXPECT_EQ(reports, "high ");
  take(queue);
  EXPECT_EQ(reports, "high low ");
}

TEST(Watermarks, AreLowInBothUnitsBeforeLowIsReported) {
  std::string reports;
  Queue queue{{10, 100}, reporting(reports, {5, 1, 80, 20})};
  push(queue, 80);
  push(queue, 10);
  push(queue, 10);
  EXPECT_EQ(reports, "high ") << "by bytes";
  take(queue);
  EXPECT_EQ(reports, "high ") << "20 bytes, but two packets";
  take(queue);
  EXPECT_EQ(reports, "high low ");
  push(queue, 1, 4);
  EXPECT_EQ(reports, "high low high ") << "by packets";
}

TEST(Watermarks, AreLowAfterDiscard) {
  std::string reports;
  Queue queue{{10}, reporting(reports, {4, 2})};
  push(queue, 1, 4);
  queue.discard();
  EXPECT_EQ(reports, "high low ");
}

TEST(Watermarks, AreCheckedAgainstTheLimits) {
  const auto make = [](Watermarks watermarks) { Queue queue({10, 100}, watermarks); };
  EXPECT_NO_THROW(make({10, 9, 100, 99}));
  EXPECT_THROW(make({0, 0}), std::invalid_argument);
  EXPECT_THROW(make({3, 3}), std::invalid_argument);
  EXPECT_THROW(make({3, 4}), std::invalid_argument);
  EXPECT_THROW(make({11, 4}), std::invalid_argument) << "would never be reached";
  EXPECT_THROW(make({kUnlimited, 0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(make({kUnlimited, 0, 101, 0}), std::invalid_argument);
  EXPECT_THROW(make({kUnlimited, 0, 20, 20}), std::invalid_argument);
}

TEST(Watermarks, MayCallTheQueue) {
  std::size_t packets = 0;
  Queue* queue = nullptr;
  Watermarks watermarks{2, 0};
  watermarks.on_high = [&] { packets = queue->counts().packets; };
  watermarks.on_low = [&] { ASSERT_EQ(queue->push(7, 1), PushResult::accepted); };
  Queue with_callbacks{{2}, watermarks};
  queue = &with_callbacks;
  push(with_callbacks, 1, 2);
  EXPECT_EQ(packets, 2u);
  take(with_callbacks, 2);
  EXPECT_EQ(with_callbacks.counts().packets, 1u);
}

TEST(Watermarks, SurviveExceptions) {
  Watermarks watermarks{2, 0};
  watermarks.on_high = [] { throw std::runtime_error("expected by the test"); };
  watermarks.on_low = [] { throw 1; };
  Queue queue{{2}, watermarks};
  push(queue, 1, 2);
  take(queue, 2);
  push(queue, 1, 2);
  EXPECT_EQ(queue.counts().failed_callbacks, 3u);
  EXPECT_EQ(queue.counts().high_reports, 2u);
}

TEST(Watermarks, DoNotStopOtherThreadsWhileAFunctionWaits) {
  std::atomic<bool> released{false};
  std::atomic<int> running{0}, most{0}, calls{0};
  Watermarks watermarks{1, 0};
  const auto wait = [&] {
    most = std::max(most.load(), ++running);
    released.wait(false);
    ++calls;
    --running;
  };
  watermarks.on_high = wait;
  watermarks.on_low = wait;
  Queue queue{{1}, watermarks};
  WaitingThread producer([&] { push(queue); });
  ASSERT_TRUE(producer.waits());
  // The level changes 100 times; it is high again at the end.
  for (int i = 0; i < 50; ++i) {
    take(queue);
    push(queue);
  }
  EXPECT_EQ(queue.counts().high_reports, 1u) << "reverted changes are not reported";
  take(queue);
  released = true;
  released.notify_all();
  producer.join();
  EXPECT_EQ(queue.counts().low_reports, 1u) << "the thread that reports has seen the last change";
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(most, 1) << "one at a time";
}

TEST(Watermarks, AlternateWithConcurrentThreads) {
  std::atomic<int> level{0}, wrong{0};
  Watermarks watermarks{3, 1};
  watermarks.on_high = [&] { wrong += level.exchange(1) != 0; };
  watermarks.on_low = [&] { wrong += level.exchange(0) != 1; };
  Queue queue{{4}, watermarks};
  std::thread producer([&] { push(queue, 1, 20000); });
  std::thread second([&] { push(queue, 1, 20000); });
  std::thread consumer([&] { take(queue, 20000); });
  take(queue, 20000);
  producer.join();
  second.join();
  consumer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(level, 0) << "the last report is that of the empty queue";
  EXPECT_EQ(queue.counts().high_reports, queue.counts().low_reports);
}

}  // namespace
}  // namespace orbweaver::streams
