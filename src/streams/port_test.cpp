// The input ports of pipelines: order, back-pressure, exceptions of the function, and shutdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/streams/queued_port.h>
#include <orbweaver/streams/reordering_port.h>
#include <orbweaver/streams/upcall_port.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
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
using testing::Recorder;

using Queued = QueuedPort<std::uint32_t>;
using Reordering = ReorderingPort<std::uint32_t>;
using Upcall = UpcallPort<std::uint32_t>;

TEST(QueuedPort, ProcessesPacketsInOrderInItsOwnThread) {
  std::vector<std::uint32_t> packets;
  std::thread::id thread;
  Queued port("port", {4}, [&](std::uint32_t& packet) {
    packets.push_back(packet);
    thread = std::this_thread::get_id();
  });
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_EQ(port.push(i, 1), PushResult::accepted);
  port.finish();
  ASSERT_EQ(packets.size(), 100);
  EXPECT_TRUE(std::is_sorted(packets.begin(), packets.end()));
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_LE(port.queue_counts().peak_packets, 4);
}

TEST(QueuedPort, BlocksTheSenderWhileItsQueueIsFull) {
  Recorder recorder;
  Queued port("port", {1}, recorder.gated_function());
  ASSERT_EQ(port.push(0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_EQ(port.push(1, 1), PushResult::accepted);
  std::thread sender([&] { EXPECT_EQ(port.push(2, 1), PushResult::accepted); });
  EXPECT_TRUE(becomes_true([&] { return port.queue_counts().waited == 1; }));
  EXPECT_EQ(port.queue_counts().packets, 1);
  recorder.gate.set_value();
  sender.join();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1, 2));
}

TEST(QueuedPort, LimitsTheBytesInItsQueue) {
  Recorder recorder;
  QueueLimits limits;
  limits.bytes = 10;
  limits.when_full = WhenFull::drop_newest;
  Queued port("port", limits, recorder.gated_function());
  EXPECT_EQ(port.push(0, 11), PushResult::too_large);
  EXPECT_EQ(port.push(1, 10), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  EXPECT_EQ(port.push(2, 6), PushResult::accepted);
  EXPECT_EQ(port.push(3, 5), PushResult::dropped);
  recorder.gate.set_value();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(1, 2));
}

TEST(QueuedPort, CountsExceptionsOfItsFunctionAndContinues) {
  std::vector<std::uint32_t> packets;
  Queued port("port", {}, [&](std::uint32_t& packet) {
    if (packet == 1) throw std::runtime_error("no carrier");
    if (packet == 2) throw 2;
    packets.push_back(packet);
  });
  for (std::uint32_t i = 0; i < 4; ++i) ASSERT_EQ(port.push(i, 1), PushResult::accepted);
  port.finish();
  EXPECT_THAT(packets, ElementsAre(0, 3));
  EXPECT_EQ(port.counts().processed, 4);
  EXPECT_EQ(port.counts().failed, 2);
}

TEST(QueuedPort, DiscardsQueuedPacketsOnStop) {
  Recorder recorder;
  Queued port("port", {}, recorder.gated_function());
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_EQ(port.push(i, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  std::thread stopper([&] { port.stop(); });
  EXPECT_TRUE(becomes_true([&] { return port.queue_counts().discarded == 9; }));
  recorder.gate.set_value();
  stopper.join();
  EXPECT_THAT(recorder.packets, ElementsAre(0));
  EXPECT_EQ(port.push(11, 1), PushResult::closed);
}

TEST(QueuedPort, ReleasesAWaitingSenderOnClose) {
  Recorder recorder;
  Queued port("port", {1}, recorder.gated_function());
  ASSERT_EQ(port.push(0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_EQ(port.push(1, 1), PushResult::accepted);
  std::thread sender([&] { EXPECT_EQ(port.push(2, 1), PushResult::closed); });
  EXPECT_TRUE(becomes_true([&] { return port.queue_counts().waited == 1; }));
  port.close();
  sender.join();
  recorder.gate.set_value();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1));
}

TEST(UpcallPort, ProcessesPacketsInTheThreadOfTheirUpcall) {
  Recorder recorder;
  Upcall port("port", recorder.function());
  for (const std::uint32_t number : {0u, 2u, 1u, 1u}) {
    ASSERT_EQ(port.push(number, number), PushResult::accepted);
    EXPECT_EQ(recorder.packets.back(), number);
  }
  EXPECT_EQ(port.arrivals().reordered, 1);
  EXPECT_EQ(port.arrivals().duplicates, 1);
}

TEST(UpcallPort, ProcessesOnePacketAtATimeAndRefusesOthersAfterFinish) {
  std::atomic<int> inside{0};
  int most = 0;
  Upcall port("port", [&](std::uint32_t& packet) {
    const int now = ++inside;
    most = std::max(most, now);
    std::this_thread::yield();  // lets another thread in
    --inside;
    if (packet == 7) throw std::runtime_error("no carrier");
  });
  std::vector<std::thread> senders;
  for (int i = 0; i < 4; ++i) {
    senders.emplace_back([&] {
      for (std::uint32_t number = 0; number < 50; ++number)
        EXPECT_EQ(port.push(number, number), PushResult::accepted);
    });
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(port.counts().processed, 200);
  EXPECT_EQ(port.counts().failed, 4);
  port.finish();
  EXPECT_EQ(port.push(0, 0), PushResult::closed);
}

TEST(UpcallPort, ReleasesAWaitingSenderOnCloseAndAtItsDeadline) {
  Recorder recorder;
  Upcall port("port", recorder.gated_function());
  std::thread first([&] { EXPECT_EQ(port.push(0, 0), PushResult::accepted); });
  ASSERT_TRUE(recorder.has_entered(1));
  EXPECT_EQ(port.push(1, 1, Deadline{0}), PushResult::timed_out);
  EXPECT_EQ(port.push(1, 1, Deadline::in_ms(1)), PushResult::timed_out);
  WaitingThread second([&] { EXPECT_EQ(port.push(2, 2), PushResult::closed); });
  ASSERT_TRUE(second.waits());
  port.close();
  second.join();
  WaitingThread finisher([&] { port.finish(); });
  EXPECT_TRUE(finisher.waits()) << "for the packet being processed";
  recorder.gate.set_value();
  finisher.join();
  first.join();
  EXPECT_THAT(recorder.packets, ElementsAre(0));
}

TEST(QueuedPort, ReturnsAtTheDeadlineOfItsSender) {
  Recorder recorder;
  Queued port("port", {1}, recorder.gated_function());
  ASSERT_EQ(port.push(0, 1), PushResult::accepted);
  ASSERT_TRUE(recorder.has_entered(1));
  ASSERT_EQ(port.push(1, 1), PushResult::accepted);
  EXPECT_EQ(port.push(2, 1, Deadline::in_ms(1)), PushResult::timed_out);
  recorder.gate.set_value();
  port.finish();
  EXPECT_THAT(recorder.packets, ElementsAre(0, 1));
}

TEST(Ports, RejectEmptyFunctionsAndLimitsOfZero) {
  const auto ignore = [](std::uint32_t&) {};
  EXPECT_THROW(Queued("port", {}, std::function<void(std::uint32_t&)>()), std::invalid_argument);
  EXPECT_THROW(Reordering("port", {}, std::function<void(std::uint32_t&)>()), std::invalid_argument);
  EXPECT_THROW(Upcall("port", std::function<void(std::uint32_t&)>()), std::invalid_argument);
  EXPECT_THROW(Queued("port", {0}, ignore), std::invalid_argument);
  EXPECT_THROW(Reordering("port", ReorderOptions{0}, ignore), std::invalid_argument);
}

TEST(Ports, AcceptFunctionsThatCannotBeCopied) {
  int sum = 0;
  Upcall port("port", [&sum, factor = std::make_unique<int>(3)](std::uint32_t& packet) {
    sum += *factor * static_cast<int>(packet);
  });
  EXPECT_EQ(port.push(0, 5), PushResult::accepted);
  EXPECT_EQ(sum, 15);
}

}  // namespace
}  // namespace orbweaver::streams
