#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <orbweaver/exception.h>
#include <orbweaver/streams/bounded_queue.h>

#include "orb/minor_codes.h"
#include "platform/testing/waiting_thread.h"
#include "streams/testing/when_full_names.h"

namespace orbweaver::streams {

namespace {

using platform::testing::WaitingThread;

constexpr Deadline kPast{0};

using Queue = BoundedQueue<int>;

/// Takes the items that are in the queue now.
std::vector<int> take_all(Queue& queue) {
  std::vector<int> items;
  int item = 0;
  while (queue.take(item, kPast) == TakeResult::taken) items.push_back(item);
  return items;
}

PutResult put(Queue& queue, int item, std::size_t bytes = 1) { return queue.put(std::move(item), bytes); }

TEST(BoundedQueue, TakesItemsInTheOrderOfPut) {
  Queue queue{{1000}};
  for (int i = 0; i < 5; ++i) ASSERT_EQ(put(queue, i), PutResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{0, 1, 2, 3, 4}));
  // The storage grows while its first item is in the middle.
  for (int i = 0; i < 100; ++i) ASSERT_EQ(put(queue, i), PutResult::accepted);
  const auto items = take_all(queue);
  ASSERT_EQ(items.size(), 100u);
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
}

TEST(BoundedQueue, RejectsLimitsOfZero) {
  EXPECT_THROW(Queue({0, 10}), std::invalid_argument);
  EXPECT_THROW(Queue({10, 0}), std::invalid_argument);
}

TEST(BoundedQueue, CountsPacketsAndBytes) {
  Queue queue{{3, 100}};
  ASSERT_EQ(put(queue, 1, 40), PutResult::accepted);
  ASSERT_EQ(put(queue, 2, 60), PutResult::accepted);
  EXPECT_EQ(take_all(queue).size(), 2u);
  ASSERT_EQ(put(queue, 3, 0), PutResult::accepted);
  const QueueCounts counts = queue.counts();
  EXPECT_EQ(counts.packets, 1u);
  EXPECT_EQ(counts.bytes, 0u);
  EXPECT_EQ(counts.high_water_packets, 2u);
  EXPECT_EQ(counts.high_water_bytes, 100u);
  EXPECT_EQ(counts.accepted, 3u);
  EXPECT_EQ(counts.delivered, 2u);
}

TEST(BoundedQueue, BlocksAProducerUntilAPacketIsTaken) {
  Queue queue{{1}};
  ASSERT_EQ(put(queue, 1), PutResult::accepted);
  PutResult result = PutResult::dropped;
  WaitingThread producer([&] { result = put(queue, 2); });
  ASSERT_TRUE(producer.waits());
  int item = 0;
  ASSERT_EQ(queue.take(item), TakeResult::taken);
  producer.join();
  EXPECT_EQ(result, PutResult::accepted);
  EXPECT_EQ(take_all(queue), std::vector{2});
  EXPECT_EQ(queue.counts().blocked, 1u);
}

TEST(BoundedQueue, BlocksAProducerUntilItsBytesFit) {
  Queue queue{{100, 100}};
  ASSERT_EQ(put(queue, 1, 30), PutResult::accepted);
  ASSERT_EQ(put(queue, 2, 30), PutResult::accepted);
  WaitingThread producer([&] { EXPECT_EQ(put(queue, 3, 80), PutResult::accepted); });
  ASSERT_TRUE(producer.waits());
  int item = 0;
  ASSERT_EQ(queue.take(item), TakeResult::taken);
  EXPECT_EQ(queue.counts().packets, 1u) << "30 of 100 bytes are used, which leaves 70";
  ASSERT_EQ(queue.take(item), TakeResult::taken);
  producer.join();
  EXPECT_EQ(take_all(queue), std::vector{3});
}

TEST(BoundedQueue, AdmitsWaitingProducersInTheirOrder) {
  Queue queue{{100, 100}};
  ASSERT_EQ(put(queue, 0, 60), PutResult::accepted);
  WaitingThread large([&] { EXPECT_EQ(put(queue, 1, 100), PutResult::accepted); });
  ASSERT_TRUE(large.waits());
  WaitingThread small([&] { EXPECT_EQ(put(queue, 2, 1), PutResult::accepted); });
  ASSERT_TRUE(small.waits()) << "its item would fit, but the large one is first";
  EXPECT_FALSE(queue.has_space(0)) << "producers wait";
  int item = 0;
  for (int expected : {0, 1, 2}) {
    ASSERT_EQ(queue.take(item), TakeResult::taken);
    EXPECT_EQ(item, expected);
  }
}

TEST(BoundedQueue, AdmitsTheNextProducerWhenTheFirstOneTimesOut) {
  Queue queue{{100, 100}};
  ASSERT_EQ(put(queue, 0, 60), PutResult::accepted);
  PutResult first = PutResult::accepted;
  WaitingThread large([&] { first = queue.put(1, 100, Deadline::in_ms(500)); });
  (void)large.waits();  // on a loaded machine, it may have given up already
  EXPECT_EQ(put(queue, 2, 40), PutResult::accepted) << "fits as soon as the large item has given up";
  large.join();
  EXPECT_EQ(first, PutResult::timed_out);
  EXPECT_EQ(queue.counts().timed_out, 1u);
  EXPECT_EQ(take_all(queue), (std::vector{0, 2}));
}

TEST(BoundedQueue, ReturnsAtADeadline) {
  Queue queue{{1}};
  int item = 7;
  EXPECT_EQ(queue.take(item, kPast), TakeResult::timed_out);
  EXPECT_EQ(queue.take(item, Deadline::in_ms(1)), TakeResult::timed_out);
  ASSERT_EQ(put(queue, 1), PutResult::accepted);
  EXPECT_EQ(queue.put(2, 1, kPast), PutResult::timed_out);
  EXPECT_EQ(queue.put(2, 1, Deadline::in_ms(1)), PutResult::timed_out);
  EXPECT_EQ(queue.counts().timed_out, 2u);
  EXPECT_EQ(queue.counts().blocked, 1u) << "a deadline in the past does not wait";
  EXPECT_EQ(take_all(queue), std::vector{1});
}

TEST(BoundedQueue, RaisesTransientIfFull) {
  Queue queue{{2, 100, WhenFull::raise_transient}};
  ASSERT_EQ(put(queue, 1, 60), PutResult::accepted);
  try {
    (void)put(queue, 2, 60);
    FAIL() << "the queue is full";
  } catch (const CORBA::TRANSIENT& e) {
    EXPECT_EQ(e.minor(), minor::kQueueFull);
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    EXPECT_EQ(e.detail(), "queue full: 1 packets, 60 bytes");
  }
  ASSERT_EQ(put(queue, 3, 40), PutResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{1, 3}));
  EXPECT_EQ(queue.counts().rejected, 1u);
  EXPECT_EQ(queue.counts().accepted, 2u);
}

TEST(BoundedQueue, DropsTheNewestIfFull) {
  Queue queue{{2, kUnlimited, WhenFull::drop_newest}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(put(queue, i), i < 2 ? PutResult::accepted : PutResult::dropped);
  EXPECT_EQ(take_all(queue), (std::vector{0, 1}));
  EXPECT_EQ(queue.counts().dropped_newest, 3u);
}

TEST(BoundedQueue, DropsTheOldestIfFull) {
  Queue queue{{2, kUnlimited, WhenFull::drop_oldest}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(put(queue, i), PutResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{3, 4}));
  EXPECT_EQ(queue.counts().dropped_oldest, 3u);
  EXPECT_EQ(queue.counts().accepted, 5u);
}

TEST(BoundedQueue, DropsAsManyOldItemsAsTheBytesOfTheNewOneNeed) {
  Queue queue{{10, 100, WhenFull::drop_oldest}};
  for (int i = 0; i < 4; ++i) ASSERT_EQ(put(queue, i, 25), PutResult::accepted);
  ASSERT_EQ(put(queue, 4, 51), PutResult::accepted) << "needs the space of three items";
  EXPECT_EQ(queue.counts().dropped_oldest, 3u);
  EXPECT_EQ(queue.counts().bytes, 76u);
  EXPECT_EQ(take_all(queue), (std::vector{3, 4}));
}

class BoundedQueuePolicy : public testing::TestWithParam<WhenFull> {};

TEST_P(BoundedQueuePolicy, NeverAcceptsAnItemLargerThanTheLimit) {
  Queue queue{{10, 100, GetParam()}};
  EXPECT_EQ(put(queue, 1, 101), PutResult::too_large) << "also if the queue is empty";
  ASSERT_EQ(put(queue, 2, 100), PutResult::accepted);
  EXPECT_EQ(put(queue, 3, 101), PutResult::too_large);
  EXPECT_EQ(put(queue, 4, kUnlimited), PutResult::too_large);
  EXPECT_EQ(take_all(queue), std::vector{2}) << "nothing is dropped for an item that is not accepted";
  EXPECT_EQ(queue.counts().too_large, 3u);
}

TEST_P(BoundedQueuePolicy, ReturnsRemainingItemsAfterClose) {
  Queue queue{{10, 100, GetParam()}};
  ASSERT_EQ(put(queue, 1), PutResult::accepted);
  ASSERT_EQ(put(queue, 2), PutResult::accepted);
  queue.close();
  EXPECT_EQ(put(queue, 3), PutResult::closed);
  EXPECT_TRUE(queue.closed());
  EXPECT_FALSE(queue.has_space(1));
  int item = 0;
  EXPECT_EQ(queue.take(item), TakeResult::taken);
  EXPECT_EQ(queue.take(item), TakeResult::taken);
  EXPECT_EQ(item, 2);
  EXPECT_EQ(queue.take(item), TakeResult::end);
  EXPECT_EQ(queue.counts().rejected_closed, 1u);
}

INSTANTIATE_TEST_SUITE_P(Every, BoundedQueuePolicy,
                         testing::Values(WhenFull::block, WhenFull::raise_transient, WhenFull::drop_oldest,
                                         WhenFull::drop_newest),
                         testing::PrintToStringParamName());

TEST(BoundedQueue, ReturnsFromWaitingCallsOnClose) {
  Queue full{{1}}, empty{{1}};
  ASSERT_EQ(put(full, 1), PutResult::accepted);
  PutResult put_result = PutResult::accepted;
  TakeResult take_result = TakeResult::taken;
  int item = 0;
  WaitingThread producer([&] { put_result = put(full, 2); });
  WaitingThread consumer([&] { take_result = empty.take(item); });
  ASSERT_TRUE(producer.waits() && consumer.waits());
  full.close();
  empty.close();
  producer.join();
  consumer.join();
  EXPECT_EQ(put_result, PutResult::closed);
  EXPECT_EQ(take_result, TakeResult::end);
  EXPECT_EQ(take_all(full), std::vector{1}) << "without the item of the producer that waited";
  EXPECT_EQ(full.counts().rejected_closed, 1u);
}

TEST(BoundedQueue, ReturnsFromWaitingCallsOnInterrupt) {
  Queue full{{1}}, empty{{1}};
  ASSERT_EQ(put(full, 1), PutResult::accepted);
  PutResult put_result = PutResult::accepted;
  TakeResult take_result = TakeResult::taken;
  int item = 0;
  WaitingThread producer([&] { put_result = put(full, 2); });
  WaitingThread consumer([&] { take_result = empty.take(item); });
  ASSERT_TRUE(producer.waits() && consumer.waits());
  full.interrupt();
  full.resume();
  empty.interrupt();
  empty.resume();  // waiting calls return even if this is called before they run
  producer.join();
  consumer.join();
  EXPECT_EQ(put_result, PutResult::interrupted);
  EXPECT_EQ(take_result, TakeResult::interrupted);
  EXPECT_EQ(full.counts().interrupted, 1u);
}

TEST(BoundedQueue, DoesNotWaitUntilResumed) {
  Queue queue{{1}};
  queue.interrupt();
  int item = 0;
  EXPECT_EQ(queue.take(item), TakeResult::interrupted);
  EXPECT_EQ(put(queue, 1), PutResult::accepted) << "need not wait";
  EXPECT_EQ(put(queue, 2), PutResult::interrupted);
  EXPECT_EQ(queue.take(item), TakeResult::taken) << "need not wait";
  queue.resume();
  WaitingThread consumer([&] { EXPECT_EQ(queue.take(item), TakeResult::taken); });
  EXPECT_TRUE(consumer.waits());
  EXPECT_EQ(put(queue, 3), PutResult::accepted);
}

TEST(BoundedQueue, KeepsAnItemThatIsNotAccepted) {
  BoundedQueue<std::unique_ptr<int>> queue{{1, kUnlimited, WhenFull::drop_newest}};
  ASSERT_EQ(queue.put(std::make_unique<int>(1), 1), PutResult::accepted);
  auto item = std::make_unique<int>(2);
  EXPECT_EQ(queue.put(std::move(item), 1), PutResult::dropped);
  ASSERT_NE(item, nullptr);
  queue.close();
  EXPECT_EQ(queue.put(std::move(item), 1), PutResult::closed);
  EXPECT_NE(item, nullptr);
}

TEST(BoundedQueue, DestroysItemsThatAreDroppedDiscardedOrLeft) {
  const auto counter = std::make_shared<int>();
  {
    BoundedQueue<std::shared_ptr<int>> queue{{2, kUnlimited, WhenFull::drop_oldest}};
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.put(std::shared_ptr(counter), 1), PutResult::accepted);
    EXPECT_EQ(counter.use_count(), 3) << "two are in the queue";
    EXPECT_EQ(queue.discard(), 2u);
    EXPECT_EQ(counter.use_count(), 1);
    EXPECT_EQ(queue.counts().discarded, 2u);
    EXPECT_EQ(queue.counts().bytes, 0u);
    ASSERT_EQ(queue.put(std::shared_ptr(counter), 1), PutResult::accepted);
    std::shared_ptr<int> taken;
    ASSERT_EQ(queue.take(taken), TakeResult::taken);
    taken.reset();
    EXPECT_EQ(counter.use_count(), 1) << "nothing remains in the storage";
    ASSERT_EQ(queue.put(std::shared_ptr(counter), 1), PutResult::accepted);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(BoundedQueue, DiscardsMatchingItemsAndKeepsTheOrderOfOthers) {
  Queue queue{{8, 100}};
  for (int i = 0; i < 5; ++i) ASSERT_EQ(put(queue, i), PutResult::accepted);
  int item = 0;
  ASSERT_EQ(queue.take(item), TakeResult::taken);
  for (int i = 5; i < 9; ++i) ASSERT_EQ(put(queue, i, static_cast<std::size_t>(i)), PutResult::accepted);
  EXPECT_EQ(queue.discard_if([](int i) { return i % 3 == 0; }), 2u) << "the storage wraps around";
  EXPECT_EQ(queue.counts().discarded, 2u);
  EXPECT_EQ(queue.counts().bytes, 3u + 5 + 7 + 8);
  EXPECT_THROW(queue.discard_if([](int) -> bool { throw 1; }), int);
  ASSERT_EQ(put(queue, 9), PutResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{1, 2, 4, 5, 7, 8, 9}));
}

TEST(BoundedQueue, AdmitsWaitingProducersAfterDiscard) {
  Queue queue{{1}};
  ASSERT_EQ(put(queue, 1), PutResult::accepted);
  WaitingThread producer([&] { EXPECT_EQ(put(queue, 2), PutResult::accepted); });
  ASSERT_TRUE(producer.waits());
  EXPECT_EQ(queue.discard(), 1u);
  producer.join();
  EXPECT_EQ(take_all(queue), std::vector{2});
}

}  // namespace
}  // namespace orbweaver::streams
