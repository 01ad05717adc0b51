#include "orb/server/request_queue.h"

#include <gmock/gmock.h>

#include <semaphore>
#include <thread>
#include <vector>

#include "orb/options.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::orb {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;
using Reservation = RequestQueue::Space::Reservation;
using Numbers = std::vector<int>;

/// A request that adds its number to a list, unless `held`.
class Noted final : public ObjectRequest {
 public:
  Noted(Numbers& served, std::mutex& mutex, const bool& held, int number)
      : served_(served), mutex_(mutex), held_(held), number_(number) {}
  bool serve() noexcept override {
    const std::lock_guard lock(mutex_);
    if (!held_) served_.push_back(number_);
    return !held_;
  }

 private:
  Numbers& served_;
  std::mutex& mutex_;
  const bool& held_;
  const int number_;
};

/// A point at which a thread of the server waits for the test.
struct Stop {
  std::binary_semaphore reached{0}, passed{0};
  void wait() {
    reached.release();
    passed.acquire();
  }
};

/// A request that waits, and then serves another one.
class Waiting final : public ObjectRequest {
 public:
  Waiting(Stop& stop, std::unique_ptr<ObjectRequest> then) : stop_(stop), then_(std::move(then)) {}
  bool serve() noexcept override {
    stop_.wait();
    return then_->serve();
  }

 private:
  Stop& stop_;
  const std::unique_ptr<ObjectRequest> then_;
};

/// A request whose thread calls a function at its end, after it has left the queues.
class AtThreadEnd final : public ObjectRequest {
 public:
  explicit AtThreadEnd(std::function<void()> call) : call_(std::move(call)) {}
  bool serve() noexcept override {
    thread_local struct End {
      std::function<void()> call;
      ~End() { call(); }
    } end;
    end.call = call_;
    return true;
  }

 private:
  const std::function<void()> call_;
};

/// The reading side of a connection.
struct Reader {
  int changes = 0;
  RequestQueue::Space space{[this] { ++changes; }};
};

struct RequestQueueTest : ::testing::Test {
  std::shared_ptr<RequestQueue> queue_of(std::size_t requests, std::size_t bytes) {
    return all->make({requests, bytes});
  }
  void put(Reader& reader, int number) { reader.space.put(noted(number)); }
  std::unique_ptr<ObjectRequest> noted(int number) {
    return std::make_unique<Noted>(served, mutex, held, number);
  }
  /// Puts a request that waits at `stop` before it is noted.
  void put_waiting(const std::shared_ptr<RequestQueue>& queue, Stop& stop, int number) {
    Reader reader;
    ASSERT_EQ(reader.space.reserve(queue, 1), Reservation::granted);
    reader.space.put(std::make_unique<Waiting>(stop, noted(number)));
  }
  void put(const std::shared_ptr<RequestQueue>& queue, std::size_t bytes, int number) {
    Reader reader;
    ASSERT_EQ(reader.space.reserve(queue, bytes), Reservation::granted);
    put(reader, number);
  }
  /// Executes the turns that are due.
  void run() {
    while (reactor.step(platform::Deadline{0})) {
    }
  }

  Options options;
  // Before the reactor, which serves what is queued when it ends.
  std::mutex mutex;
  Numbers served;
  bool held = false;
  Reactor reactor;
  const std::shared_ptr<RequestQueues> all = std::make_shared<RequestQueues>(options, &reactor);
};

TEST_F(RequestQueueTest, ServesRequestsInTheOrderOfPut) {
  const auto queue = queue_of(10, 1000);
  for (const int number : {1, 2, 3}) put(queue, 10, number);
  EXPECT_EQ(queue->requests(), 3u);
  EXPECT_EQ(all->bytes(), 30 + 3 * RequestQueues::kRequestOverhead);
  run();
  EXPECT_THAT(served, ElementsAre(1, 2, 3));
  EXPECT_EQ(queue->requests(), 0u);
  EXPECT_EQ(all->bytes(), 0u);
}

TEST_F(RequestQueueTest, LimitsTheNumberOfRequests) {
  const auto queue = queue_of(2, 1000);
  put(queue, 1, 1);
  put(queue, 1, 2);
  Reader third, fourth;
  EXPECT_EQ(third.space.reserve(queue, 1), Reservation::waiting);
  EXPECT_EQ(fourth.space.reserve(queue, 1), Reservation::waiting);
  EXPECT_TRUE(reactor.step(platform::Deadline{0}));  // the first turn serves request 1
  EXPECT_THAT(served, ElementsAre(1));
  EXPECT_EQ(third.changes, 1);
  EXPECT_EQ(fourth.changes, 0);
  EXPECT_EQ(third.space.reserve(queue, 1), Reservation::granted);
  EXPECT_EQ(fourth.space.reserve(queue, 1), Reservation::waiting);
  put(third, 3);
  run();
  EXPECT_EQ(fourth.changes, 1);
  EXPECT_THAT(served, ElementsAre(1, 2, 3));
}

TEST_F(RequestQueueTest, LimitsTheBytesOfRequests) {
  const auto queue = queue_of(10, 100);
  put(queue, 60, 1);
  Reader large, small;
  EXPECT_EQ(large.space.reserve(queue, 41), Reservation::waiting);
  EXPECT_EQ(small.space.reserve(queue, 40), Reservation::waiting) << "it would overtake";
  large.space.cancel();
  EXPECT_EQ(small.changes, 1);
  EXPECT_EQ(small.space.reserve(queue, 40), Reservation::granted);
}

TEST_F(RequestQueueTest, AcceptsALargerRequestWhenItIsEmpty) {
  const auto queue = queue_of(10, 100);
  put(queue, 101, 1);
  Reader next;
  EXPECT_EQ(next.space.reserve(queue, 1), Reservation::waiting);
  run();
  EXPECT_EQ(next.space.reserve(queue, 1), Reservation::granted);
}

TEST_F(RequestQueueTest, ShareTheLimitOfMemory) {
  options.max_queue_bytes = 10'000;
  const auto first = queue_of(100, 1 << 20), second = queue_of(100, 1 << 20);
  put(first, 5'000, 1);
  Reader large, small;
  EXPECT_EQ(large.space.reserve(second, 5'000), Reservation::waiting);
  EXPECT_EQ(small.space.reserve(first, 1), Reservation::waiting) << "it would overtake";
  EXPECT_LE(all->bytes(), 10'000u);
  run();
  EXPECT_EQ(large.changes, 1);
  EXPECT_EQ(small.changes, 1);
  EXPECT_EQ(all->bytes(), 5'001 + 2 * RequestQueues::kRequestOverhead);
  large.space.cancel();
  EXPECT_EQ(second->requests(), 0u);
}

TEST_F(RequestQueueTest, AcceptsARequestLargerThanTheLimitOfMemoryAlone) {
  options.max_queue_bytes = 2'000;
  const auto queue = queue_of(100, 1 << 20);
  put(queue, 50'000, 1);
  Reader next;
  EXPECT_EQ(next.space.reserve(queue, 1), Reservation::waiting);
  run();
  EXPECT_EQ(next.changes, 1);
}

TEST_F(RequestQueueTest, ReleasesSpaceThatIsCancelled) {
  options.max_queue_bytes = 5'000;
  const auto queue = queue_of(2, 1 << 20);
  {
    Reader granted, waits_for_memory, waits_for_queue;
    EXPECT_EQ(granted.space.reserve(queue, 3'000), Reservation::granted);
    EXPECT_EQ(waits_for_memory.space.reserve(queue, 3'000), Reservation::waiting);
    EXPECT_EQ(waits_for_queue.space.reserve(queue, 3'000), Reservation::waiting);
    EXPECT_EQ(queue->requests(), 2u);
  }
  EXPECT_EQ(queue->requests(), 0u);
  EXPECT_EQ(all->bytes(), 0u);
}

TEST_F(RequestQueueTest, ServesWhatItHasWhenItIsClosed) {
  const auto queue = queue_of(1, 1000);
  put(queue, 1, 1);
  Reader waiting, late;
  EXPECT_EQ(waiting.space.reserve(queue, 1), Reservation::waiting);
  queue->close();
  EXPECT_EQ(waiting.changes, 1);
  EXPECT_EQ(waiting.space.reserve(queue, 1), Reservation::closed);
  EXPECT_EQ(late.space.reserve(queue, 1), Reservation::closed);
  run();
  EXPECT_THAT(served, ElementsAre(1));
  EXPECT_EQ(queue.use_count(), 1) << "the reactor has not removed it";
}

TEST_F(RequestQueueTest, KeepsAHeldRequestFirst) {
  const auto queue = queue_of(10, 1000);
  held = true;
  put(queue, 1, 1);
  put(queue, 1, 2);
  run();
  EXPECT_TRUE(served.empty());
  EXPECT_EQ(queue->requests(), 2u);
  held = false;
  reactor.resume_all();
  run();
  EXPECT_THAT(served, ElementsAre(1, 2));
}

TEST_F(RequestQueueTest, ServesItsRequestsWhenTheReactorStops) {
  const auto queue = queue_of(10, 1000);
  for (const int number : {1, 2, 3}) put(queue, 1, number);
  reactor.stop(platform::Deadline{0});
  EXPECT_FALSE(reactor.step(platform::Deadline{0}));
  reactor.finish();
  EXPECT_THAT(served, ElementsAre(1, 2, 3));
}

TEST_F(RequestQueueTest, DiscardsHeldRequestsWhenTheReactorStops) {
  const auto queue = queue_of(10, 1000);
  held = true;
  for (const int number : {1, 2}) put(queue, 1, number);
  reactor.stop(platform::Deadline{0});
  reactor.finish();
  EXPECT_TRUE(served.empty());
  EXPECT_EQ(all->bytes(), 0u);
}

TEST_F(RequestQueueTest, HasAThreadWithoutAReactor) {
  const auto threaded = std::make_shared<RequestQueues>(options, nullptr);
  const auto queue = threaded->make({10, 1000});
  for (const int number : {1, 2, 3}) put(queue, 1, number);
  EXPECT_TRUE(becomes_true([&] { return queue->requests() == 0; }));
  EXPECT_THAT(served, ElementsAre(1, 2, 3));
  threaded->stop();
}

TEST_F(RequestQueueTest, IsServedByItsThreadBeforeTheStopReturns) {
  const auto threaded = std::make_shared<RequestQueues>(options, nullptr);
  const auto queue = threaded->make({1000, 1 << 20});
  Numbers expected;
  for (int number = 0; number < 500; ++number) {
    expected.push_back(number);
    put(queue, 1, number);
  }
  threaded->stop();
  EXPECT_EQ(served, expected);
  put(queue, 1, 500);  // by this thread
  expected.push_back(500);
  EXPECT_EQ(served, expected);
}

TEST_F(RequestQueueTest, IsServedByOneThreadIfNoneCanBeStarted) {
  const auto threaded = std::make_shared<RequestQueues>(options, nullptr, 0);
  const auto queue = threaded->make({10, 1000});
  Stop stop;
  std::thread connection([&] { put_waiting(queue, stop, 1); });
  stop.reached.acquire();
  put(queue, 1, 2);
  EXPECT_TRUE(served.empty()) << "two threads served one queue";
  EXPECT_EQ(queue->requests(), 2u);
  stop.passed.release();
  connection.join();
  EXPECT_THAT(served, ElementsAre(1, 2));
}

TEST_F(RequestQueueTest, HasNoThreadBeyondTheLimit) {
  const auto threaded = std::make_shared<RequestQueues>(options, nullptr, 1);
  const auto first = threaded->make({10, 1000}), second = threaded->make({10, 1000});
  Stop stop;
  put_waiting(first, stop, 1);
  stop.reached.acquire();
  put(second, 1, 2);
  EXPECT_THAT(served, ElementsAre(2)) << "not served by this thread";
  stop.passed.release();
  threaded->stop();
  EXPECT_THAT(served, ElementsAre(2, 1));
}

TEST_F(RequestQueueTest, NeedsNoThreadThatHasEnded) {
  const auto threaded = std::make_shared<RequestQueues>(options, nullptr);
  const auto ending = threaded->make({10, 1000}), other = threaded->make({10, 1000});
  Stop stop;
  Reader reader;
  ASSERT_EQ(reader.space.reserve(ending, 1), Reservation::granted);
  reader.space.put(std::make_unique<AtThreadEnd>([&] {
    stop.wait();
    EXPECT_EQ(ending->requests(), 0u);  // takes the lock of the queues
  }));
  ending->close();
  stop.reached.acquire();
  put(other, 1, 1);
  other->close();
  EXPECT_TRUE(becomes_true([&] { return other->requests() == 0; }));
  stop.passed.release();
  threaded->stop();
  EXPECT_THAT(served, ElementsAre(1));
}

TEST_F(RequestQueueTest, MayShareATurnWithOthers) {
  const auto turn = std::make_shared<RequestQueue::SharedTurn>();
  std::vector<std::shared_ptr<RequestQueue>> queues;
  for (int i = 0; i < 3; ++i) queues.push_back(all->make({10, 1000}, turn));
  run();
  Stop stop;
  put_waiting(queues[0], stop, 1);
  std::thread first([&] { reactor.step(platform::Deadline{0}); });
  stop.reached.acquire();
  for (const int number : {2, 3}) put(queues[static_cast<std::size_t>(number) - 1], 1, number);
  put(queues[0], 1, 4);
  run();
  EXPECT_TRUE(served.empty()) << "served during the turn of another queue";
  queues[1]->close();
  run();
  stop.passed.release();
  first.join();
  run();
  EXPECT_THAT(served, ::testing::UnorderedElementsAre(1, 2, 3, 4));
  EXPECT_EQ(queues[1].use_count(), 1) << "the reactor has not removed it";
}

TEST_F(RequestQueueTest, HasNoSpaceIfItIsMadeAfterTheStop) {
  reactor.stop(platform::Deadline{0});
  const auto queue = queue_of(10, 1000);
  {
    Reader reader;
    EXPECT_EQ(reader.space.reserve(queue, 1), Reservation::waiting);
  }
  reactor.finish();
  EXPECT_EQ(queue.use_count(), 1);
}

TEST_F(RequestQueueTest, IsRemovedWhenSpaceIsCancelledAfterItsEnd) {
  const auto queue = queue_of(10, 1000);
  Reader reader;
  EXPECT_EQ(reader.space.reserve(queue, 1), Reservation::granted);
  queue->close();
  run();
  reader.space.cancel();
  run();
  EXPECT_EQ(queue.use_count(), 1) << "the reactor has not removed it";
}

}  // namespace
}  // namespace orbweaver::orb
