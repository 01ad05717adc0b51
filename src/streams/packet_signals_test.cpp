// The resume and empty signals of a PacketInput.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <orbweaver/exception.h>
#include <orbweaver/streams/packet_input.h>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "streams/testing/packet_input.h"

namespace orbweaver::streams {
namespace {

using platform::testing::becomes_true;
using platform::testing::kHangTimeout;
using platform::testing::WaitingThread;
using testing::Input;
using testing::options;
using testing::push;
using testing::take;
using testing::take_all;

/// An input, and counters of the signals that it sends.
struct Signals : ::testing::Test {
  /// Connects both kinds of signals, without enabling them.
  void connect(Input& input) {
    input.connect_resume_signals("producer", [this] { ++resumes; });
    input.connect_empty_signals("producer", [this](std::uint16_t id) {
      const std::lock_guard lock(mutex_);
      empty_streams_.push_back(id);
    });
  }
  std::vector<std::uint16_t> empties() {
    const std::lock_guard lock(mutex_);
    return empty_streams_;
  }
  bool has_empties(std::size_t count) {
    return becomes_true([&] { return empties().size() >= count; });
  }
  /// Waits until the signals that are due have been sent, and returns the number of resume signals. The queue
  /// is empty.
  int resumes_sent(Input& input) {
    // The sender sends a resume signal before empty signals that become due later.
    input.enable_empty_signals(true);
    const std::size_t before = empties().size();
    if (push(input, 99, 0) == PushResult::accepted) take_all(input);
    EXPECT_TRUE(has_empties(before + 1));
    return resumes;
  }

  std::atomic<int> resumes{0};

 private:
  std::mutex mutex_;
  std::vector<std::uint16_t> empty_streams_;
};
struct ResumeSignal : Signals {};
struct EmptySignal : Signals {};

/// Fills the queue until a packet is not accepted.
void fill(Input& input, std::uint16_t stream_id = 1) {
  while (push(input, stream_id) == PushResult::accepted) continue;
}

TEST_F(ResumeSignal, IsSentOnceToAStoppedProducer) {
  PacketInputOptions settings{{6, 120, WhenFull::reject}, {10, 0, 10}};
  Input input(settings);
  connect(input);
  input.enable_resume_signals(true);
  input.enable_empty_signals(true);
  for (std::uint16_t id = 0; id < 6; ++id) ASSERT_EQ(push(input, id), PushResult::accepted);
  EXPECT_FALSE(input.space_available());
  EXPECT_FALSE(input.space_available());
  EXPECT_EQ(push(input), PushResult::queue_full);
  take(input);
  take(input);
  ASSERT_EQ(push(input, 6), PushResult::accepted);
  take(input);
  ASSERT_TRUE(has_empties(3));
  EXPECT_EQ(resumes, 0)
      << "4 packets are more than half of the limit; it would precede the third empty signal";
  take(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
  take_all(input);
  EXPECT_EQ(resumes_sent(input), 1) << "not again for the following packets";
  EXPECT_EQ(input.signal_counts().resume_sent, 1u);
}

TEST_F(ResumeSignal, IsSentAtTheLevelOfTheOptions) {
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
  ASSERT_EQ(push(input, 4, 0), PushResult::accepted);
  take(input);
  ASSERT_TRUE(has_empties(3));
  EXPECT_EQ(resumes, 0) << "it would have been sent before the third empty signal";
  take(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(ResumeSignal, IsNotSentToAProducerThatWasNotStopped) {
  Input input(options());
  connect(input);
  input.enable_resume_signals(true);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  take_all(input);
  EXPECT_EQ(resumes_sent(input), 0);
}

TEST_F(ResumeSignal, IsSentWhenEnabledLater) {
  Input input(options());
  connect(input);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  EXPECT_FALSE(input.space_available());
  take_all(input);
  EXPECT_EQ(resumes_sent(input), 0) << "disabled";
  input.enable_resume_signals(true);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(ResumeSignal, IsSentWhenATargetIsConnectedLater) {
  Input input(options());
  input.enable_resume_signals(true);
  fill(input);
  take_all(input);
  connect(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(ResumeSignal, IsNotSentWhileDisabled) {
  Input input(options());
  input.enable_resume_signals(true);
  fill(input);
  take_all(input);  // due, without a target
  input.enable_resume_signals(false);
  connect(input);
  EXPECT_EQ(resumes_sent(input), 0);
  input.enable_resume_signals(true);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(ResumeSignal, IsSentToAStoppedProducerOnClose) {
  Input input(options());
  connect(input);
  input.enable_resume_signals(true);
  fill(input);
  input.close();
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().resume_sent == 1; }));
  EXPECT_TRUE(input.space_available()) << "a producer that polls pushes, and learns that it is closed";
  EXPECT_EQ(push(input), PushResult::closed);
  take_all(input);
  input.enable_resume_signals(false);
  input.enable_resume_signals(true);
  EXPECT_EQ(input.signal_counts().resume_sent + input.signal_counts().combined, 1u) << "once";
}

TEST_F(ResumeSignal, IsSentIfItIsEnabledAfterClose) {
  Input input(options());
  connect(input);
  fill(input);
  input.close();
  input.enable_resume_signals(true);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
}

TEST_F(ResumeSignal, IsRepeatedUntilItIsSent) {
  std::atomic<int> calls{0};
  Input input(options());
  input.connect_resume_signals("failing", [&] {
    if (++calls <= 2) throw std::runtime_error("expected by the test");
  });
  input.connect_resume_signals("producer", [this] { ++resumes; });
  input.enable_resume_signals(true);
  fill(input);
  take_all(input);
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().resume_sent == 2; }));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(resumes, 1) << "the other target gets it once";
  EXPECT_EQ(input.signal_counts().failed, 2u);
  EXPECT_EQ(input.signal_counts().repeated, 2u);
}

TEST_F(ResumeSignal, IsNotRepeatedIfItsTargetDoesNotExist) {
  std::atomic<int> calls_of_missing{0}, calls_of_failing{0};
  Input input(options());
  input.connect_resume_signals("failing", [&] {
    if (++calls_of_failing <= 2) throw std::runtime_error("expected by the test");
  });
  input.connect_resume_signals("missing", [&] {
    ++calls_of_missing;
    throw CORBA::OBJECT_NOT_EXIST();
  });
  input.enable_resume_signals(true);
  for (int round = 1; round <= 2; ++round) {
    calls_of_failing = 0;
    fill(input);
    take_all(input);
    EXPECT_TRUE(becomes_true([&] { return calls_of_failing == 3; })) << "later than a first repetition";
    EXPECT_EQ(calls_of_missing, round) << "once for each signal";
  }
}

TEST_F(ResumeSignal, IsSentToTheNewTargetOfAnIdIfTheOldOneHasNotGotIt) {
  Input input(options());
  input.connect_resume_signals("producer", [] { throw std::runtime_error("expected by the test"); });
  input.enable_resume_signals(true);
  fill(input);
  take_all(input);
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().failed > 0; }));
  connect(input);
  EXPECT_TRUE(becomes_true([&] { return resumes == 1; }));
  EXPECT_TRUE(input.disconnect_resume_signals("producer"));
  EXPECT_FALSE(input.disconnect_resume_signals("producer"));
}

TEST_F(EmptySignal, NamesTheStreamWhoseLastPacketWasTaken) {
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
  ASSERT_TRUE(has_empties(1));
  EXPECT_EQ(empties(), (std::vector<std::uint16_t>{2})) << "stream 1 has another packet";
  take(input);
  ASSERT_TRUE(has_empties(2));
  EXPECT_EQ(empties(), (std::vector<std::uint16_t>{2, 1}));
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().empty_sent == 2; }));
}

TEST_F(EmptySignal, IsSentWhileAnotherPacketOfTheStreamWaitsForSpace) {
  Input input({{4, 80, WhenFull::block}, {40, 0, 40}});
  connect(input);
  input.enable_empty_signals(true);
  ASSERT_EQ(push(input, 1, 5), PushResult::accepted);
  ASSERT_EQ(push(input, 2, 30), PushResult::accepted);
  PushResult result = PushResult::accepted;
  WaitingThread producer([&] { result = push(input, 1, 40); });
  ASSERT_TRUE(producer.waits());
  take(input);
  ASSERT_TRUE(has_empties(1));
  EXPECT_EQ(empties(), (std::vector<std::uint16_t>{1})) << "the packet that waits is not in the queue";
  input.interrupt();
  producer.join();
  EXPECT_EQ(result, PushResult::interrupted);
}

TEST_F(EmptySignal, IgnoresDroppedPackets) {
  Input input(options(WhenFull::drop_oldest));
  connect(input);
  input.enable_empty_signals(true);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input, 2), PushResult::accepted);
  EXPECT_EQ(take_all(input).size(), 4u);
  resumes_sent(input);
  EXPECT_EQ(empties(), (std::vector<std::uint16_t>{2, 99}));
}

TEST_F(EmptySignal, IsSentInTurnsIfSeveralStreamsAreEmpty) {
  Input input(options());
  std::atomic<bool> entered{false}, released{false};
  connect(input);
  input.connect_empty_signals("blocked", [&](std::uint16_t) {
    entered = true;
    released.wait(false);
  });
  input.enable_empty_signals(true);
  const auto empty = [&](std::uint16_t id) {
    ASSERT_EQ(push(input, id), PushResult::accepted);
    take(input);
  };
  empty(5);
  ASSERT_TRUE(becomes_true([&] { return entered.load(); }));
  empty(1);
  empty(9);
  released = true;
  released.notify_all();
  ASSERT_TRUE(has_empties(3));
  EXPECT_EQ(empties(), (std::vector<std::uint16_t>{5, 9, 1})) << "not the lowest number first";
}

TEST_F(EmptySignal, IsDiscardedWhenDisabled) {
  Input input(options());
  std::atomic<bool> entered{false}, released{false};
  connect(input);
  input.connect_empty_signals("blocked", [&](std::uint16_t) {
    entered = true;
    released.wait(false);
  });
  input.enable_empty_signals(true);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  take(input);
  ASSERT_TRUE(becomes_true([&] { return entered.load(); }));
  ASSERT_EQ(push(input, 2), PushResult::accepted);
  take(input);  // due
  input.enable_empty_signals(false);
  released = true;
  released.notify_all();
  resumes_sent(input);
  EXPECT_EQ(empties(), (std::vector<std::uint16_t>{1, 99}));
}

TEST_F(Signals, ToABlockedTargetDelayNeitherProducersNorTheConsumer) {
  std::atomic<bool> released{false};
  Input input(options());
  connect(input);
  input.connect_resume_signals("producer", [&] { released.wait(false); });
  input.enable_resume_signals(true);
  fill(input, 100);
  take_all(input);  // the resume signal, before the first empty signal
  input.enable_empty_signals(true);
  for (std::uint16_t round = 0; round < 100; ++round) {
    fill(input, round);
    EXPECT_EQ(take_all(input).size(), 4u);
  }
  EXPECT_EQ(input.counts().delivered, 404u);
  EXPECT_EQ(empties().size(), 0u) << "behind the blocked signal";
  released = true;
  released.notify_all();
  EXPECT_TRUE(has_empties(100));
  EXPECT_TRUE(becomes_true([&] {
    const SignalCounts counts = input.signal_counts();
    return counts.resume_sent + counts.combined == 101u;
  }));
}

TEST_F(EmptySignal, IsCombinedWhileATargetIsBlocked) {
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
