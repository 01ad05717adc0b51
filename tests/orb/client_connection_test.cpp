// ClientConnection over a scripted channel: counts of requests and replies, lost one-way calls, and requests
// that may be sent again.
#include <gmock/gmock.h>
#include <malloc.h>

#include <future>

#include "base/log.h"
#include "base/receive_budget.h"
#include "giop/control_messages.h"
#include "orb/client/client_connection.h"
#include "orb/flusher.h"
#include "platform/clock.h"
#include "testing/scripted_channel.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using orbweaver::ClientConnection;
using orbweaver::Deadline;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::MutableBytes;
using orbweaver::ReceiveBudget;
using orbweaver::Result;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kMaxMessage = std::size_t{64} << 20;
const Deadline kNow{0};
Deadline hang() { return Deadline::in_ms(60'000); }

struct ClientConnectionTest : ::testing::Test {
  std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  std::shared_ptr<ReceiveBudget> budget = std::make_shared<ReceiveBudget>(kMaxMessage);
  orbweaver::orb::Flusher flusher;
  orbweaver::ClientConnectionPtr connection = CORBA::make_reference<ClientConnection>(
      std::make_unique<ScriptedChannel>(script), "scripted", kMaxMessage, nullptr, budget);

  ~ClientConnectionTest() override {
    connection->close();
    flusher.stop();
  }
  /// One-way calls are queued for up to an hour or 64 KiB.
  void set_batching() { connection->set_batching({3'600'000'000'000, 65536, &flusher}); }

  static void capture_log() {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
    ::testing::internal::CaptureStderr();
  }

  struct Request {
    Result<void> sent;
    std::uint32_t id;
    std::uint64_t send_position;
  };
  Request send(bool two_way = true) {
    const Octets bytes = request(1, {1}, "twice").bytes();
    auto buffer = connection->sender().claim(bytes.size(), hang());
    EXPECT_TRUE(buffer);
    const std::uint32_t id = connection->sender().next_request_id();
    std::copy(bytes.begin(), bytes.end(), buffer->begin());
    std::memcpy(buffer->data() + giop::kHeaderBytes, &id, 4);
    const std::uint64_t send_position = connection->sender().send_position();
    return {connection->sender().commit(bytes.size(), two_way, hang()), id, send_position};
  }
  /// Sends the first fragment of a request and returns its id. The caller commits or abandons the request.
  std::uint32_t begin_in_fragments() {
    auto buffer = connection->sender().claim(64, hang());
    EXPECT_TRUE(buffer);
    const std::uint32_t id = connection->sender().next_request_id();
    const Octets bytes = request(id, {1}, "twice").bytes();
    EXPECT_LE(bytes.size(), 56u);
    std::copy(bytes.begin(), bytes.end(), buffer->begin());
    connection->sender().send_in_fragments(buffer->first(64), id, true, hang()).flush_buffer(56, {});
    return id;
  }
  bool is_answered(std::uint32_t id) {
    ClientConnection::Reply reply;
    const bool answered = static_cast<bool>(connection->reader().await(id, hang(), reply));
    if (answered) connection->reader().release(reply);
    return answered;
  }
  /// Expects as many replies as requests so far: one more reply closes the connection.
  void expect_counts_are_right() {
    EXPECT_FALSE(connection->replies().has_outstanding());
    EXPECT_TRUE(connection->usable());
    script->arrives(reply(4711).bytes());
    connection->reader().check_for_close();
    EXPECT_FALSE(connection->usable()) << "an unexpected reply was accepted";
  }
};

TEST_F(ClientConnectionTest, StaysUsableWhenNothingWasSentByTheDeadline) {
  script->on_commit = [](const Octets&) { return Error{ErrorKind::timed_out, "full"}; };
  const std::uint64_t before = connection->sender().send_position();
  const Request request = send();
  ASSERT_FALSE(request.sent);
  EXPECT_EQ(request.sent.error().kind, ErrorKind::timed_out);
  EXPECT_TRUE(connection->usable());
  EXPECT_FALSE(script->closed());
  EXPECT_FALSE(connection->replies().has_outstanding());
  EXPECT_EQ(connection->sender().send_position(), before);
  script->on_commit = nullptr;
  const Request next = send();
  ASSERT_TRUE(next.sent);
  script->arrives(reply(next.id).bytes());
  EXPECT_TRUE(is_answered(next.id));
  expect_counts_are_right();
}

TEST_F(ClientConnectionTest, ReturnsAtItsDeadlineWhenReplyFragmentsNeverEnd) {
  const Request request = send();
  Octets first = reply(request.id).ulong(1).ulong(2).bytes(), next = first;
  ASSERT_EQ(first.size() % 8, 0u);
  first[6] |= 2;
  next[6] |= 2;
  next[7] = static_cast<std::uint8_t>(giop::MessageType::fragment);
  script->arrives(first);
  constexpr int kFragments = 20'000;
  for (int i = 0; i < kFragments; ++i) script->arrives(next);
  ClientConnection::Reply reply;
  const auto answered = connection->reader().await(request.id, kNow, reply);
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().kind, ErrorKind::timed_out) << answered.error().message;
  EXPECT_GT(script->waiting(), 10'000u) << "it kept reading after its deadline";
}

TEST_F(ClientConnectionTest, SendsCodeSetsAgainWhenTheFirstRequestWasNotSent) {
  script->on_commit = [&](const Octets&) {
    EXPECT_FALSE(connection->sender().exchange_code_sets_sent());
    return Error{ErrorKind::timed_out, "full"};
  };
  EXPECT_FALSE(send().sent);
  script->on_commit = [&](const Octets&) {
    EXPECT_FALSE(connection->sender().exchange_code_sets_sent());
    return Result<void>();
  };
  EXPECT_TRUE(send().sent);
  script->on_commit = [&](const Octets&) {
    EXPECT_TRUE(connection->sender().exchange_code_sets_sent());
    return Error{ErrorKind::timed_out, "full"};
  };
  EXPECT_FALSE(send().sent);
}

TEST_F(ClientConnectionTest, BecomesUnusableWhenARequestWasPartlySentAtTheDeadline) {
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{ErrorKind::timed_out, "a part has left"};
  };
  EXPECT_FALSE(send().sent);
  EXPECT_FALSE(connection->usable());
}

TEST_F(ClientConnectionTest, StaysUsableWhenNoFragmentWasSentByTheDeadline) {
  script->on_commit = [](const Octets&) { return Error{ErrorKind::timed_out, "full"}; };
  const std::uint64_t before = connection->sender().send_position();
  begin_in_fragments();
  ASSERT_TRUE(connection->sender().fragment_failed());
  const auto sent = connection->sender().commit(0, true, hang());
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::timed_out);
  EXPECT_FALSE(script->closed());
  EXPECT_EQ(connection->sender().send_position(), before);
  expect_counts_are_right();
}

TEST_F(ClientConnectionTest, DropsAReplyThatPrecedesItsCancelRequest) {
  const std::uint32_t id = begin_in_fragments();
  script->arrives(reply(id).bytes());
  connection->reader().check_for_close();  // reads it
  connection->sender().abandon();
  expect_counts_are_right();
}

TEST_F(ClientConnectionTest, DropsAReplyThatFollowsItsCancelRequest) {
  const std::uint32_t id = begin_in_fragments();
  connection->sender().abandon();
  EXPECT_FALSE(connection->replies().has_outstanding());
  script->arrives(reply(id).bytes());
  connection->reader().check_for_close();
  expect_counts_are_right();
}

TEST_F(ClientConnectionTest, ExpectsNoRepliesToManyCancelledRequests) {
  for (int i = 0; i < 500; ++i) {
    begin_in_fragments();
    connection->sender().abandon();
  }
  const Request last = send();
  EXPECT_TRUE(connection->replies().has_outstanding());
  script->arrives(reply(last.id).bytes());
  EXPECT_TRUE(is_answered(last.id));
  EXPECT_FALSE(connection->replies().has_outstanding());
  EXPECT_TRUE(connection->usable());
}

TEST_F(ClientConnectionTest, CountsCancelRequestsInTheSendPosition) {
  const Request first = send();
  std::size_t later = 0;
  for (int i = 0; i < 20; ++i) {
    begin_in_fragments();
    connection->sender().abandon();
  }
  const auto frames = script->frames();
  for (std::size_t i = 1; i < frames.size(); ++i) later += frames[i].size();
  script->undelivered_bytes = later;
  EXPECT_FALSE(connection->sender().was_not_received(first.send_position))
      << "the server has received the first request";
  script->undelivered_bytes = later + frames[0].size();
  EXPECT_TRUE(connection->sender().was_not_received(first.send_position));
}

TEST_F(ClientConnectionTest, SendsACancelRequestWithADeadline) {
  begin_in_fragments();
  const std::size_t before = script->deadlines().size();
  connection->sender().abandon();
  const auto deadlines = script->deadlines();
  ASSERT_GT(deadlines.size(), before);
  for (std::size_t i = before; i < deadlines.size(); ++i) {
    EXPECT_FALSE(deadlines[i].is_never());
    EXPECT_LE(deadlines[i].ns, Deadline::in_ms(5'000).ns);
  }
  EXPECT_TRUE(connection->usable());
}

TEST_F(ClientConnectionTest, ClosesWhenACancelRequestCannotBeSent) {
  begin_in_fragments();
  script->on_commit = [](const Octets&) { return Error{ErrorKind::timed_out, "full"}; };
  connection->sender().abandon();
  EXPECT_TRUE(script->closed());
  EXPECT_FALSE(connection->usable());
}

TEST_F(ClientConnectionTest, ReleasesItsLocksBeforeClosingForMissingReplies) {
  connection->set_unreliable();
  bool lock_is_free = false;
  script->on_close = [&] {
    auto other = std::async(std::launch::async, [&] { return connection->replies().has_outstanding(); });
    lock_is_free = other.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
    // Otherwise `other` ends after the lock is released: another thread waits for it.
    if (!lock_is_free) std::thread([waits = std::move(other)]() mutable { waits.wait(); }).detach();
  };
  for (int i = 0; i < 2'000 && !script->closed(); ++i) {
    const Request request = send();
    ASSERT_TRUE(request.sent);
    ClientConnection::Reply none;
    EXPECT_FALSE(connection->reader().await(request.id, kNow, none));
  }
  EXPECT_TRUE(script->closed());
  EXPECT_TRUE(lock_is_free);
}

TEST_F(ClientConnectionTest, FreesAFragmentedReplyOnRelease) {
  const Request request = send();
  Octets first = reply(request.id).octets(Octets(2'000'000 - 28)).bytes();
  first[6] |= 2;  // another fragment follows
  ASSERT_EQ(first.size() % 8, 0u);
  const auto used = [] {
    const struct mallinfo2 heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const std::size_t before = used();
  script->arrives(first);
  script->arrives(Message(giop::MessageType::fragment, kHere).ulong(request.id).ulong(0).bytes());
  ClientConnection::Reply reply;
  ASSERT_TRUE(connection->reader().await(request.id, hang(), reply));
  EXPECT_GE(reply.message.size(), 2'000'000u);
  connection->reader().release(reply);
  EXPECT_LT(used(), before + 1'000'000);
  EXPECT_EQ(budget->bytes(), 0u);
}

TEST_F(ClientConnectionTest, CountsQueuedCallsLostOnASendFailure) {
  set_batching();
  EXPECT_TRUE(send(false).sent);
  EXPECT_TRUE(send(false).sent);
  EXPECT_EQ(connection->sender().lost_calls(), 0u);
  EXPECT_TRUE(send().sent) << "sends the queued calls as well";
  EXPECT_TRUE(send(false).sent);
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{ErrorKind::disconnected, "server disconnected"};
  };
  capture_log();
  EXPECT_FALSE(send().sent);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("up to 1 queued one-way calls lost: server disconnected"));
  EXPECT_EQ(connection->sender().lost_calls(), 1u);
}

TEST_F(ClientConnectionTest, CountsQueuedCallsLostWhenTheFullBatchFails) {
  connection->set_batching({3'600'000'000'000, 140, &flusher});
  EXPECT_TRUE(send(false).sent);
  EXPECT_TRUE(send(false).sent);
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{ErrorKind::disconnected, "server disconnected"};
  };
  capture_log();
  EXPECT_FALSE(send(false).sent);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("up to 2 queued one-way calls lost"));
  EXPECT_EQ(connection->sender().lost_calls(), 2u);
}

TEST_F(ClientConnectionTest, CountsQueuedCallsLostOnCloseConnection) {
  set_batching();
  EXPECT_TRUE(send(false).sent);
  script->arrives(Message(giop::MessageType::close_connection).bytes());
  connection->reader().check_for_close();
  EXPECT_EQ(connection->sender().lost_calls(), 1u);
  script->on_flush = [] {
    ADD_FAILURE() << "flushed after CloseConnection";
    return Result<void>();
  };
  EXPECT_TRUE(connection->sender().flush(hang()));
  EXPECT_EQ(connection->sender().lost_calls(), 1u);
}

TEST_F(ClientConnectionTest, CountsSentCallsThatThePeerDidNotReceive) {
  set_batching();
  EXPECT_TRUE(send(false).sent);
  EXPECT_TRUE(send(false).sent);
  const Request request = send();  // sends the queued calls as well
  script->close();
  ClientConnection::Reply none;
  EXPECT_FALSE(connection->reader().await(request.id, hang(), none));
  const auto last = static_cast<std::size_t>(connection->sender().send_position() - request.send_position);
  script->undelivered_bytes = last;
  EXPECT_EQ(connection->sender().lost_calls(), 0u);
  script->undelivered_bytes = last + 1;
  EXPECT_EQ(connection->sender().lost_calls(), 2u);
}

TEST_F(ClientConnectionTest, KeepsQueuedCallsWhenNothingWasSentByTheDeadline) {
  set_batching();
  EXPECT_TRUE(send(false).sent);
  script->on_commit = [](const Octets&) { return Error{ErrorKind::timed_out, "full"}; };
  EXPECT_FALSE(send().sent);
  bool flushed = false;
  script->on_flush = [&] {
    flushed = true;
    return Result<void>();
  };
  EXPECT_TRUE(connection->sender().flush(hang()));
  EXPECT_TRUE(flushed) << "the call was not queued any more";
  EXPECT_TRUE(connection->usable());
}

TEST_F(ClientConnectionTest, ClosesWhenReplyFragmentsExceedTheReceiveBudget) {
  const auto small = std::make_shared<ReceiveBudget>(100'000);
  connection->close();
  script = std::make_shared<ChannelScript>();
  connection = CORBA::make_reference<ClientConnection>(std::make_unique<ScriptedChannel>(script), "scripted",
                                                       kMaxMessage, nullptr, small);
  const Request request = send();
  Octets first = reply(request.id).octets(Octets(200'000 - 28)).bytes();
  first[6] |= 2;
  script->arrives(first);
  ClientConnection::Reply none;
  const auto arrived = connection->reader().await(request.id, hang(), none);
  ASSERT_FALSE(arrived);
  EXPECT_THAT(arrived.error().message, HasSubstr("-ORBTune receive-bytes"));
}

}  // namespace
}  // namespace orbtest
