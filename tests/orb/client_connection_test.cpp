// A client's connection over a channel that does what the test says: what is counted, and what may be sent again.
#include <gmock/gmock.h>
#include <malloc.h>

#include <future>

#include "base/log.h"
#include "base/receive_budget.h"
#include "giop/control.h"
#include "orb/client_connection.h"
#include "orb/flusher.h"
#include "platform/clock.h"
#include "testing/scripted_channel.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using orbweaver::ClientConnection;
using orbweaver::Deadline;
using orbweaver::Error;
using orbweaver::MutableBytes;
using orbweaver::ReceiveBudget;
using orbweaver::Remedy;
using orbweaver::Result;

constexpr std::size_t kMaxMessage = std::size_t{64} << 20;
const Deadline kNow{0};
Deadline hang() { return Deadline::in_ms(60'000); }

struct Connection : ::testing::Test {
  std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  std::shared_ptr<ReceiveBudget> budget = std::make_shared<ReceiveBudget>(kMaxMessage);
  orbweaver::orb::Flusher flusher;
  orbweaver::ClientConnectionPtr connection = CORBA::make_reference<ClientConnection>(
      std::make_unique<ScriptedChannel>(script), "scripted", kMaxMessage, nullptr, budget);

  ~Connection() override {
    connection->close();
    flusher.stop();
  }
  /// Calls wait for others: for an hour, unless they are 64 KiB.
  void batch() { connection->batch({3'600'000'000'000, 65536, &flusher}); }

  static void capture_log() {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
    ::testing::internal::CaptureStderr();
  }

  struct Request {
    Result<void> sent;
    std::uint32_t id;
    std::uint64_t position;
  };
  Request send(bool two_way = true) {
    const Octets bytes = request(1, {1}, "twice").bytes();
    auto room = connection->claim(bytes.size(), hang());
    EXPECT_TRUE(room);
    const std::uint32_t id = connection->next_request_id();
    std::copy(bytes.begin(), bytes.end(), room->begin());
    std::memcpy(room->data() + giop::kHeaderBytes, &id, 4);
    const std::uint64_t position = connection->position();
    return {connection->commit(bytes.size(), two_way, hang()), id, position};
  }
  /// A request of which one fragment leaves; its id. It is still to be committed or abandoned.
  std::uint32_t begin_in_fragments() {
    auto room = connection->claim(64, hang());
    EXPECT_TRUE(room);
    const std::uint32_t id = connection->next_request_id();
    const Octets bytes = request(id, {1}, "twice").bytes();
    EXPECT_LE(bytes.size(), 56u);
    std::copy(bytes.begin(), bytes.end(), room->begin());
    connection->send_in_fragments(room->first(64), id, true, hang()).pass(56, {});
    return id;
  }
  bool is_answered(std::uint32_t id) {
    ClientConnection::Reply reply;
    const bool answered = static_cast<bool>(connection->await(id, hang(), reply));
    if (answered) connection->release(reply);
    return answered;
  }
  /// A reply that nobody asked for ends the connection: the counts of requests and replies are equal.
  void expect_counts_are_right() {
    EXPECT_FALSE(connection->awaits_replies());
    EXPECT_TRUE(connection->usable());
    script->arrives(reply(4711).bytes());
    connection->look_for_end();
    EXPECT_FALSE(connection->usable()) << "a reply too many was taken";
  }
};

TEST_F(Connection, IsAsBeforeWhereNothingLeftUntilTheDeadline) {
  script->on_commit = [](const Octets&) { return Error{Remedy::wait, "full"}; };
  const std::uint64_t before = connection->position();
  const Request request = send();
  ASSERT_FALSE(request.sent);
  EXPECT_EQ(request.sent.error().remedy, Remedy::wait);
  EXPECT_TRUE(connection->usable());
  EXPECT_FALSE(script->closed());
  EXPECT_FALSE(connection->awaits_replies());
  EXPECT_EQ(connection->position(), before);
  script->on_commit = nullptr;
  const Request next = send();
  ASSERT_TRUE(next.sent);
  script->arrives(reply(next.id).bytes());
  EXPECT_TRUE(is_answered(next.id));
  expect_counts_are_right();
}

TEST_F(Connection, ReturnsAtItsDeadlineThoughFragmentsOfTheReplyNeverEnd) {
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
  const auto answered = connection->await(request.id, kNow, reply);
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().remedy, Remedy::wait) << answered.error().message;
  EXPECT_GT(script->waiting(), 10'000u) << "it read on after its deadline";
}

TEST_F(Connection, SendsCodeSetsAgainWhereTheirRequestHasNotLeft) {
  script->on_commit = [&](const Octets&) {
    EXPECT_FALSE(connection->code_sets_sent());
    return Error{Remedy::wait, "full"};
  };
  EXPECT_FALSE(send().sent);
  script->on_commit = [&](const Octets&) {
    EXPECT_FALSE(connection->code_sets_sent());
    return Result<void>();
  };
  EXPECT_TRUE(send().sent);
  script->on_commit = [&](const Octets&) {
    EXPECT_TRUE(connection->code_sets_sent());
    return Error{Remedy::wait, "full"};
  };
  EXPECT_FALSE(send().sent);
}

TEST_F(Connection, IsNotUsableWhereAPartLeftUntilTheDeadline) {
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{Remedy::wait, "a part has left"};
  };
  EXPECT_FALSE(send().sent);
  EXPECT_FALSE(connection->usable());
}

TEST_F(Connection, IsAsBeforeWhereNoFragmentLeftUntilTheDeadline) {
  script->on_commit = [](const Octets&) { return Error{Remedy::wait, "full"}; };
  const std::uint64_t before = connection->position();
  begin_in_fragments();
  ASSERT_TRUE(connection->fragment_failed());
  const auto sent = connection->commit(0, true, hang());
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().remedy, Remedy::wait);
  EXPECT_FALSE(script->closed());
  EXPECT_EQ(connection->position(), before);
  expect_counts_are_right();
}

TEST_F(Connection, DropsAnEarlyReplyToARequestThatIsCancelled) {
  const std::uint32_t id = begin_in_fragments();
  script->arrives(reply(id).bytes());
  connection->look_for_end();  // reads it
  connection->abandon();
  expect_counts_are_right();
}

TEST_F(Connection, DropsALateReplyToARequestThatIsCancelled) {
  const std::uint32_t id = begin_in_fragments();
  connection->abandon();
  EXPECT_FALSE(connection->awaits_replies());
  script->arrives(reply(id).bytes());
  connection->look_for_end();
  expect_counts_are_right();
}

TEST_F(Connection, ExpectsNoRepliesToManyRequestsThatAreCancelled) {
  for (int i = 0; i < 500; ++i) {
    begin_in_fragments();
    connection->abandon();
  }
  const Request last = send();
  EXPECT_TRUE(connection->awaits_replies());
  script->arrives(reply(last.id).bytes());
  EXPECT_TRUE(is_answered(last.id));
  EXPECT_FALSE(connection->awaits_replies());
  EXPECT_TRUE(connection->usable());
}

TEST_F(Connection, CountsCancellationsAmongWhatWasSent) {
  const Request first = send();
  std::size_t later = 0;
  for (int i = 0; i < 20; ++i) {
    begin_in_fragments();
    connection->abandon();
  }
  const auto frames = script->frames();
  for (std::size_t i = 1; i < frames.size(); ++i) later += frames[i].size();
  script->bytes_not_taken = later;
  EXPECT_FALSE(connection->never_arrived(first.position)) << "the server has all of it, and nothing behind it";
  script->bytes_not_taken = later + frames[0].size();
  EXPECT_TRUE(connection->never_arrived(first.position));
}

TEST_F(Connection, SendsACancellationWithinATime) {
  begin_in_fragments();
  const std::size_t before = script->deadlines().size();
  connection->abandon();
  const auto deadlines = script->deadlines();
  ASSERT_GT(deadlines.size(), before);
  for (std::size_t i = before; i < deadlines.size(); ++i) {
    EXPECT_FALSE(deadlines[i].is_never());
    EXPECT_LE(deadlines[i].ns, Deadline::in_ms(5'000).ns);
  }
  EXPECT_TRUE(connection->usable());
}

TEST_F(Connection, EndsWhereACancellationCannotBeSent) {
  begin_in_fragments();
  script->on_commit = [](const Octets&) { return Error{Remedy::wait, "full"}; };
  connection->abandon();
  EXPECT_TRUE(script->closed());
  EXPECT_FALSE(connection->usable());
}

TEST_F(Connection, ClosesWithoutTheLockThatOthersTakeWhereNoReplyComes) {
  connection->may_lose_messages();
  bool others_go_on = false;
  script->on_close = [&] {
    auto other = std::async(std::launch::async, [&] { return connection->awaits_replies(); });
    others_go_on = other.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
    // Where they do not, `other` ends behind the lock: not here.
    if (!others_go_on) std::thread([waits = std::move(other)]() mutable { waits.wait(); }).detach();
  };
  for (int i = 0; i < 2'000 && !script->closed(); ++i) {
    const Request request = send();
    ASSERT_TRUE(request.sent);
    ClientConnection::Reply none;
    EXPECT_FALSE(connection->await(request.id, kNow, none));
  }
  EXPECT_TRUE(script->closed());
  EXPECT_TRUE(others_go_on);
}

TEST_F(Connection, KeepsNoMemoryOfAFragmentedReplyThatIsDoneWith) {
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
  script->arrives(Message(giop::MessageType::fragment).ulong(request.id).ulong(0).bytes());
  ClientConnection::Reply reply;
  ASSERT_TRUE(connection->await(request.id, hang(), reply));
  EXPECT_GE(reply.message.size(), 2'000'000u);
  connection->release(reply);
  EXPECT_LT(used(), before + 1'000'000);
  EXPECT_EQ(budget->bytes(), 0u);
}

TEST_F(Connection, TellsHowManyQueuedCallsWereLost) {
  batch();
  EXPECT_TRUE(send(false).sent);
  EXPECT_TRUE(send(false).sent);
  EXPECT_EQ(connection->lost_calls(), 0u);
  EXPECT_TRUE(send().sent) << "takes them along";
  EXPECT_TRUE(send(false).sent);
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{Remedy::reconnect, "the server has gone"};
  };
  capture_log();
  EXPECT_FALSE(send().sent);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("one-way calls that were queued are lost, 1 at most: the server has gone"));
  EXPECT_EQ(connection->lost_calls(), 1u);
}

TEST_F(Connection, TellsOfQueuedCallsThatTheOneThatFillsTheBatchLoses) {
  connection->batch({3'600'000'000'000, 140, &flusher});
  EXPECT_TRUE(send(false).sent);
  EXPECT_TRUE(send(false).sent);
  script->on_commit = [&](const Octets&) {
    script->close();
    return Error{Remedy::reconnect, "the server has gone"};
  };
  capture_log();
  EXPECT_FALSE(send(false).sent);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("one-way calls that were queued are lost, 2 at most"));
  EXPECT_EQ(connection->lost_calls(), 2u);
}

TEST_F(Connection, TellsOfQueuedCallsThatWereLostWhenTheServerClosed) {
  batch();
  EXPECT_TRUE(send(false).sent);
  script->arrives(Message(giop::MessageType::close_connection).bytes());
  connection->look_for_end();
  EXPECT_EQ(connection->lost_calls(), 1u);
  script->on_flush = [] {
    ADD_FAILURE() << "a server that has closed takes nothing";
    return Result<void>();
  };
  EXPECT_TRUE(connection->flush(hang()));
  EXPECT_EQ(connection->lost_calls(), 1u);
}

TEST_F(Connection, TellsOfQueuedCallsThatTheServersHostDidNotTake) {
  batch();
  EXPECT_TRUE(send(false).sent);
  EXPECT_TRUE(send(false).sent);
  const Request request = send();  // takes them along
  script->close();
  ClientConnection::Reply none;
  EXPECT_FALSE(connection->await(request.id, hang(), none));
  const std::size_t all = connection->position(), last = all - request.position;
  script->bytes_not_taken = last;
  EXPECT_EQ(connection->lost_calls(), 0u);
  script->bytes_not_taken = last + 1;
  EXPECT_EQ(connection->lost_calls(), 2u);
}

TEST_F(Connection, KeepsQueuedCallsWhereNothingLeftUntilTheDeadline) {
  batch();
  EXPECT_TRUE(send(false).sent);
  script->on_commit = [](const Octets&) { return Error{Remedy::wait, "full"}; };
  EXPECT_FALSE(send().sent);
  bool flushed = false;
  script->on_flush = [&] {
    flushed = true;
    return Result<void>();
  };
  EXPECT_TRUE(connection->flush(hang()));
  EXPECT_TRUE(flushed) << "it was queued still";
  EXPECT_TRUE(connection->usable());
}

TEST_F(Connection, IsEndedWhereTheFragmentsOfAReplyExceedTheBudget) {
  const auto small = std::make_shared<ReceiveBudget>(100'000);
  connection->close();
  script = std::make_shared<ChannelScript>();
  connection = CORBA::make_reference<ClientConnection>(std::make_unique<ScriptedChannel>(script), "scripted", kMaxMessage,
                                                       nullptr, small);
  const Request request = send();
  Octets first = reply(request.id).octets(Octets(200'000 - 28)).bytes();
  first[6] |= 2;
  script->arrives(first);
  ClientConnection::Reply none;
  const auto arrived = connection->await(request.id, hang(), none);
  ASSERT_FALSE(arrived);
  EXPECT_THAT(arrived.error().message, HasSubstr("-ORBMaxReceiveBytes"));
}

}  // namespace
}  // namespace orbtest
