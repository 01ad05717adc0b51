// The input port with a reorder buffer: order, back-pressure, missing packets and shutdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/streams/reordering_port.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "streams/testing/recorder.h"

namespace orbweaver::streams {
namespace {

using platform::testing::becomes_true;
using platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Recorder;

using Reordering = ReorderingPort<std::uint32_t>;

/// Options of a port that waits for missing packets without limit, or for the time given.
ReorderOptions port_options(std::size_t packets,
                            std::optional<std::chrono::milliseconds> skip_after = std::nullopt) {
  return {packets, kUnlimited, skip_after};
}

TEST(ReorderingPort, ProcessesPacketsInTheOrderOfTheirNumbers) {
  Recorder recorder;
  Reordering port("port", port_options(8), recorder.function());
  for (const std::uint32_t number : {2u, 1u, 0u, 4u, 3u})
    ASSERT_EQ(port.push(number, number, 1), PushResult::accepted);
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(port.arrivals().reordered, 3);
  EXPECT_EQ(port.buffer_counts().skipped, 0);
}

TEST(ReorderingPort, RestoresTheOrderOfPacketsOfSeveralThreads) {
  constexpr std::uint32_t kPackets = 5000;
  Recorder recorder;
  Reordering port("port", port_options(4), recorder.function());
  std::atomic<std::uint32_t> next{0};
  std::vector<std::thread> senders;
  for (int i = 0; i < 6; ++i) {  // more threads than slots: some wait in push()
    senders.emplace_back([&] {
      for (std::uint32_t number = next++; number < kPackets; number = next++) {
        EXPECT_EQ(port.push(number, number, 1), PushResult::accepted);
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

TEST(ReorderingPort, AdmitsAWaitingPacketThatHasBecomeTheNextOne) {
  Recorder recorder;
  std::counting_semaphore<32> steps(0);
  Reordering port("port", port_options(8), [&](std::uint32_t& packet) {
    ++recorder.entered;
    steps.acquire();
    recorder.packets.push_back(packet);
  });
  ASSERT_EQ(port.push(0, 0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  for (std::uint32_t number = 1; number <= 8; ++number)
    ASSERT_EQ(port.push(number, number, 1), PushResult::accepted);
  std::thread sender([&] { EXPECT_EQ(port.push(9, 9, 1), PushResult::accepted); });
  EXPECT_TRUE(becomes_true([&] { return port.arrivals().received == 10; }));
  // Packet 9 waits. The buffer stays more than half full until 9 is the missing packet.
  for (std::uint32_t number = 1; number <= 8; ++number) {
    steps.release();
    EXPECT_TRUE(recorder.has_entered(static_cast<int>(number) + 1));
    if (number > 1) {
      EXPECT_EQ(port.push(number + 8, number + 8, 1), PushResult::accepted);
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

TEST(ReorderingPort, SkipsAMissingPacketAfterTheTimeout) {
  Recorder recorder;
  Reordering port("port", port_options(8, std::chrono::milliseconds(0)), recorder.function());
  ASSERT_EQ(port.push(1, 1, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_EQ(port.push(0, 0, 1), PushResult::dropped);
  ASSERT_EQ(port.push(2, 2, 1), PushResult::accepted);
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(1, 2));
  EXPECT_EQ(port.buffer_counts().skipped, 1);
  EXPECT_EQ(port.buffer_counts().late, 1);
}

TEST(ReorderingPort, SkipsToAPacketBeyondItsBuffer) {
  Recorder recorder;
  Reordering port("port", port_options(2, std::chrono::milliseconds(1)), recorder.function());
  ASSERT_EQ(port.push(0, 0, 1), PushResult::accepted);
  ASSERT_TRUE(becomes_true([&] { return port.counts().processed == 1; }));
  ASSERT_EQ(port.push(100, 100, 1), PushResult::accepted) << "waits until the missing packets are skipped";
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 100));
  EXPECT_EQ(port.buffer_counts().skipped, 99);
}

TEST(ReorderingPort, ContinuesAfterAJumpOfHalfTheNumbers) {
  constexpr std::uint32_t kHalf = 1u << 31;
  Recorder recorder;
  Reordering port("port", port_options(8), recorder.function());
  for (const std::uint32_t number : {0u, 1u, kHalf + 1, kHalf + 2, 2u})
    ASSERT_EQ(port.push(number, number, 1), PushResult::accepted);
  ASSERT_EQ(port.push(2, 2, 1), PushResult::dropped);
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, kHalf + 1, kHalf + 2, 2));
  EXPECT_EQ(port.buffer_counts().jumps, 2);
  EXPECT_EQ(port.buffer_counts().duplicates + port.buffer_counts().late, 1);
}

TEST(ReorderingPort, DeliversStoredPacketsOnFinishAndDiscardsThemOnStop) {
  Recorder finished, stopped;
  Reordering finishing("port", port_options(8), finished.function());
  Reordering stopping("port", port_options(8), stopped.function());
  for (const std::uint32_t number : {2u, 4u}) {
    ASSERT_EQ(finishing.push(number, number, 1), PushResult::accepted);
    ASSERT_EQ(stopping.push(number, number, 1), PushResult::accepted);
  }
  finishing.finish();
  stopping.stop();
  EXPECT_THAT(finished.packets, ElementsAre(2, 4));
  EXPECT_THAT(stopped.packets, IsEmpty());
  EXPECT_EQ(finishing.push(5, 5, 1), PushResult::closed);
}

TEST(ReorderingPort, ReleasesStoredPacketsOnStop) {
  const auto sample = std::make_shared<int>();
  ReorderingPort<std::shared_ptr<int>> port("port", port_options(8), [](std::shared_ptr<int>&) {});
  for (const std::uint32_t number : {2u, 4u}) ASSERT_EQ(port.push(number, sample, 1), PushResult::accepted);
  port.stop();
  EXPECT_EQ(sample.use_count(), 1);
  EXPECT_EQ(port.buffer_counts().discarded, 2u);
  EXPECT_EQ(port.buffer_counts().packets, 0u);
}

TEST(ReorderingPort, ProcessesWaitingPacketsBeforeAJump) {
  constexpr std::uint32_t kJump = 1u << 20;
  Recorder recorder;
  Reordering port("port", port_options(2), recorder.gated_function());
  ASSERT_EQ(port.push(0, 0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  for (const std::uint32_t number : {1u, 2u}) ASSERT_EQ(port.push(number, number, 1), PushResult::accepted);
  std::vector<std::unique_ptr<WaitingThread>> senders;
  for (const std::uint32_t number : {kJump, 4u, 3u}) {
    senders.push_back(std::make_unique<WaitingThread>(
        [&port, number] { EXPECT_EQ(port.push(number, number, 1), PushResult::accepted); }));
    ASSERT_TRUE(senders.back()->waits());
  }
  recorder.gate.set_value();
  senders.clear();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, 2, 3, 4, kJump));
  EXPECT_EQ(port.buffer_counts().jumps, 1u);
  EXPECT_EQ(port.buffer_counts().late + port.buffer_counts().skipped, 0u);
}

TEST(ReorderingPort, ReleasesAWaitingSenderOnClose) {
  Recorder recorder;
  Reordering port("port", port_options(2), recorder.function());
  std::thread sender([&] { EXPECT_EQ(port.push(7, 7, 1), PushResult::closed); });
  EXPECT_TRUE(becomes_true([&] { return port.arrivals().received == 1; }));
  port.close();
  sender.join();
  port.finish();
  EXPECT_THAT(recorder.packets, IsEmpty());
}

TEST(ReorderingPort, CountsExceptionsOfItsFunctionAndContinues) {
  Reordering port("port", {}, [](std::uint32_t& packet) {
    if (packet % 2 == 0) throw std::runtime_error("no carrier");
  });
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_EQ(port.push(i, i, 1), PushResult::accepted);
  port.finish();
  EXPECT_EQ(port.counts().processed, 5);
  EXPECT_EQ(port.counts().failed, 3);
}

TEST(ReorderingPort, BlocksTheSenderOfBytesBeyondItsLimit) {
  Recorder recorder;
  Reordering port("port", ReorderOptions{8, 100, std::nullopt}, recorder.function());
  EXPECT_EQ(port.push(1, 1, 101), PushResult::too_large);
  ASSERT_EQ(port.push(2, 2, 60), PushResult::accepted);
  WaitingThread sender([&] { EXPECT_EQ(port.push(1, 1, 41), PushResult::accepted); });
  ASSERT_TRUE(sender.waits());
  EXPECT_EQ(port.buffer_counts().bytes, 60);
  ASSERT_EQ(port.push(0, 0, 100), PushResult::accepted) << "the missing packet";
  sender.join();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, 2));
  EXPECT_LE(port.buffer_counts().peak_bytes, 200);
}

TEST(ReorderingPort, DoesNotSkipPacketsThatWaitForSpace) {
  Recorder recorder;
  // Without a time for missing packets: numbers 0 to 2 are skipped, 3 and 4 have arrived.
  Reordering port("port", ReorderOptions{8, 100, std::chrono::milliseconds(0)}, recorder.gated_function());
  ASSERT_EQ(port.push(0, 0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_EQ(port.push(5, 5, 100), PushResult::accepted);
  WaitingThread fourth([&] { EXPECT_EQ(port.push(4, 4, 50), PushResult::accepted); });
  WaitingThread third([&] { EXPECT_EQ(port.push(3, 3, 50), PushResult::accepted); });
  ASSERT_TRUE(fourth.waits());
  ASSERT_TRUE(third.waits());
  recorder.gate.set_value();
  fourth.join();
  third.join();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 3, 4, 5));
  EXPECT_EQ(port.buffer_counts().skipped, 2);
  EXPECT_EQ(port.buffer_counts().late, 0);
}

TEST(ReorderingPort, ForgetsThePacketOfASenderThatReachesItsDeadline) {
  Recorder recorder;
  Reordering port("port", port_options(2, std::chrono::milliseconds(0)), recorder.gated_function());
  ASSERT_EQ(port.push(0, 0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  EXPECT_EQ(port.push(100, 100, 1, Deadline{0}), PushResult::timed_out);
  recorder.gate.set_value();
  ASSERT_TRUE(becomes_true([&] { return port.counts().processed == 1; }));
  ASSERT_EQ(port.push(1, 1, 1), PushResult::accepted) << "not skipped for the sake of packet 100";
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1));
  EXPECT_EQ(port.buffer_counts().skipped, 0);
}

TEST(ReorderingPort, CountsNumbersThatRunBackwardsRepeatOrJumpExactly) {
  constexpr std::uint32_t kHalf = 1u << 31;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = 100; n > 0; --n) numbers.push_back(n);  // backwards
  for (int i = 0; i < 100; ++i) numbers.push_back(100);          // repeated
  for (std::uint32_t n = 0; n < 100; ++n) numbers.push_back(n % 2 == 0 ? n : n + kHalf);
  const auto sample = std::make_shared<int>();
  std::atomic<std::uint64_t> processed{0}, orderly{0};
  {
    ReorderingPort<std::shared_ptr<int>> port("port", port_options(8, std::chrono::milliseconds(0)),
                                              [&](std::shared_ptr<int>&) { ++processed; });
    Reordering other("other", port_options(8), [&](std::uint32_t& packet) {
      EXPECT_EQ(packet, orderly);
      ++orderly;
    });
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const PushResult result = port.push(numbers[i], sample, 1);
      EXPECT_TRUE(result == PushResult::accepted || result == PushResult::dropped);
      EXPECT_EQ(other.push(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i), 1),
                PushResult::accepted);
    }
    port.finish();
    other.finish();
    const ReorderCounts counts = port.buffer_counts();
    EXPECT_EQ(counts.stored + counts.duplicates + counts.late, numbers.size());
    EXPECT_EQ(counts.delivered, counts.stored);
    EXPECT_EQ(processed, counts.stored);
    EXPECT_GE(counts.duplicates + counts.late, 100u) << "the repetitions";
    EXPECT_GE(counts.jumps, 99u);
    EXPECT_EQ(port.arrivals().received, numbers.size());
    EXPECT_EQ(counts.packets + counts.bytes, 0u);
    EXPECT_EQ(sample.use_count(), 1) << "no packet is kept";
  }
  EXPECT_EQ(orderly, numbers.size());
}

}  // namespace
}  // namespace orbweaver::streams
