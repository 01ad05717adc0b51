// The input ports of pipelines: order, back-pressure, exceptions of the function, and shutdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/streams/ordered_port.h>
#include <orbweaver/streams/stamped_port.h>
#include <orbweaver/streams/threaded_port.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/testing/becomes_true.h"

namespace orbweaver::streams {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kNever_ms = std::numeric_limits<std::int64_t>::max();

/// A function of a port that records its packets. While `gate` is closed, it waits in the first packet.
struct Recorder {
  std::promise<void> gate;
  std::atomic<int> entered{0};
  std::vector<std::uint32_t> packets;

  auto function() {
    return [this](std::uint32_t& packet) {
      ++entered;
      packets.push_back(packet);
    };
  }
  auto gated_function() {
    return [this, open = gate.get_future().share()](std::uint32_t& packet) {
      ++entered;
      open.wait();
      packets.push_back(packet);
    };
  }
  bool has_entered(int count) {
    return becomes_true([&] { return entered >= count; });
  }
};

using Threaded = ThreadedPort<std::uint32_t>;
using Stamped = StampedPort<std::uint32_t>;
using Ordered = OrderedPort<std::uint32_t>;

TEST(ThreadedPort, ProcessesPacketsInOrderInItsOwnThread) {
  std::vector<std::uint32_t> packets;
  std::thread::id thread;
  Threaded port("port", {4}, [&](std::uint32_t& packet) {
    packets.push_back(packet);
    thread = std::this_thread::get_id();
  });
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(port.push(i, 1));
  port.finish();
  ASSERT_EQ(packets.size(), 100);
  EXPECT_TRUE(std::is_sorted(packets.begin(), packets.end()));
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_LE(port.queue_counts().high_water_packets, 4);
}

TEST(ThreadedPort, BlocksTheSenderWhileItsQueueIsFull) {
  Recorder recorder;
  Threaded port("port", {1}, recorder.gated_function());
  ASSERT_TRUE(port.push(0, 1));
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_TRUE(port.push(1, 1));
  std::thread sender([&] { EXPECT_TRUE(port.push(2, 1)); });
  EXPECT_TRUE(becomes_true([&] { return port.queue_counts().blocked == 1; }));
  EXPECT_EQ(port.queue_counts().packets, 1);
  recorder.gate.set_value();
  sender.join();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, 2));
}

TEST(ThreadedPort, LimitsTheBytesInItsQueue) {
  Recorder recorder;
  QueueLimits limits;
  limits.bytes = 10;
  limits.when_full = WhenFull::drop_newest;
  Threaded port("port", limits, recorder.gated_function());
  EXPECT_FALSE(port.push(0, 11));
  EXPECT_TRUE(port.push(1, 10));
  ASSERT_TRUE(recorder.has_entered(1));
  EXPECT_TRUE(port.push(2, 6));
  EXPECT_FALSE(port.push(3, 5));
  recorder.gate.set_value();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(1, 2));
}

TEST(ThreadedPort, CountsExceptionsOfItsFunctionAndContinues) {
  std::vector<std::uint32_t> packets;
  Threaded port("port", {}, [&](std::uint32_t& packet) {
    if (packet == 1) throw std::runtime_error("no carrier");
    if (packet == 2) throw 2;
    packets.push_back(packet);
  });
  for (std::uint32_t i = 0; i < 4; ++i) ASSERT_TRUE(port.push(i, 1));
  port.finish();
  EXPECT_THAT(packets, ElementsAre(0, 3));
  EXPECT_EQ(port.counts().processed, 4);
  EXPECT_EQ(port.counts().failed, 2);
}

TEST(ThreadedPort, DiscardsQueuedPacketsOnStop) {
  Recorder recorder;
  Threaded port("port", {}, recorder.gated_function());
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(port.push(i, 1));
  ASSERT_TRUE(recorder.has_entered(1));
  std::thread stopper([&] { port.stop(); });
  EXPECT_TRUE(becomes_true([&] { return port.queue_counts().discarded == 9; }));
  recorder.gate.set_value();
  stopper.join();
  EXPECT_THAT(recorder.packets, ElementsAre(0));
  EXPECT_FALSE(port.push(11, 1));
}

TEST(ThreadedPort, ReleasesAWaitingSenderOnClose) {
  Recorder recorder;
  Threaded port("port", {1}, recorder.gated_function());
  ASSERT_TRUE(port.push(0, 1));
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_TRUE(port.push(1, 1));
  std::thread sender([&] { EXPECT_FALSE(port.push(2, 1)); });
  EXPECT_TRUE(becomes_true([&] { return port.queue_counts().blocked == 1; }));
  port.close();
  sender.join();
  recorder.gate.set_value();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1));
}

TEST(StampedPort, ProcessesPacketsInTheOrderOfTheirNumbers) {
  Recorder recorder;
  Stamped port("port", {8, kNever_ms, 0}, recorder.function());
  for (const std::uint32_t number : {2u, 1u, 0u, 4u, 3u}) ASSERT_TRUE(port.push(number, number));
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(port.arrivals().reordered, 3);
  EXPECT_EQ(port.buffer_counts().skipped, 0);
}

TEST(StampedPort, RestoresTheOrderOfPacketsOfSeveralThreads) {
  constexpr std::uint32_t kPackets = 5000;
  Recorder recorder;
  Stamped port("port", {4, kNever_ms, 0}, recorder.function());
  std::atomic<std::uint32_t> next{0};
  std::vector<std::thread> senders;
  for (int i = 0; i < 6; ++i) {  // more threads than places: some wait in push()
    senders.emplace_back([&] {
      for (std::uint32_t number = next++; number < kPackets; number = next++) {
        EXPECT_TRUE(port.push(number, number));
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
  port.finish();
  ASSERT_EQ(recorder.packets.size(), kPackets);
  EXPECT_TRUE(std::is_sorted(recorder.packets.begin(), recorder.packets.end()));
  EXPECT_EQ(port.arrivals().received, kPackets);
  EXPECT_EQ(port.buffer_counts().late, 0);
}

TEST(StampedPort, AdmitsAWaitingPacketThatHasBecomeTheNextOne) {
  Recorder recorder;
  std::counting_semaphore<32> steps(0);
  Stamped port("port", {8, kNever_ms, 0}, [&](std::uint32_t& packet) {
    ++recorder.entered;
    steps.acquire();
    recorder.packets.push_back(packet);
  });
  ASSERT_TRUE(port.push(0, 0));
  ASSERT_TRUE(recorder.has_entered(1));
  for (std::uint32_t number = 1; number <= 8; ++number) ASSERT_TRUE(port.push(number, number));
  std::thread sender([&] { EXPECT_TRUE(port.push(9, 9)); });
  EXPECT_TRUE(becomes_true([&] { return port.arrivals().received == 10; }));
  // Packet 9 waits. The buffer stays more than half full until 9 is the missing packet.
  for (std::uint32_t number = 1; number <= 8; ++number) {
    steps.release();
    EXPECT_TRUE(recorder.has_entered(static_cast<int>(number) + 1));
    if (number > 1) {
      EXPECT_TRUE(port.push(number + 8, number + 8));
    }
  }
  steps.release(9);
  EXPECT_TRUE(recorder.has_entered(17));
  port.close();
  sender.join();
  port.finish();
  EXPECT_EQ(recorder.packets.size(), 17);
  EXPECT_TRUE(std::is_sorted(recorder.packets.begin(), recorder.packets.end()));
}

TEST(StampedPort, SkipsAMissingPacketAfterTheTimeout) {
  Recorder recorder;
  Stamped port("port", {8, 0, 0}, recorder.function());
  ASSERT_TRUE(port.push(1, 1));
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_TRUE(port.push(0, 0));
  ASSERT_TRUE(port.push(2, 2));
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(1, 2));
  EXPECT_EQ(port.buffer_counts().skipped, 1);
  EXPECT_EQ(port.buffer_counts().late, 1);
}

TEST(StampedPort, SkipsToAPacketBeyondItsBuffer) {
  Recorder recorder;
  Stamped port("port", {2, 1, 0}, recorder.function());
  ASSERT_TRUE(port.push(0, 0));
  ASSERT_TRUE(becomes_true([&] { return port.counts().processed == 1; }));
  ASSERT_TRUE(port.push(100, 100)) << "waits until the missing packets are skipped";
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 100));
  EXPECT_EQ(port.buffer_counts().skipped, 99);
}

TEST(StampedPort, ContinuesAfterAJumpOfHalfTheNumbers) {
  constexpr std::uint32_t kHalf = 1u << 31;
  Recorder recorder;
  Stamped port("port", {8, kNever_ms, 0}, recorder.function());
  for (const std::uint32_t number : {0u, 1u, kHalf + 1, kHalf + 2, 2u, 2u})
    ASSERT_TRUE(port.push(number, number));
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, kHalf + 1, kHalf + 2, 2));
  EXPECT_EQ(port.buffer_counts().jumps, 2);
  EXPECT_EQ(port.buffer_counts().duplicates + port.buffer_counts().late, 1);
}

TEST(StampedPort, DeliversStoredPacketsOnFinishAndDiscardsThemOnStop) {
  Recorder finished, stopped;
  Stamped finishing("port", {8, kNever_ms, 0}, finished.function());
  Stamped stopping("port", {8, kNever_ms, 0}, stopped.function());
  for (const std::uint32_t number : {2u, 4u}) {
    ASSERT_TRUE(finishing.push(number, number));
    ASSERT_TRUE(stopping.push(number, number));
  }
  finishing.finish();
  stopping.stop();
  EXPECT_THAT(finished.packets, ElementsAre(2, 4));
  EXPECT_THAT(stopped.packets, IsEmpty());
  EXPECT_FALSE(finishing.push(5, 5));
}

TEST(StampedPort, ReleasesAWaitingSenderOnClose) {
  Recorder recorder;
  Stamped port("port", {2, kNever_ms, 0}, recorder.function());
  std::thread sender([&] { EXPECT_FALSE(port.push(7, 7)); });
  EXPECT_TRUE(becomes_true([&] { return port.arrivals().received == 1; }));
  port.close();
  sender.join();
  port.finish();
  EXPECT_THAT(recorder.packets, IsEmpty());
}

TEST(StampedPort, CountsExceptionsOfItsFunctionAndContinues) {
  Stamped port("port", {}, [](std::uint32_t& packet) {
    if (packet % 2 == 0) throw std::runtime_error("no carrier");
  });
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(port.push(i, i));
  port.finish();
  EXPECT_EQ(port.counts().processed, 5);
  EXPECT_EQ(port.counts().failed, 3);
}

TEST(OrderedPort, ProcessesPacketsInTheThreadOfTheirUpcall) {
  Recorder recorder;
  Ordered port("port", recorder.function());
  for (const std::uint32_t number : {0u, 2u, 1u, 1u}) {
    ASSERT_TRUE(port.push(number, number));
    EXPECT_EQ(recorder.packets.back(), number);
  }
  EXPECT_EQ(port.arrivals().reordered, 1);
  EXPECT_EQ(port.arrivals().duplicates, 1);
}

TEST(OrderedPort, ProcessesOnePacketAtATimeAndRefusesOthersAfterFinish) {
  std::atomic<int> inside{0};
  int most = 0;
  Ordered port("port", [&](std::uint32_t& packet) {
    const int now = ++inside;
    most = std::max(most, now);
    std::this_thread::yield();  // lets another thread in
    --inside;
    if (packet == 7) throw std::runtime_error("no carrier");
  });
  std::vector<std::thread> senders;
  for (int i = 0; i < 4; ++i) {
    senders.emplace_back([&] {
      for (std::uint32_t number = 0; number < 50; ++number) EXPECT_TRUE(port.push(number, number));
    });
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(port.counts().processed, 200);
  EXPECT_EQ(port.counts().failed, 4);
  port.finish();
  EXPECT_FALSE(port.push(0, 0));
}

}  // namespace
}  // namespace orbweaver::streams
