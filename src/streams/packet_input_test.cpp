#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <orbweaver/streams/packet_input.h>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"

namespace orbweaver::streams {
namespace {

using platform::testing::becomes_true;
using platform::testing::kHangTimeout;
using platform::testing::WaitingThread;

using Input = PacketInput<std::uint16_t>;
constexpr Deadline kPast{0};

/// At most 4 packets of at most 10 numbers of two bytes.
PacketInputOptions options(WhenFull when_full = WhenFull::reject) {
  return {{4, 80, when_full}, {10, 0, 10}};
}

PushResult push(Input& input, std::uint16_t stream_id = 1, std::size_t elements = 10, bool purge = false) {
  const std::vector<std::uint16_t> payload(elements);
  return input.push({false, stream_id, 0, purge}, payload);
}

/// Takes packets until there is none, and returns the ids of their streams.
std::vector<std::uint16_t> take_all(Input& input) {
  std::vector<std::uint16_t> ids;
  StreamPacket<std::uint16_t> packet;
  while (input.take(packet, kPast) == TakeResult::taken) ids.push_back(packet.control.stream_id);
  return ids;
}
void take(Input& input) {
  StreamPacket<std::uint16_t> packet;
  ASSERT_EQ(input.take(packet, kPast), TakeResult::taken);
}

TEST(PacketInput, TakesWhatWasPushed) {
  Input input(options());
  const std::vector<std::uint16_t> payload = {1, 2, 65535};
  ASSERT_EQ(input.push({true, 7, 255, false}, payload), PushResult::accepted);
  StreamPacket<std::uint16_t> packet;
  ASSERT_EQ(input.take(packet), TakeResult::taken);
  EXPECT_EQ(std::vector<std::uint16_t>(packet.payload.view().begin(), packet.payload.view().end()), payload);
  EXPECT_TRUE(packet.control.end_of_stream);
  EXPECT_EQ(packet.control.stream_id, 7);
  EXPECT_EQ(packet.control.sequence_number, 255);
  input.close();
  EXPECT_EQ(push(input), PushResult::closed);
  EXPECT_EQ(input.take(packet), TakeResult::end);
}

TEST(PacketInput, RejectsPayloadsLargerThanTheMaximum) {
  Input input(options());
  EXPECT_EQ(push(input, 1, 11), PushResult::too_large);
  EXPECT_EQ(push(input, 1, 0), PushResult::accepted);
  ASSERT_TRUE(input.payload().set_desired(5) && input.payload().set_max(5));
  EXPECT_EQ(push(input, 1, 6), PushResult::too_large);
  EXPECT_EQ(input.counts().too_large, 2u);
}

TEST(PacketInput, RejectsPayloadSizesThatDoNotFitIntoTheQueue) {
  EXPECT_THROW(Input({{4, 80}, {41, 0, 1}}), std::invalid_argument);
  EXPECT_NO_THROW(Input({{4, 80}, {40, 0, 1}}));
  EXPECT_THROW(Input({{4, 80}, {10, 0, 0}}), std::invalid_argument);
  Input input({{4, 80}, {10, 0, 1}});
  EXPECT_FALSE(input.payload().set_max(41));
}

TEST(PacketInput, ReportsAFullQueueByPolicy) {
  for (const WhenFull policy : {WhenFull::reject, WhenFull::block}) {
    PacketInputOptions settings = options(policy);
    settings.push_timeout = std::chrono::milliseconds(0);
    Input input(settings);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
    EXPECT_EQ(push(input), policy == WhenFull::reject ? PushResult::queue_full : PushResult::timed_out);
    EXPECT_EQ(take_all(input).size(), 4u);
  }
  Input newest(options(WhenFull::drop_newest));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(newest), PushResult::accepted);
  EXPECT_EQ(push(newest), PushResult::dropped);
}

TEST(PacketInput, DiscardsTheStreamsPacketsOnPurge) {
  Input input(options());
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  ASSERT_EQ(push(input, 2), PushResult::accepted);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  ASSERT_EQ(push(input, 1, 3, true), PushResult::accepted);
  EXPECT_EQ(input.counts().discarded, 2u);
  EXPECT_EQ(take_all(input), (std::vector<std::uint16_t>{2, 1}));
}

struct Signals : testing::Test {
  /// Connects both kinds of signals, without enabling them.
  void connect(Input& input) {
    input.connect_resume_signals("producer", [this] { ++resumes; });
    input.connect_empty_signals("producer", [this](std::uint16_t id) {
      ++empties;
      last_empty = id;
    });
  }
  /// Waits until the signals that are due have been sent, and returns the number of resume signals.
  int resumes_sent(Input& input) {
    // The sender sends empty signals in their order after resume signals.
    input.enable_empty_signals(true);
    const int before = empties;
    if (push(input, 99, 0) == PushResult::accepted) take_all(input);
    EXPECT_TRUE(becomes_true([&] { return empties > before; }));
    return resumes;
  }

  std::atomic<int> resumes{0}, empties{0};
  std::atomic<int> last_empty{-1};
};

TEST_F(Signals, ResumeAStoppedProducerOnce) {
  Input input(options());
  connect(input);
  input.enable_resume_signals(true);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  EXPECT_FALSE(input.space_available());
  EXPECT_FALSE(input.space_available());
  EXPECT_EQ(push(input), PushResult::queue_full);
  take(input);
  EXPECT_EQ(resumes, 0) << "above half of the limits";
  take(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
  EXPECT_EQ(resumes_sent(input), 1) << "not again for the following packets";
  EXPECT_EQ(input.signal_counts().resume_sent, 1u);
}

TEST_F(Signals, OfResumeAreSentAtTheLevelOfTheOptions) {
  PacketInputOptions settings = options();
  settings.resume_packets = 1;
  Input input(settings);
  connect(input);
  input.enable_resume_signals(true);
  input.enable_empty_signals(true);
  for (std::uint16_t id = 0; id < 4; ++id) ASSERT_EQ(push(input, id, 0), PushResult::accepted);
  EXPECT_FALSE(input.space_available());
  take(input);
  take(input);
  EXPECT_TRUE(becomes_true([&] { return empties == 2; }));
  EXPECT_EQ(resumes, 0) << "it would have been sent before the second empty signal";
  take(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(Signals, AreNotSentToAProducerThatWasNotStopped) {
  Input input(options());
  connect(input);
  input.enable_resume_signals(true);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  take_all(input);
  EXPECT_EQ(resumes_sent(input), 0);
}

TEST_F(Signals, OfResumeAreSentWhenEnabledLater) {
  Input input(options());
  connect(input);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  EXPECT_FALSE(input.space_available());
  take_all(input);
  EXPECT_EQ(resumes_sent(input), 0) << "disabled";
  input.enable_resume_signals(true);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(Signals, OfResumeAreSentWhenATargetIsConnectedLater) {
  Input input(options());
  input.enable_resume_signals(true);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  EXPECT_FALSE(input.space_available());
  take_all(input);
  connect(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(Signals, OfEmptyNameTheStreamWhoseLastPacketWasTaken) {
  Input input(options());
  connect(input);
  ASSERT_EQ(push(input, 5), PushResult::accepted);
  take(input);  // disabled
  input.enable_empty_signals(true);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  ASSERT_EQ(push(input, 2), PushResult::accepted);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  take(input);
  take(input);
  EXPECT_TRUE(becomes_true([&] { return last_empty == 2; }));
  EXPECT_EQ(empties, 1) << "stream 1 has another packet";
  take(input);
  EXPECT_TRUE(becomes_true([&] { return last_empty == 1; }));
  EXPECT_EQ(input.signal_counts().empty_sent, 2u);
}

TEST_F(Signals, OfEmptyIgnoreDroppedPackets) {
  Input input(options(WhenFull::drop_oldest));
  connect(input);
  input.enable_empty_signals(true);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input, 2), PushResult::accepted);
  EXPECT_EQ(take_all(input).size(), 4u);
  EXPECT_TRUE(becomes_true([&] { return empties > 0; }));
  EXPECT_EQ(last_empty, 2);
  EXPECT_EQ(empties, 1);
}

TEST_F(Signals, ToABlockedTargetStopNeitherProducersNorTheConsumer) {
  std::atomic<bool> released{false};
  Input input(options());
  input.connect_resume_signals("blocked", [&] { released.wait(false); });
  input.connect_empty_signals("producer", [this](std::uint16_t) { ++empties; });
  input.enable_resume_signals(true);
  input.enable_empty_signals(true);
  for (int round = 0; round < 100; ++round) {
    while (push(input, static_cast<std::uint16_t>(round)) == PushResult::accepted) continue;
    EXPECT_EQ(take_all(input).size(), 4u);
  }
  EXPECT_EQ(input.counts().delivered, 400u);
  EXPECT_EQ(empties, 0) << "behind the blocked signal";
  released = true;
  released.notify_all();
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().empty_sent == 100; }));
  const SignalCounts counts = input.signal_counts();
  EXPECT_EQ(counts.resume_sent + counts.combined, 100u);
}

TEST_F(Signals, OfEmptyAreCombinedWhileATargetIsBlocked) {
  constexpr std::uint64_t kStreams = 65536;
  std::atomic<bool> released{false};
  Input input(options());
  input.connect_empty_signals("blocked", [&](std::uint16_t) { released.wait(false); });
  input.enable_empty_signals(true);
  for (std::uint64_t i = 0; i < 3 * kStreams; ++i) {
    ASSERT_EQ(push(input, static_cast<std::uint16_t>(i), 0), PushResult::accepted);
    take(input);
  }
  EXPECT_GE(input.signal_counts().combined, 2 * kStreams - 1) << "one per stream is due, and one in progress";
  released = true;
  released.notify_all();
  EXPECT_TRUE(becomes_true([&] {
    const SignalCounts counts = input.signal_counts();
    return counts.empty_sent + counts.combined == 3 * kStreams;
  }));
}

TEST_F(Signals, ThatFailAreCounted) {
  Input input(options());
  input.connect_resume_signals("dead", [] { throw std::runtime_error("expected by the test"); });
  input.connect_resume_signals("producer", [this] { ++resumes; });
  input.enable_resume_signals(true);
  for (int round = 1; round <= 3; ++round) {
    while (push(input) == PushResult::accepted) continue;
    take_all(input);
    EXPECT_TRUE(becomes_true([&] { return resumes == round; })) << "after the dead target";
  }
  EXPECT_EQ(input.signal_counts().failed, 3u);
  EXPECT_TRUE(input.disconnect_resume_signals("dead"));
  EXPECT_FALSE(input.disconnect_resume_signals("dead"));
}

TEST_F(Signals, RejectEmptyFunctions) {
  Input input(options());
  EXPECT_THROW(input.connect_resume_signals("x", nullptr), std::invalid_argument);
  EXPECT_THROW(input.connect_empty_signals("x", nullptr), std::invalid_argument);
}

TEST_F(Signals, AreNotLostBetweenThreads) {
  // A producer that waits for a resume signal whenever it is stopped, and would wait for ever if one were
  // lost.
  std::mutex mutex;
  std::condition_variable resumed;
  int signals = 0;
  Input input({{1, 20, WhenFull::reject}, {10, 0, 10}});
  input.connect_resume_signals("producer", [&] {
    const std::lock_guard lock(mutex);
    ++signals;
    resumed.notify_one();
  });
  input.enable_resume_signals(true);
  constexpr int kPackets = 1000;
  std::thread consumer([&] {
    StreamPacket<std::uint16_t> packet;
    while (input.take(packet) == TakeResult::taken) continue;
  });
  bool lost = false;
  for (int sent = 0; sent < kPackets && !lost;) {
    std::unique_lock lock(mutex);
    const int before = signals;
    lock.unlock();
    if (push(input) == PushResult::accepted) {
      ++sent;
      continue;
    }
    lock.lock();
    lost = !resumed.wait_for(lock, kHangTimeout, [&] { return signals > before; });
  }
  input.close();
  consumer.join();
  EXPECT_FALSE(lost);
  EXPECT_EQ(input.counts().delivered, std::uint64_t{kPackets});
}

}  // namespace
}  // namespace orbweaver::streams
