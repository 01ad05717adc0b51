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

/// Takes the packets that are in the queue now.
std::vector<int> take_all(Queue& queue) {
  std::vector<int> packets;
  int packet = 0;
  while (queue.take(packet, kPast) == TakeResult::taken) packets.push_back(packet);
  return packets;
}

PushResult push(Queue& queue, int packet, std::size_t bytes = 1) {
  return queue.push(std::move(packet), bytes);
}

TEST(BoundedQueue, TakesPacketsInTheOrderOfPush) {
  Queue queue{{1000}};
  for (int i = 0; i < 5; ++i) ASSERT_EQ(push(queue, i), PushResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{0, 1, 2, 3, 4}));
  // The storage grows while its first packet is in the middle.
  for (int i = 0; i < 100; ++i) ASSERT_EQ(push(queue, i), PushResult::accepted);
  const auto packets = take_all(queue);
  ASSERT_EQ(packets.size(), 100u);
  EXPECT_TRUE(std::is_sorted(packets.begin(), packets.end()));
}

TEST(BoundedQueue, RejectsLimitsOfZero) {
  EXPECT_THROW(Queue({0, 10}), std::invalid_argument);
  EXPECT_THROW(Queue({10, 0}), std::invalid_argument);
}

TEST(BoundedQueue, CountsPacketsAndBytes) {
  Queue queue{{3, 100}};
  ASSERT_EQ(push(queue, 1, 40), PushResult::accepted);
  ASSERT_EQ(push(queue, 2, 60), PushResult::accepted);
  EXPECT_EQ(take_all(queue).size(), 2u);
  ASSERT_EQ(push(queue, 3, 0), PushResult::accepted);
  const QueueCounts counts = queue.counts();
  EXPECT_EQ(counts.packets, 1u);
  EXPECT_EQ(counts.bytes, 0u);
  EXPECT_EQ(counts.peak_packets, 2u);
  EXPECT_EQ(counts.peak_bytes, 100u);
  EXPECT_EQ(counts.accepted, 3u);
  EXPECT_EQ(counts.delivered, 2u);
}

TEST(BoundedQueue, BlocksAProducerUntilAPacketIsTaken) {
  Queue queue{{1}};
  ASSERT_EQ(push(queue, 1), PushResult::accepted);
  PushResult result = PushResult::dropped;
  WaitingThread producer([&] { result = push(queue, 2); });
  ASSERT_TRUE(producer.waits());
  int packet = 0;
  ASSERT_EQ(queue.take(packet), TakeResult::taken);
  producer.join();
  EXPECT_EQ(result, PushResult::accepted);
  EXPECT_EQ(take_all(queue), std::vector{2});
  EXPECT_EQ(queue.counts().waited, 1u);
}

TEST(BoundedQueue, BlocksAProducerUntilItsBytesFit) {
  Queue queue{{100, 100}};
  ASSERT_EQ(push(queue, 1, 30), PushResult::accepted);
  ASSERT_EQ(push(queue, 2, 30), PushResult::accepted);
  WaitingThread producer([&] { EXPECT_EQ(push(queue, 3, 80), PushResult::accepted); });
  ASSERT_TRUE(producer.waits());
  int packet = 0;
  ASSERT_EQ(queue.take(packet), TakeResult::taken);
  EXPECT_EQ(queue.counts().packets, 1u) << "30 of 100 bytes are used, which leaves 70";
  ASSERT_EQ(queue.take(packet), TakeResult::taken);
  producer.join();
  EXPECT_EQ(take_all(queue), std::vector{3});
}

TEST(BoundedQueue, AdmitsWaitingProducersInTheirOrder) {
  Queue queue{{100, 100}};
  ASSERT_EQ(push(queue, 0, 60), PushResult::accepted);
  WaitingThread large([&] { EXPECT_EQ(push(queue, 1, 100), PushResult::accepted); });
  ASSERT_TRUE(large.waits());
  WaitingThread small([&] { EXPECT_EQ(push(queue, 2, 1), PushResult::accepted); });
  ASSERT_TRUE(small.waits()) << "its packet would fit, but the large one is first";
  EXPECT_FALSE(queue.has_space(0)) << "producers wait";
  int packet = 0;
  for (int expected : {0, 1, 2}) {
    ASSERT_EQ(queue.take(packet), TakeResult::taken);
    EXPECT_EQ(packet, expected);
  }
}

TEST(BoundedQueue, AdmitsTheNextProducerWhenTheFirstOneTimesOut) {
  Queue queue{{100, 100}};
  ASSERT_EQ(push(queue, 0, 60), PushResult::accepted);
  PushResult first = PushResult::accepted;
  WaitingThread large([&] { first = queue.push(1, 100, Deadline::in_ms(500)); });
  (void)large.waits();  // on a loaded machine, it may have given up already
  EXPECT_EQ(push(queue, 2, 40), PushResult::accepted) << "fits as soon as the large packet has given up";
  large.join();
  EXPECT_EQ(first, PushResult::timed_out);
  EXPECT_EQ(queue.counts().timed_out, 1u);
  EXPECT_EQ(take_all(queue), (std::vector{0, 2}));
}

TEST(BoundedQueue, ReturnsAtADeadline) {
  Queue queue{{1}};
  int packet = 7;
  EXPECT_EQ(queue.take(packet, kPast), TakeResult::timed_out);
  EXPECT_EQ(queue.take(packet, Deadline::in_ms(1)), TakeResult::timed_out);
  ASSERT_EQ(push(queue, 1), PushResult::accepted);
  EXPECT_EQ(queue.push(2, 1, kPast), PushResult::timed_out);
  EXPECT_EQ(queue.push(2, 1, Deadline::in_ms(1)), PushResult::timed_out);
  EXPECT_EQ(queue.counts().timed_out, 2u);
  EXPECT_EQ(queue.counts().waited, 1u) << "a deadline in the past does not wait";
  EXPECT_EQ(take_all(queue), std::vector{1});
}

TEST(BoundedQueue, RejectsPacketsIfFull) {
  Queue queue{{2, 100, WhenFull::reject}};
  ASSERT_EQ(push(queue, 1, 60), PushResult::accepted);
  EXPECT_EQ(push(queue, 2, 60), PushResult::queue_full);
  ASSERT_EQ(push(queue, 3, 40), PushResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{1, 3}));
  EXPECT_EQ(queue.counts().rejected, 1u);
  EXPECT_EQ(queue.counts().accepted, 2u);
}

TEST(BoundedQueue, DropsTheNewestIfFull) {
  Queue queue{{2, kUnlimited, WhenFull::drop_newest}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(push(queue, i), i < 2 ? PushResult::accepted : PushResult::dropped);
  EXPECT_EQ(take_all(queue), (std::vector{0, 1}));
  EXPECT_EQ(queue.counts().dropped_newest, 3u);
}

TEST(BoundedQueue, DropsTheOldestIfFull) {
  Queue queue{{2, kUnlimited, WhenFull::drop_oldest}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(push(queue, i), PushResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{3, 4}));
  EXPECT_EQ(queue.counts().dropped_oldest, 3u);
  EXPECT_EQ(queue.counts().accepted, 5u);
}

TEST(BoundedQueue, DropsAsManyOldPacketsAsTheBytesOfTheNewOneNeed) {
  Queue queue{{10, 100, WhenFull::drop_oldest}};
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(queue, i, 25), PushResult::accepted);
  ASSERT_EQ(push(queue, 4, 51), PushResult::accepted) << "needs the space of three packets";
  EXPECT_EQ(queue.counts().dropped_oldest, 3u);
  EXPECT_EQ(queue.counts().bytes, 76u);
  EXPECT_EQ(take_all(queue), (std::vector{3, 4}));
}

class BoundedQueuePolicy : public testing::TestWithParam<WhenFull> {};

TEST_P(BoundedQueuePolicy, NeverAcceptsAPacketLargerThanTheLimit) {
  Queue queue{{10, 100, GetParam()}};
  EXPECT_EQ(push(queue, 1, 101), PushResult::too_large) << "also if the queue is empty";
  ASSERT_EQ(push(queue, 2, 100), PushResult::accepted);
  EXPECT_EQ(push(queue, 3, 101), PushResult::too_large);
  EXPECT_EQ(push(queue, 4, kUnlimited), PushResult::too_large);
  EXPECT_EQ(take_all(queue), std::vector{2}) << "nothing is dropped for a packet that is not accepted";
  EXPECT_EQ(queue.counts().too_large, 3u);
}

TEST_P(BoundedQueuePolicy, ReturnsRemainingPacketsAfterClose) {
  Queue queue{{10, 100, GetParam()}};
  ASSERT_EQ(push(queue, 1), PushResult::accepted);
  ASSERT_EQ(push(queue, 2), PushResult::accepted);
  queue.close();
  EXPECT_EQ(push(queue, 3), PushResult::closed);
  EXPECT_TRUE(queue.closed());
  EXPECT_FALSE(queue.has_space(1));
  int packet = 0;
  EXPECT_EQ(queue.take(packet), TakeResult::taken);
  EXPECT_EQ(queue.take(packet), TakeResult::taken);
  EXPECT_EQ(packet, 2);
  EXPECT_EQ(queue.take(packet), TakeResult::end);
  EXPECT_EQ(queue.counts().rejected_closed, 1u);
}

INSTANTIATE_TEST_SUITE_P(Every, BoundedQueuePolicy,
                         testing::Values(WhenFull::block, WhenFull::reject, WhenFull::drop_oldest,
                                         WhenFull::drop_newest),
                         testing::PrintToStringParamName());

TEST(BoundedQueue, ReturnsFromWaitingCallsOnClose) {
  Queue full{{1}}, empty{{1}};
  ASSERT_EQ(push(full, 1), PushResult::accepted);
  PushResult push_result = PushResult::accepted;
  TakeResult take_result = TakeResult::taken;
  int packet = 0;
  WaitingThread producer([&] { push_result = push(full, 2); });
  WaitingThread consumer([&] { take_result = empty.take(packet); });
  ASSERT_TRUE(producer.waits() && consumer.waits());
  full.close();
  empty.close();
  producer.join();
  consumer.join();
  EXPECT_EQ(push_result, PushResult::closed);
  EXPECT_EQ(take_result, TakeResult::end);
  EXPECT_EQ(take_all(full), std::vector{1}) << "without the packet of the producer that waited";
  EXPECT_EQ(full.counts().rejected_closed, 1u);
}

TEST(BoundedQueue, ReturnsFromWaitingCallsOnInterrupt) {
  Queue full{{1}}, empty{{1}};
  ASSERT_EQ(push(full, 1), PushResult::accepted);
  PushResult push_result = PushResult::accepted;
  TakeResult take_result = TakeResult::taken;
  int packet = 0;
  WaitingThread producer([&] { push_result = push(full, 2); });
  WaitingThread consumer([&] { take_result = empty.take(packet); });
  ASSERT_TRUE(producer.waits() && consumer.waits());
  full.interrupt();
  full.clear_interrupt();
  empty.interrupt();
  empty.clear_interrupt();  // waiting calls return even if this is called before they run
  producer.join();
  consumer.join();
  EXPECT_EQ(push_result, PushResult::interrupted);
  EXPECT_EQ(take_result, TakeResult::interrupted);
  EXPECT_EQ(full.counts().interrupted, 1u);
}

TEST(BoundedQueue, DoesNotWaitUntilResumed) {
  Queue queue{{1}};
  queue.interrupt();
  int packet = 0;
  EXPECT_EQ(queue.take(packet), TakeResult::interrupted);
  EXPECT_EQ(push(queue, 1), PushResult::accepted) << "need not wait";
  EXPECT_EQ(push(queue, 2), PushResult::interrupted);
  EXPECT_EQ(queue.take(packet), TakeResult::taken) << "need not wait";
  queue.clear_interrupt();
  WaitingThread consumer([&] { EXPECT_EQ(queue.take(packet), TakeResult::taken); });
  EXPECT_TRUE(consumer.waits());
  EXPECT_EQ(push(queue, 3), PushResult::accepted);
}

TEST(BoundedQueue, KeepsAPacketThatIsNotAccepted) {
  BoundedQueue<std::unique_ptr<int>> queue{{1, kUnlimited, WhenFull::drop_newest}};
  ASSERT_EQ(queue.push(std::make_unique<int>(1), 1), PushResult::accepted);
  auto packet = std::make_unique<int>(2);
  EXPECT_EQ(queue.push(std::move(packet), 1), PushResult::dropped);
  ASSERT_NE(packet, nullptr);
  queue.close();
  EXPECT_EQ(queue.push(std::move(packet), 1), PushResult::closed);
  EXPECT_NE(packet, nullptr);
}

TEST(BoundedQueue, DestroysPacketsThatAreDroppedDiscardedOrLeft) {
  const auto counter = std::make_shared<int>();
  {
    BoundedQueue<std::shared_ptr<int>> queue{{2, kUnlimited, WhenFull::drop_oldest}};
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.push(std::shared_ptr(counter), 1), PushResult::accepted);
    EXPECT_EQ(counter.use_count(), 3) << "two are in the queue";
    EXPECT_EQ(queue.discard(), 2u);
    EXPECT_EQ(counter.use_count(), 1);
    EXPECT_EQ(queue.counts().discarded, 2u);
    static_assert(noexcept(queue.discard()), "the destructor of QueuedPort calls it");
    EXPECT_EQ(queue.counts().bytes, 0u);
    ASSERT_EQ(queue.push(std::shared_ptr(counter), 1), PushResult::accepted);
    std::shared_ptr<int> taken;
    ASSERT_EQ(queue.take(taken), TakeResult::taken);
    taken.reset();
    EXPECT_EQ(counter.use_count(), 1) << "nothing remains in the storage";
    ASSERT_EQ(queue.push(std::shared_ptr(counter), 1), PushResult::accepted);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(BoundedQueue, DiscardsMatchingPacketsAndKeepsTheOrderOfOthers) {
  Queue queue{{8, 100}};
  for (int i = 0; i < 5; ++i) ASSERT_EQ(push(queue, i), PushResult::accepted);
  int packet = 0;
  ASSERT_EQ(queue.take(packet), TakeResult::taken);
  for (int i = 5; i < 9; ++i) ASSERT_EQ(push(queue, i, static_cast<std::size_t>(i)), PushResult::accepted);
  EXPECT_EQ(queue.discard_if([](int i) { return i % 3 == 0; }), 2u) << "the storage wraps around";
  EXPECT_EQ(queue.counts().discarded, 2u);
  EXPECT_EQ(queue.counts().bytes, 3u + 5 + 7 + 8);
  EXPECT_THROW(queue.discard_if([](int) -> bool { throw 1; }), int);
  ASSERT_EQ(push(queue, 9), PushResult::accepted);
  EXPECT_EQ(take_all(queue), (std::vector{1, 2, 4, 5, 7, 8, 9}));
}

TEST(BoundedQueue, AdmitsWaitingProducersAfterDiscard) {
  Queue queue{{1}};
  ASSERT_EQ(push(queue, 1), PushResult::accepted);
  WaitingThread producer([&] { EXPECT_EQ(push(queue, 2), PushResult::accepted); });
  ASSERT_TRUE(producer.waits());
  EXPECT_EQ(queue.discard(), 1u);
  producer.join();
  EXPECT_EQ(take_all(queue), std::vector{2});
}

}  // namespace
}  // namespace orbweaver::streams
