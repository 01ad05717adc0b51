#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <mutex>
#include <vector>

#include "platform/descriptors.h"
#include "platform/testing/becomes_true.h"
#include "transport/mqueue/mqueue_channel.h"
#include "transport/testing/fixtures.h"
#include "transport/testing/one_system_call.h"

/// System calls per message, and waking a thread that waits in a queue.
namespace orbweaver::transport::testing {
namespace {

struct Mqueue : ::testing::Test {
  void SetUp() override {
    if (const std::string why = MqueueFixture::unavailable(); !why.empty()) GTEST_SKIP() << why;
    ends = connect_ends(mqueue_transport(), "", options_for(WaitStrategy::block),
                        options_for(WaitStrategy::block));
    ASSERT_TRUE(ends.near && ends.far);
  }
  Ends ends;
};

TEST(MqueueOptions, AreListedForAnUnknownOne) {
  EXPECT_EQ(mqueue_transport().check({{"colour", "red"}}).error().message,
            "mqueue has no option 'colour'; there is message-bytes");
}

TEST_F(Mqueue, UsesOneSystemCallPerFrame) {
  const std::uint64_t before = platform::system_calls_made();
  ASSERT_TRUE(ok(send_frame(*ends.near, 1'000, 0)));
  EXPECT_EQ(platform::system_calls_made() - before, 1u);
  ASSERT_TRUE(receives(*ends.far, 1'000, 0, Deadline::never()));
  EXPECT_EQ(platform::system_calls_made() - before, 2u);
  // The same while the receiver waits.
  CallWhenThisThreadWaits sending([&] { ASSERT_TRUE(ok(send_frame(*ends.near, 100, 1))); });
  ASSERT_TRUE(receives(*ends.far, 100, 1, Deadline::never()));
  EXPECT_EQ(platform::system_calls_made() - before, 3u);
  sending.join();
}

TEST_F(Mqueue, PollsInOneSystemCall) {
  ASSERT_TRUE(ok(send_frame(*ends.near, 1'000, 0)));
  const std::uint64_t before = platform::system_calls_made();
  ASSERT_TRUE(receives(*ends.far, 1'000, 0, Deadline{0}));
  EXPECT_EQ(platform::system_calls_made() - before, 1u);
}

TEST_F(Mqueue, BatchesQueuedFramesInOneMessage) { expect_one_system_call_each_way(ends, 20, 60); }

TEST_F(Mqueue, SendsAFullMessageWithoutAFlush) {
  std::uint64_t before = platform::system_calls_made();
  for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, 500, i)));
  // four in a message of 2 KiB; the last message is still queued
  EXPECT_EQ(platform::system_calls_made() - before, 3u);
  EXPECT_TRUE(receives(*ends.far, 500, 0));
  ASSERT_TRUE(ok(send_frame(*ends.near, 6'000, 16)));
  for (std::uint32_t i = 1; i < 16; ++i) ASSERT_TRUE(receives(*ends.far, 500, i));
  EXPECT_TRUE(receives(*ends.far, 6'000, 16));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 20, 17)));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 6'000, 18)));
  EXPECT_TRUE(receives(*ends.far, 20, 17));
  EXPECT_TRUE(receives(*ends.far, 6'000, 18));
}

TEST_F(Mqueue, KeepsQueuedFramesWhenAFlushTimesOut) {
  std::uint32_t sent = 0;
  while (send_frame(*ends.near, 100, sent, Deadline::in_ms(1))) ++sent;
  ASSERT_TRUE(ok(queue_frame(*ends.near, 300, sent)));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 301, sent + 1)));
  EXPECT_TRUE(
      fails_with(ErrorKind::timed_out, ends.near->capabilities().batching->flush(Deadline::in_ms(1))));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, send_frame(*ends.near, 302, 9'999, Deadline::in_ms(1))));
  for (std::uint32_t i = 0; i < sent; ++i) ASSERT_TRUE(receives(*ends.far, 100, i));
  EXPECT_TRUE(ok(ends.near->capabilities().batching->flush(Deadline::never())));
  EXPECT_TRUE(receives(*ends.far, 300, sent));
  EXPECT_TRUE(receives(*ends.far, 301, sent + 1));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, ends.far->receive(Deadline::in_ms(1))));
}

/// An end whose queue is full cannot send the wake-up message; the disconnect must be seen after all
/// messages.
TEST_F(Mqueue, DetectsDisconnectBehindAFullQueue) {
  std::uint32_t sent = 0;
  while (send_frame(*ends.near, 100, sent, Deadline::in_ms(1))) ++sent;
  ends.near->close();
  // Until the watch has detected the disconnect; its wake-up message does not fit.
  EXPECT_TRUE(platform::testing::becomes_true([] { return platform::testing::other_threads_sleep(); }));
  for (std::uint32_t i = 0; i < sent; ++i) ASSERT_TRUE(receives(*ends.far, 100, i, Deadline::never()));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(Deadline::never())));
}

/// A request that is sent after such a poll is not lost with a server that has ended.
TEST_F(Mqueue, DetectsDisconnectInAPollBeforeTheWatchHasRun) {
  for (const WaitStrategy wait : kEveryWait) {
    ends = connect_ends(mqueue_transport(), "", options_for(wait), options_for(wait));
    ASSERT_TRUE(ends.near && ends.far);
    auto sockets = platform::make_socket_pair();
    std::promise<void> entered, released;
    const std::future<void> release = released.get_future();
    // The thread of all watches stays in this callback.
    platform::HangupWatch busy(sockets.first, [&] {
      entered.set_value();
      release.wait();
    });
    ASSERT_TRUE(busy.works());
    sockets.second = {};
    entered.get_future().wait();
    ends.near->close();
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(Deadline::in_ns(0))))
        << to_string(wait);
    released.set_value();
  }
}

/// A disconnect is announced by an empty message in the own queue. A poll that takes it reads on.
TEST_F(Mqueue, PollsPastTheWakeUpMessage) {
  for (const WaitStrategy wait : kEveryWait) {
    auto queue = platform::make_message_queue({4, 2048});
    auto out = platform::make_message_queue({4, 2048});
    auto sockets = platform::make_socket_pair();
    ASSERT_TRUE(queue && out && sockets.error == 0);
    const platform::Fd& in = queue.reader;
    mqueue::MqueueChannel channel({std::move(out.writer), platform::duplicate(in), 2048, 2048},
                                  std::move(sockets.first), Peer{"peer"}, options_for(wait));
    sockets.second = {};
    // Until the watch has sent the wake-up message.
    ASSERT_TRUE(platform::testing::becomes_true(
        [&] { return platform::poll(in, platform::kReadable, Deadline{0}) != 0; }));
    const mqueue::MessageHeader header{mqueue::kFrame, 0};
    std::vector<std::uint8_t> message(sizeof header + 100);
    std::memcpy(message.data(), &header, sizeof header);
    write_frame(MutableBytes(message).subspan(sizeof header), 1);
    ASSERT_EQ(platform::try_send_message(queue.writer, message).error, 0);
    EXPECT_TRUE(receives(channel, 100, 1, Deadline{0})) << to_string(wait);
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel.receive(Deadline{0}))) << to_string(wait);
  }
}

/// All queues of a user share a limit. A server destroys the queues of a disconnected client with a delay.
TEST_F(Mqueue, ConnectsAgainWhileQueuesAreAboutToBeFree) {
  auto acceptor = std::move(*mqueue_transport().listen("", options_for()));
  std::vector<std::unique_ptr<Channel>> near, far;
  std::mutex mutex;
  std::thread accepting([&] {
    while (auto accepted = acceptor->accept()) {
      const std::lock_guard lock(mutex);
      far.push_back(std::move(*accepted));
    }
  });
  const auto connect = [&] {
    return mqueue_transport().connect(acceptor->address(), options_for(), hang_deadline());
  };
  auto last = connect();
  for (; last; last = connect()) near.push_back(std::move(*last));
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, last)) << "no queue is freed";
  EXPECT_TRUE(platform::testing::becomes_true([&] {
    const std::lock_guard lock(mutex);
    return far.size() == near.size();
  }));
  near.clear();
  CallWhenThisThreadWaits later([&] {
    const std::lock_guard lock(mutex);
    far.clear();
  });
  EXPECT_TRUE(ok(connect()));
  later.join();
  acceptor->close();
  accepting.join();
}

}  // namespace
}  // namespace orbweaver::transport::testing
