// CancelRequest: a call whose time is over is not executed if the server has not begun it.
#include <gmock/gmock.h>

#include <cstring>
#include <string>

#include "giop/control_messages.h"
#include "orb/server/request_queue.h"
#include "testing/giop_builder.h"
#include "testing/queue_server.h"
#include "testing/raw_peer.h"
#include "testing/thread_mode.h"

namespace orbtest {
namespace {

using orbweaver::giop::cancel_request;
using orbweaver::giop::kGiop12;
using orbweaver::giop::MessageType;
using ::testing::HasSubstr;
using ::testing::Not;

/// Sends requests and CancelRequests without an ORB, to a server with this thread policy.
struct Canceller {
  explicit Canceller(const std::string& threads) : server(threads, "tcp") {}
  void send(const std::string& reference, std::uint32_t id, const char* operation, std::uint32_t argument) {
    peer.sends(request(id, where(reference).key, operation).ulong(argument).bytes());
  }
  void cancel(std::uint32_t id) {
    const auto message = cancel_request(kGiop12, id);
    peer.sends(Octets(message.begin(), message.end()));
  }
  /// Receives the reply to `id`, as text without NUL; empty if the next message is another one.
  std::string reply_to(std::uint32_t id) {
    const auto message = peer.receives();
    std::uint32_t answered = 0;
    if (!message || message->size() < 16 || (*message)[7] != static_cast<std::uint8_t>(MessageType::reply))
      return {};
    std::memcpy(&answered, message->data() + 12, sizeof answered);
    if (answered != id) return {};
    std::string text(message->begin(), message->end());
    std::erase(text, '\0');  // the message of an exception is UTF-16
    return text;
  }
  /// Returns when all messages before have been read.
  void wait_until_read(std::uint32_t id) {
    send(server.plain_reference, id, "twice", 1);
    ASSERT_THAT(reply_to(id), Not(HasSubstr("CORBA"))) << id;
  }

  QueueServer server;
  RawPeer peer = RawPeer::to(where(server.slow_reference).port);
};

struct CancelRequest : ::testing::TestWithParam<std::string>, Canceller {
  CancelRequest() : Canceller(GetParam()) {}
};

TEST_P(CancelRequest, RejectsARequestThatWaitsInAQueue) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  send(server.slow_reference, 2, "_set_value", 42);
  send(server.slow_reference, 3, "_get_value", 0);
  cancel(2);
  wait_until_read(4);
  server.slow->gate.open();
  EXPECT_THAT(reply_to(1), Not(HasSubstr("CORBA")));
  const std::string rejected = reply_to(2);
  EXPECT_THAT(rejected, HasSubstr("CORBA/TRANSIENT"));
  EXPECT_THAT(rejected, HasSubstr("cancelled"));
  EXPECT_THAT(reply_to(3), Not(HasSubstr("CORBA")));
  EXPECT_NE(server.slow->value(), 42) << "it was executed";
}

TEST_P(CancelRequest, RejectsARequestHeldByItsPoaManager) {
  server.poa->the_POAManager()->hold_requests(false);
  send(server.slow_reference, 1, "_set_value", 42);
  cancel(1);
  wait_until_read(2);
  server.poa->the_POAManager()->activate();
  EXPECT_THAT(reply_to(1), HasSubstr("CORBA/TRANSIENT"));
  EXPECT_NE(server.slow->value(), 42) << "it was executed";
}

TEST_P(CancelRequest, DoesNotAffectARequestInService) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  cancel(1);
  wait_until_read(2);
  server.slow->gate.open();
  EXPECT_THAT(reply_to(1), Not(HasSubstr("CORBA")));
}

TEST_P(CancelRequest, ThatIsMalformedClosesTheConnection) {
  peer.sends(Message(MessageType::cancel_request).bytes());
  const auto answer = peer.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)[7], static_cast<std::uint8_t>(MessageType::message_error));
  EXPECT_TRUE(peer.is_closed());
}

INSTANTIATE_TEST_SUITE_P(Modes, CancelRequest, ::testing::Values("connection", "pool:3", "unordered:3"),
                         thread_policy_name);

struct UnknownCancelRequest : ::testing::Test, Canceller {
  UnknownCancelRequest() : Canceller("connection") {}
};

TEST_F(UnknownCancelRequest, IsForgottenWhenThereIsNoRequest) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  cancel(7);
  wait_until_read(2);
  server.slow->gate.open();
  EXPECT_THAT(reply_to(1), Not(HasSubstr("CORBA")));
  // The end of the request may come after its reply.
  ASSERT_TRUE(becomes_true([&] { return server.endpoints().request_queues().bytes() == 0; }));
  send(server.slow_reference, 7, "twice", 1);
  EXPECT_THAT(reply_to(7), Not(HasSubstr("CORBA")));
}

TEST_F(UnknownCancelRequest, IsNotKeptBeyondTheNumberOfRequests) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  cancel(7);
  cancel(8);  // one request, one id
  wait_until_read(2);
  send(server.slow_reference, 8, "twice", 1);
  send(server.slow_reference, 7, "twice", 1);
  wait_until_read(3);
  server.slow->gate.open();
  EXPECT_THAT(reply_to(1), Not(HasSubstr("CORBA")));
  EXPECT_THAT(reply_to(8), Not(HasSubstr("CORBA")));
  EXPECT_THAT(reply_to(7), HasSubstr("cancelled"));
}

/// A client whose time is over.
struct CancelledCalls : ::testing::TestWithParam<std::string> {};

TEST_P(CancelledCalls, AreNotExecutedLater) {
  QueueServer server("connection", GetParam());
  TestOrb patient({"-ORBTransportPreference", GetParam(), "-ORBCallTimeout", "120000"});
  TestOrb impatient({"-ORBTransportPreference", GetParam(), "-ORBCallTimeout", "50"});
  const CallsRef slow = patient.at(server.slow_reference), late = impatient.unchecked(server.slow_reference),
                 other = impatient.unchecked(server.plain_reference);
  slow->note_at_gate(1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  EXPECT_THROW(late->value(42), CORBA::TIMEOUT);
  other->note(1);  // over the same connection, behind the CancelRequest
  ASSERT_TRUE(becomes_true([&] { return !server.plain->notes().empty(); }));
  server.slow->gate.open();
  EXPECT_NE(slow->value(), 42) << "the call was executed after its time";
}

INSTANTIATE_TEST_SUITE_P(Transports, CancelledCalls,
                         ::testing::Values("inproc", "shm", "unix", "mqueue", "tcp"),
                         [](const auto& transport) { return transport.param; });

}  // namespace
}  // namespace orbtest
