// Requests with SYNC_NONE in the queue of a connection, over a scripted channel: who sends them, until when,
// and what becomes of them when the connection ends. There is no flusher unless a test calls send_due().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/statistics.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>

#include "base/log.h"
#include "orb/client/client_connection.h"
#include "orb/client/send_queueing.h"
#include "orb/flusher.h"
#include "platform/testing/becomes_true.h"
#include "testing/scripted_channel.h"

namespace orbtest {
namespace {

using orbweaver::Deadline;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::platform::testing::becomes_true;
using ::testing::HasSubstr;

// A channel that cannot be polled is expected to accept a small message at once, and to wait within a large.
constexpr std::size_t kSmall = 100, kLarge = 2000;
Deadline hang() { return Deadline::in_ms(60'000); }

struct QueuedRequests : ::testing::Test {
  QueuedRequests() {
    orbweaver::log::set_level("warn");  // another test may have set it
    orbweaver::log::reset_limits();
    flusher.stop();  // accepts nothing more
    connection->set_queueing(queueing);
  }
  ~QueuedRequests() override {
    script->close();
    queueing.stop();
  }

  /// Queues a request. Returns whether it was accepted; false also if the connection has ended.
  bool push(std::size_t bytes) {
    orbweaver::orb::QueuedRequest request;
    request.message.resize(bytes);
    request.has_leading_id = false;
    const auto pushed = queued().push(request);
    return pushed && *pushed;
  }
  orbweaver::orb::RequestSender& sender() { return connection->sender(); }
  orbweaver::orb::QueuedRequestSender& queued() { return sender().queued_requests(); }
  /// Claims for a call and abandons it. Returns the kind of the error, or nothing.
  std::optional<ErrorKind> claim(Deadline deadline) {
    const auto room = sender().claim(24, deadline);
    if (!room) return room.error().kind;
    sender().abandon();
    return {};
  }
  static std::uint64_t lost() { return orbweaver::oneway_queue_statistics().lost; }
  static std::uint64_t discarded() { return orbweaver::oneway_queue_statistics().discarded; }

  orbweaver::orb::Options options;
  orbweaver::orb::Flusher flusher;
  orbweaver::orb::SendQueueing queueing{options, flusher};
  std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  orbweaver::ClientConnectionPtr connection = CORBA::make_reference<orbweaver::ClientConnection>(
      std::make_unique<ScriptedChannel>(script), "scripted", 1 << 20);
  const std::uint64_t lost_before = lost(), discarded_before = discarded();
};

TEST_F(QueuedRequests, AreSentByACallWithATimeLimitIfTheyNeedNoWait) {
  ASSERT_TRUE(push(kSmall) && push(kSmall));
  EXPECT_EQ(claim(hang()), std::nullopt);
  EXPECT_EQ(script->frames().size(), 2u);
  EXPECT_FALSE(queued().has_thread());
}

TEST_F(QueuedRequests, AreNotCutByTheTimeLimitOfAnotherCall) {
  ASSERT_TRUE(push(kLarge));
  EXPECT_EQ(claim(hang()), std::nullopt);
  EXPECT_EQ(script->frames().size(), 1u);
  const auto deadlines = script->deadlines();
  EXPECT_EQ(std::count_if(deadlines.begin(), deadlines.end(),
                          [](Deadline deadline) { return deadline.ns != 0 && !deadline.is_never(); }),
            1)
      << "only the claim of the call itself may have its time limit";
}

TEST_F(QueuedRequests, AreSentByACallWithoutATimeLimit) {
  ASSERT_TRUE(push(kLarge));
  EXPECT_EQ(claim(Deadline::never()), std::nullopt);
  EXPECT_EQ(script->frames().size(), 1u);
  EXPECT_FALSE(queued().has_thread());
}

TEST_F(QueuedRequests, StayQueuedWhenACallBehindThemTimesOut) {
  std::promise<void> accepts;
  script->on_commit = [accepted = accepts.get_future().share()](const Octets&) {
    accepted.wait_for(std::chrono::seconds(30));  // the limit ends a hang
    return ChannelScript::Sent();
  };
  ASSERT_TRUE(push(kLarge) && push(kSmall));
  EXPECT_EQ(claim(Deadline::in_ms(20)), ErrorKind::timed_out);
  const auto flushed = sender().flush(Deadline::in_ms(20));
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().kind, ErrorKind::timed_out);
  EXPECT_TRUE(connection->usable());
  accepts.set_value();
  EXPECT_TRUE(becomes_true([&] { return script->frames().size() == 2; }));
  EXPECT_EQ(claim(hang()), std::nullopt);
  EXPECT_EQ(sender().lost_calls(), 0u);
}

TEST_F(QueuedRequests, AreNamedByTheErrorOfACallThatCannotBeSentInTime) {
  ASSERT_TRUE(sender().claim(24, hang()));  // by a call that is still sending
  const auto late = sender().claim(24, Deadline::in_ms(1));
  sender().abandon();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message,
            "scripted: deadline exceeded while other calls or queued one-way calls are still being sent");
}

TEST_F(QueuedRequests, OfOtherThreadsDoNotProlongACall) {
  int pushes = 0;
  script->on_commit = [&](const Octets&) {  // as another thread would, which finds the send lock taken
    if (++pushes <= 100) push(kSmall);
    return ChannelScript::Sent();
  };
  ASSERT_TRUE(push(kSmall));
  const auto room = sender().claim_at_once(24);
  ASSERT_TRUE(room);
  sender().abandon();
  EXPECT_EQ(script->frames().size(), 1u);
  EXPECT_NE(queued().send_due(), 0);
  EXPECT_EQ(script->frames().size(), 2u);
  EXPECT_EQ(claim(hang()), std::nullopt);
  EXPECT_EQ(script->frames().size(), 3u);
  connection->close();
  EXPECT_EQ(script->frames().size(), 4u);
  EXPECT_EQ(discarded(), discarded_before) << "a request was accepted after the connection began to close";
}

TEST_F(QueuedRequests, DoNotKeepTheSendLockFromOtherCalls) {
  std::atomic<bool> flushed = false;
  script->on_commit = [&](const Octets&) {  // so that the thread never finds an empty queue
    if (!flushed) push(kLarge);
    return ChannelScript::Sent();
  };
  ASSERT_TRUE(push(kLarge));
  queued().start_thread();
  ASSERT_TRUE(becomes_true([&] { return script->frames().size() > 10; }));
  EXPECT_EQ(claim(hang()), std::nullopt);
  EXPECT_TRUE(sender().flush(hang()));
  flushed = true;
  EXPECT_TRUE(becomes_true([&] { return !queued().has_thread(); }));
}

TEST_F(QueuedRequests, AreLostCallsAsSoonAsTheConnectionHasEnded) {
  ASSERT_TRUE(push(kLarge) && push(kSmall) && push(kSmall));
  EXPECT_EQ(sender().lost_calls(), 0u);
  script->close();
  connection->reader().check_for_close();
  ASSERT_FALSE(connection->usable());
  EXPECT_EQ(sender().lost_calls(), 3u) << "before the flusher has dropped them";
  EXPECT_EQ(queued().send_due(), 0);
  EXPECT_EQ(sender().lost_calls(), 3u);
  EXPECT_EQ(lost() - lost_before, 3u);
}

TEST_F(QueuedRequests, AreAcceptedAgainIfAnUnusedConnectionCannotBeClosed) {
  ASSERT_TRUE(connection->reader().try_begin_reading());
  EXPECT_EQ(connection->close_if_unused(), nullptr);
  EXPECT_TRUE(push(kSmall));
  connection->reader().release_role();
  EXPECT_EQ(connection->close_if_unused(), nullptr) << "a request is queued";
  EXPECT_EQ(claim(hang()), std::nullopt);
  EXPECT_NE(connection->close_if_unused(), nullptr);
  EXPECT_FALSE(push(kSmall));
}

TEST_F(QueuedRequests, AreRefusedOnceTheEmptyQueueIsClosed) {
  ASSERT_TRUE(queued().close_if_empty());
  EXPECT_FALSE(push(kSmall));
  queued().reopen();
  EXPECT_TRUE(push(kSmall));
  EXPECT_FALSE(queued().close_if_empty());
  EXPECT_TRUE(push(kSmall));
}

TEST_F(QueuedRequests, AreDiscardedNotLostWhenTheTimeOfClosingPassesWithinAMessage) {
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{ErrorKind::timed_out, "a part was sent"};
  };
  ASSERT_TRUE(push(kLarge) && push(kSmall));
  ::testing::internal::CaptureStderr();
  connection->close();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("scripted: 2 queued one-way calls discarded: not sent before this process closed the "
                        "connection"));
  EXPECT_EQ(discarded() - discarded_before, 2u);
  EXPECT_EQ(lost(), lost_before);
}

TEST_F(QueuedRequests, AreDiscardedNotLostWhenTheirThreadIsBlockedAtTheClose) {
  std::promise<void> closing, sending;
  script->on_close = [&] { closing.set_value(); };
  script->on_commit = [&, closed = closing.get_future().share()](const Octets&) {
    sending.set_value();
    closed.wait();
    return Error{ErrorKind::disconnected, "closed"};
  };
  ASSERT_TRUE(push(kLarge) && push(kSmall));
  queued().start_thread();
  sending.get_future().wait();
  connection->close();
  EXPECT_TRUE(becomes_true([&] { return discarded() - discarded_before == 2; }));
  EXPECT_EQ(lost(), lost_before);
}

TEST_F(QueuedRequests, AreDiscardedWithAWarningIfTheyAreDestroyedWithTheConnection) {
  ASSERT_TRUE(sender().claim(24, hang()));  // by a call that is still sending when the connection is closed
  ASSERT_TRUE(push(kSmall));
  ::testing::internal::CaptureStderr();
  connection->close();
  EXPECT_EQ(discarded(), discarded_before);
  sender().abandon();
  connection = nullptr;
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("scripted: 1 queued one-way calls discarded"));
  EXPECT_EQ(discarded() - discarded_before, 1u);
}

}  // namespace
}  // namespace orbtest
