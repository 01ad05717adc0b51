// RequestSender and ReplyReader without a ClientConnection, over a scripted channel.
#include <gtest/gtest.h>

#include <future>

#include "orb/client/reply_reader.h"
#include "orb/client/request_sender.h"
#include "orb/flusher.h"
#include "testing/scripted_channel.h"

namespace orbtest {
namespace {

using orbweaver::Deadline;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::orb::Reply;

struct Owner final : orbweaver::orb::Flushable {
  std::int64_t flush_due() override { return 0; }
};

struct ConnectionParts : ::testing::Test {
  std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  orbweaver::orb::FlushablePtr owner = CORBA::make_reference<Owner>();
  int closes = 0;
  orbweaver::orb::ConnectionState state{std::make_unique<ScriptedChannel>(script), "scripted"};
  orbweaver::orb::ReplyTable replies;
  orbweaver::orb::RequestSender sender{state, replies, reader, *owner, nullptr};
  orbweaver::orb::ReplyReader reader{
      state, replies, 1 << 20, nullptr, nullptr, [this] { ++closes; }, [](const std::string&) {}};
  Reply received;

  orbweaver::Result<void> send(bool two_way = true) {
    EXPECT_TRUE(sender.claim(24, Deadline::never()));
    sender.next_request_id();
    return sender.commit(24, two_way, Deadline::never());
  }
};

using RequestSenderTest = ConnectionParts;
using ReplyReaderTest = ConnectionParts;

TEST_F(RequestSenderTest, CountsTwoWayRequestsOnly) {
  ASSERT_TRUE(send(false));
  EXPECT_EQ(replies.outstanding(), 0u);
  ASSERT_TRUE(send());
  EXPECT_EQ(replies.outstanding(), 1u);
  EXPECT_EQ(sender.committed(), 48u);
}

TEST_F(RequestSenderTest, ReleasesTheLockWhenNothingCanBeClaimed) {
  script->close();
  EXPECT_FALSE(sender.claim(24, Deadline::never()));
  EXPECT_FALSE(state.usable);
  EXPECT_TRUE(sender.lock_if_unused());
}

TEST_F(RequestSenderTest, HoldsTheLockFromClaimToAbandon) {
  ASSERT_TRUE(sender.claim(24, Deadline::never()));
  EXPECT_FALSE(sender.lock_if_unused());
  const auto second = sender.claim(24, Deadline{0});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::timed_out);
  sender.abandon();
  EXPECT_TRUE(sender.lock_if_unused());
}

TEST_F(RequestSenderTest, TakesBackARequestOfWhichNothingWasSent) {
  script->on_commit = [](const Octets&) { return Error{ErrorKind::timed_out, "full"}; };
  EXPECT_FALSE(send());
  EXPECT_EQ(sender.committed(), 0u);
  EXPECT_FALSE(replies.has_outstanding());
  EXPECT_TRUE(state.usable);
}

TEST_F(RequestSenderTest, ReadsWhatTheServerSentLastAfterAFailedSend) {
  script->on_commit = [&](const Octets&) { return Error{ErrorKind::disconnected, "gone"}; };
  script->arrives(Message(orbweaver::giop::MessageType::close_connection).bytes());
  EXPECT_FALSE(send());
  EXPECT_TRUE(state.closed_orderly);
}

TEST_F(RequestSenderTest, HoldsTheLockUntilAWholeRequestIsSent) {
  ASSERT_TRUE(sender.try_lock_to_send(false));
  EXPECT_FALSE(sender.lock_if_unused());
  EXPECT_FALSE(sender.try_lock_to_send(false));
  EXPECT_EQ(sender.next_request_id(), 1u);
  EXPECT_TRUE(sender.send(Octets(24), true, Deadline::never()));
  EXPECT_EQ(replies.outstanding(), 1u);
  EXPECT_EQ(sender.committed(), 24u);
  EXPECT_TRUE(sender.lock_if_unused());
}

TEST_F(RequestSenderTest, TakesBackAWholeRequestThatWasNotSent) {
  for (const ErrorKind kind : {ErrorKind::timed_out, ErrorKind::unavailable}) {
    script->on_commit = [kind](const Octets&) { return Error{kind, "full, or too large"}; };
    ASSERT_TRUE(sender.try_lock_to_send(false));
    sender.next_request_id();
    const auto sent = sender.send(Octets(24), true, Deadline::never());
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().kind, kind);
    EXPECT_EQ(sender.committed(), 0u);
    EXPECT_EQ(replies.outstanding(), 0u);
    EXPECT_TRUE(state.usable);
    EXPECT_TRUE(sender.lock_if_unused());
  }
}

TEST_F(RequestSenderTest, EndsTheConnectionWhenAWholeRequestFails) {
  script->on_commit = [](const Octets&) { return Error{ErrorKind::disconnected, "gone"}; };
  script->arrives(Message(orbweaver::giop::MessageType::close_connection).bytes());
  ASSERT_TRUE(sender.try_lock_to_send(false));
  EXPECT_FALSE(sender.send(Octets(24), true, Deadline::never()));
  EXPECT_FALSE(state.usable);
  EXPECT_TRUE(state.closed_orderly) << "what the server sent last was not read";
  EXPECT_TRUE(sender.lock_if_unused());
}

TEST_F(RequestSenderTest, LeavesTheCodeSetsContextToAClaimedRequest) {
  EXPECT_FALSE(sender.try_lock_to_send(true));
  ASSERT_TRUE(sender.claim(24, Deadline::never()));
  sender.next_request_id();
  EXPECT_FALSE(sender.exchange_code_sets_sent());
  ASSERT_TRUE(sender.commit(24, true, Deadline::never()));
  EXPECT_TRUE(sender.try_lock_to_send(true));
  EXPECT_TRUE(sender.send(Octets(24), true, Deadline::never()));
}

TEST_F(RequestSenderTest, LeavesOneWayCallsToTheBatch) {
  orbweaver::orb::Flusher flusher;
  sender.set_batching({3'600'000'000'000, 65536, &flusher});
  EXPECT_FALSE(sender.try_lock_to_send(false));
  EXPECT_TRUE(sender.lock_if_unused());
  flusher.stop();
}

TEST_F(ReplyReaderTest, TakesAPlainReplyAsItWasReceived) {
  ASSERT_TRUE(send());
  script->arrives(reply(1).bytes());
  ASSERT_TRUE(reader.try_begin_reading());
  EXPECT_FALSE(reader.try_begin_reading());
  const auto frame = reader.receive_first(Deadline::never());
  EXPECT_FALSE(reader.take_if_plain(frame, 2));
  ASSERT_TRUE(reader.take_if_plain(frame, 1));
  EXPECT_FALSE(replies.has_outstanding());
  EXPECT_FALSE(reader.take_if_plain(frame, 1)) << "no further reply is expected";
  EXPECT_FALSE(reader.try_take_role_for_close());
  reader.release_plain();
  EXPECT_TRUE(reader.try_take_role_for_close());
}

TEST_F(ReplyReaderTest, LeavesAStoredReplyToAwait) {
  ASSERT_TRUE(send());
  ASSERT_TRUE(send());
  script->arrives(reply(2).bytes());
  script->arrives(reply(1).bytes());
  ASSERT_TRUE(reader.await(1, Deadline::never(), received));
  reader.release(received);
  EXPECT_FALSE(reader.try_begin_reading());
  EXPECT_TRUE(reader.try_take_role_for_close()) << "the role was kept";
}

TEST_F(ReplyReaderTest, HoldsTheReaderRoleUntilTheReplyIsReleased) {
  ASSERT_TRUE(send());
  script->arrives(reply(1).bytes());
  ASSERT_TRUE(reader.await(1, Deadline::never(), received));
  EXPECT_TRUE(received.plain);
  EXPECT_FALSE(reader.try_take_role_for_close());
  reader.release(received);
  EXPECT_TRUE(reader.try_take_role_for_close());
}

TEST_F(ReplyReaderTest, StoresRepliesOfOtherThreads) {
  ASSERT_TRUE(send());
  ASSERT_TRUE(send());
  script->arrives(reply(2).bytes());
  script->arrives(reply(1).bytes());
  ASSERT_TRUE(reader.await(1, Deadline::never(), received));
  reader.release(received);
  Reply second;
  ASSERT_TRUE(reader.await(2, Deadline::never(), second));
  EXPECT_FALSE(second.in_channel);
  EXPECT_FALSE(replies.has_outstanding());
}

TEST_F(ReplyReaderTest, IgnoresALateReply) {
  ASSERT_TRUE(send());
  EXPECT_FALSE(reader.await(1, Deadline{0}, received));
  script->arrives(reply(1).bytes());
  reader.check_for_close();
  EXPECT_FALSE(replies.has_early());
  EXPECT_TRUE(state.usable);
}

TEST_F(ReplyReaderTest, ClosesTheConnectionWhenTooManyRepliesAreLate) {
  for (std::size_t i = 0; i < orbweaver::orb::kMaxIgnoredReplies; ++i)
    EXPECT_FALSE(reader.await(static_cast<std::uint32_t>(i + 1), Deadline{0}, received));
  EXPECT_EQ(closes, 0);
  EXPECT_FALSE(reader.await(4711, Deadline{0}, received));
  EXPECT_EQ(closes, 1);
}

TEST_F(ReplyReaderTest, ClosesTheChannelAtAReplyThatNobodyExpects) {
  script->arrives(reply(4711).bytes());
  reader.check_for_close();
  EXPECT_FALSE(state.usable);
  EXPECT_TRUE(script->closed());
}

}  // namespace
}  // namespace orbtest
