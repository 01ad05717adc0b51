// SplitChannel over a scripted channel: who may send, until when, and what happens at the end.
#include <orbweaver/statistics.h>

#include "divided_channel.h"
#include "orb/client/client_connection.h"
#include "orb/client/send_queueing.h"
#include "orb/flusher.h"
#include "platform/testing/waiting_thread.h"

namespace bidirtest {
namespace {

// The shutdown of an ORB gives all its connections one deadline.
TEST_F(DividedChannel, SendsCloseConnectionUntilTheDeadlineItIsGiven) {
  const Deadline deadline = Deadline::in_ms(77'000);
  close_in_order(*server, deadline);
  EXPECT_TRUE(sent_close_connection());
  EXPECT_TRUE(script->closed());
  const auto deadlines = script->deadlines();
  ASSERT_FALSE(deadlines.empty());
  for (const Deadline each : deadlines) EXPECT_EQ(each.ns, deadline.ns);
}

TEST_F(DividedChannel, ClosesAPeerThatDoesNotReadAtTheDeadline) {
  script->fill();
  close_in_order(*server, Deadline{0});
  EXPECT_TRUE(script->closed());
  EXPECT_TRUE(script->frames().empty());
}

// Another thread may be sending to a peer that does not read.
TEST_F(DividedChannel, TakesCloseConnectionWhileAnotherMessageIsSent) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  ASSERT_TRUE(caller->claim(100, Deadline::never()));
  const auto claimed = server->claim(giop::kHeaderBytes, Deadline{0});
  EXPECT_TRUE(claimed);
  if (claimed) server->abandon();
  caller->abandon();
  EXPECT_TRUE(send(*caller, 100)) << "the abandoned claim did not have the right to send";
}

TEST_F(DividedChannel, SendsMessageErrorAtOnce) {
  const auto message = giop::message_error(giop::kGiop12);
  const auto room = server->claim(message.size(), Deadline{0});
  ASSERT_TRUE(room);
  std::memcpy(room->data(), message.data(), message.size());
  EXPECT_TRUE(server->commit(message.size(), Deadline{0}));
  EXPECT_EQ(script->frames(), std::vector<Octets>{Octets(message.begin(), message.end())});
}

// ---- what the peer's host has not received ----

std::size_t undelivered(Channel& end) { return end.capabilities().receive_status->undelivered_bytes(); }

TEST_F(DividedChannel, CountsTheUndeliveredBytesOfTheCaller) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  ASSERT_NE(caller->capabilities().receive_status, nullptr);
  for (const std::size_t bytes : {100u, 200u}) {
    ASSERT_TRUE(send(*caller, bytes));
    ASSERT_TRUE(send(*server, 1000));
  }
  EXPECT_EQ(undelivered(*caller), 0u) << "unknown";
  for (const auto [all, of_caller] :
       {std::pair{12, 0}, {1000, 0}, {1050, 50}, {1200, 200}, {2200, 200}, {2300, 300}, {9999, 300}}) {
    script->undelivered_bytes = static_cast<std::size_t>(all);
    EXPECT_EQ(undelivered(*caller), static_cast<std::size_t>(of_caller)) << all;
  }
}

TEST_F(DividedChannel, DoesNotCountAMessageThatWasNotSent) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  ASSERT_TRUE(send(*caller, 100));
  script->on_commit = [](const Octets&) {
    return ChannelScript::Sent(orbweaver::Error{ErrorKind::timed_out, "the peer does not read"});
  };
  EXPECT_FALSE(send(*server, 1000));
  EXPECT_FALSE(send(*caller, 1000));
  script->undelivered_bytes = 100;
  EXPECT_EQ(undelivered(*caller), 100u);
}

TEST_F(DividedChannel, CountsUndeliveredBytesAfterItsEnd) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  auto last = split->make_end(SplitChannel::Role::server);
  ASSERT_TRUE(send(*caller, 100));
  script->undelivered_bytes = 60;
  last = nullptr;
  server->close();
  server = nullptr;
  EXPECT_EQ(undelivered(*caller), 60u);
}

TEST_F(DividedChannel, RemembersSomeChangesBetweenItsEndsOnly) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  constexpr std::size_t kRuns = orbweaver::orb::SentBytes::kMaxRuns;
  for (std::size_t n = 0; n < 2 * kRuns; ++n) ASSERT_TRUE(send(*caller, 1) && send(*server, 1));
  script->undelivered_bytes = 10 * kRuns;
  EXPECT_EQ(undelivered(*caller), kRuns / 2);
}

// ---- the time limit of replies ----

TEST_F(DividedChannel, LimitsTheTimeOfAReplyThatThePeerDoesNotRead) {
  ASSERT_TRUE(server->claim(100, Deadline::never()));  // a reply that is being sent
  EXPECT_FALSE(split->unread_reply(1'000, 10));
  EXPECT_FALSE(split->unread_reply(1'049, 10)) << "four times as much for its size";
  EXPECT_FALSE(split->unread_reply(2'000, 0)) << "no limit";
  EXPECT_FALSE(split->unread_reply(3'000, 10));
  EXPECT_THAT(split->unread_reply(3'050, 10).value_or(""), HasSubstr("-ORBTune reply-timeout-ms"));
  server->abandon();
  EXPECT_FALSE(split->unread_reply(9'000, 10));
}

// A call has its own time limit.
TEST_F(DividedChannel, DoesNotLimitTheTimeOfARequestWhileNoReplyWaits) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  ASSERT_TRUE(caller->claim(100, Deadline::never()));
  EXPECT_FALSE(split->unread_reply(1'000, 10));
  EXPECT_FALSE(split->unread_reply(9'000, 10));
  caller->abandon();
}

// The reply of one lane waits while the large one of another is sent: the time of each message counts.
TEST_F(DividedChannel, BeginsTheTimeOfAReplyWithEachMessageBeforeIt) {
  const auto second = split->make_end(SplitChannel::Role::server);
  constexpr std::int64_t kTimeout_ns = 2'000'000'000;
  std::int64_t now_ns = 1;
  ASSERT_TRUE(server->claim(1, Deadline::never()));
  orbweaver::platform::testing::WaitingThread waiting([&] { EXPECT_TRUE(send(*second, 1)); });
  EXPECT_TRUE(waiting.waits());
  EXPECT_FALSE(split->unread_reply(now_ns, kTimeout_ns));
  now_ns += kTimeout_ns;
  EXPECT_FALSE(split->unread_reply(now_ns, kTimeout_ns));
  server->abandon();
  waiting.join();
  ASSERT_TRUE(server->claim(1, Deadline::never()));
  now_ns += kTimeout_ns;
  EXPECT_FALSE(split->unread_reply(now_ns, kTimeout_ns)) << "another message";
  now_ns += 2 * kTimeout_ns;
  EXPECT_TRUE(split->unread_reply(now_ns, kTimeout_ns));
  server->abandon();
}

// ---- queued one-way calls of the caller ----

/// The caller's end is that of a connection whose requests are queued. There is no flusher.
struct DividedChannelWithQueue : DividedChannel {
  DividedChannelWithQueue() {
    flusher.stop();
    connection->set_queueing(queueing);
    orbweaver::orb::set_caller(*split, connection);
  }
  ~DividedChannelWithQueue() override {
    script->close();
    queueing.stop();
  }
  void push(std::size_t bytes) {
    orbweaver::orb::QueuedRequest request;
    request.message.resize(bytes);
    request.has_leading_id = false;
    const auto pushed = connection->sender().queued_requests().push(request);
    EXPECT_TRUE(pushed && *pushed);
  }
  static std::uint64_t discarded() { return orbweaver::oneway_queue_statistics().discarded; }

  orbweaver::orb::Options options;
  orbweaver::orb::Flusher flusher;
  orbweaver::orb::SendQueueing queueing{options, flusher};
  orbweaver::ClientConnectionPtr connection = CORBA::make_reference<orbweaver::ClientConnection>(
      split->make_end(SplitChannel::Role::caller), "peer", kMaxMessageBytes);
  const std::uint64_t discarded_before = discarded();
};

TEST_F(DividedChannelWithQueue, SendsItsCallsBeforeCloseConnection) {
  push(100);
  push(2000);
  close_in_order(*server, hang());
  const auto frames = script->frames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].size(), 100u);
  EXPECT_EQ(frames[1].size(), 2000u);
  EXPECT_TRUE(sent_close_connection());
  EXPECT_EQ(discarded(), discarded_before);
}

// The deadline is that of all connections of an ORB: one whose peer reads is not to lose its calls because
// another one's does not.
TEST_F(DividedChannelWithQueue, SendsWhatNeedsNoWaitAfterTheDeadline) {
  push(100);
  close_in_order(*server, Deadline{1});
  EXPECT_EQ(script->frames().size(), 2u);
  EXPECT_TRUE(sent_close_connection());
}

TEST_F(DividedChannelWithQueue, CountsTheCallsThatThePeerDoesNotRead) {
  push(100);
  push(100);
  script->fill();
  ::testing::internal::CaptureStderr();
  close_in_order(*server, Deadline{1});
  EXPECT_EQ(discarded() - discarded_before, 2u);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("peer: 2 queued one-way calls discarded"));
}

}  // namespace
}  // namespace bidirtest
