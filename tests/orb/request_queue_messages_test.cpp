// Request queues of objects, as seen by clients without an ORB.
#include <gmock/gmock.h>

#include <cstring>
#include <set>
#include <thread>

#include "base/log.h"
#include "giop/locate.h"
#include "orb/minor_codes.h"
#include "orb/server/request_queue.h"
#include "orb/server/service_budget.h"
#include "platform/testing/thread_observer.h"
#include "testing/giop_builder.h"
#include "testing/queue_server.h"
#include "testing/raw_peer.h"
#include "testing/thread_mode.h"

namespace orbtest {
namespace {

using orbweaver::giop::MessageType;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// Messages of one connection, seen without an ORB.
struct RequestQueueMessages : ::testing::TestWithParam<std::string> {
  void send(const std::string& reference, std::uint32_t id, const char* operation, std::uint32_t argument) {
    peer.sends(request(id, where(reference).key, operation).ulong(argument).bytes());
  }
  /// Type and request id of the next message.
  std::pair<MessageType, std::uint32_t> next() {
    const auto message = peer.receives();
    if (!message) return {MessageType::message_error, 0};
    std::uint32_t id = 0;
    if (message->size() >= 16) std::memcpy(&id, message->data() + 12, sizeof id);
    return {static_cast<MessageType>((*message)[7]), id};
  }
  static std::pair<MessageType, std::uint32_t> reply(std::uint32_t id) { return {MessageType::reply, id}; }

  QueueServer server{GetParam(), "tcp"};
  RawPeer peer = RawPeer::to(where(server.slow_reference).port);
};

TEST_P(RequestQueueMessages, AreSentInTheOrderOfCompletion) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  send(server.slow_reference, 2, "twice", 1);
  send(server.fast_reference, 3, "twice", 1);
  EXPECT_EQ(next(), reply(3));
  send(server.plain_reference, 4, "twice", 1);
  EXPECT_EQ(next(), reply(4));
  server.slow->gate.open();
  EXPECT_EQ(next(), reply(1));
  EXPECT_EQ(next(), reply(2));
}

TEST_P(RequestQueueMessages, PrecedeCloseConnection) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  send(server.slow_reference, 2, "twice", 1);
  send(server.plain_reference, 3, "twice", 1);
  EXPECT_EQ(next(), reply(3));  // the others are in the queue
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  std::thread destroying([&] { server.end(); });
  server.slow->gate.open();
  EXPECT_EQ(next(), reply(1));
  EXPECT_EQ(next(), reply(2));
  EXPECT_EQ(next().first, MessageType::close_connection);
  EXPECT_TRUE(peer.is_closed());
  destroying.join();
}

TEST_P(RequestQueueMessages, AreDiscardedWithTheConnectionOfAMalformedRequest) {
  send(server.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  peer.sends(Message(MessageType::request).ulong(7).bytes());  // the header ends too early
  EXPECT_EQ(next().first, MessageType::message_error);
  server.slow->gate.open();
  TestOrb client(Options{"-ORBTransportPreference", "tcp"});
  EXPECT_EQ(client.at(server.slow_reference)->twice(4), 8);
}

TEST_P(RequestQueueMessages, RejectRequestsHeldAtTheShutdown) {
  server.poa->the_POAManager()->hold_requests(false);
  send(server.slow_reference, 1, "twice", 1);
  send(server.plain_reference, 2, "twice", 1);
  EXPECT_EQ(next(), reply(2));  // the first is in the queue
  std::thread destroying([&] { server.end(); });
  const auto rejection = peer.receives();
  ASSERT_TRUE(rejection);
  EXPECT_THAT(std::string(rejection->begin(), rejection->end()), HasSubstr("CORBA/OBJ_ADAPTER"));
  EXPECT_EQ(next().first, MessageType::close_connection);
  destroying.join();
}

TEST_P(RequestQueueMessages, KeepTheirConnectionFromBeingClosedAsIdle) {
  QueueServer timed(GetParam(), "tcp", {"-ORBTune", "idle-timeout-ms=20"});
  const auto timed_port = where(timed.slow_reference).port;
  peer = RawPeer::to(timed_port);
  send(timed.slow_reference, 1, "wait_at_gate", 1);
  ASSERT_TRUE(timed.slow->gate.reached_by(1));
  RawPeer idle = RawPeer::to(timed_port);
  idle.sends(request(2, where(timed.plain_reference).key, "twice").ulong(1).bytes());
  ASSERT_TRUE(idle.receives());
  const auto close = idle.receives();
  ASSERT_TRUE(close);
  EXPECT_EQ((*close)[7], static_cast<std::uint8_t>(MessageType::close_connection));
  timed.slow->gate.open();
  EXPECT_EQ(next(), reply(1)) << "the connection had been without input for longer";
}

/// A client does not read its replies, one of which cannot be sent. No further request is read, but one that
/// waits for space is put into the queue, so that others are served after it.
struct UnreadReplies : RequestQueueMessages {
  void keep_no_space(QueueServer& at, std::size_t max_requests) {
    const auto servant = CORBA::make_reference<Servant>(std::string(15'000'000, 'x'));
    const PoaRef poa =
        make_poa(at.broker.root, "one", {orbweaver::make_request_queue_policy(max_requests, 1 << 20)});
    poa->activate_object(servant);
    const std::string reference = at.broker.reference(poa, servant);
    const Octets key = where(reference).key;
    RawPeer other = RawPeer::to(where(reference).port), stuck = RawPeer::to(where(reference).port);
    other.sends(request(1, key, "wait_at_gate").ulong(1).bytes());
    ASSERT_TRUE(servant->gate.reached_by(1));
    for (const std::uint32_t id : {1, 2, 3}) stuck.sends(request(id, key, "_get_name").bytes());
    servant->gate.open();
    ASSERT_TRUE(other.receives());
    TestOrb client(Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "60000"});
    EXPECT_EQ(client.at(reference)->twice(4), 8);
  }
};

TEST_P(UnreadReplies, KeepNoSpaceInTheQueue) { keep_no_space(server, 1); }

TEST_P(UnreadReplies, KeepNoMemoryOfAllQueues) {
  QueueServer small(GetParam(), "tcp", {"-ORBTune", "request-queue-bytes=1200"});  // of one request
  keep_no_space(small, 10);
}

TEST_P(RequestQueueMessages, ThatWaitAreNotInService) {
  QueueServer limited(GetParam(), "tcp",
                      {"-ORBMaxMessageBytes", "1000000", "-ORBTune", "service-bytes=1000000"});
  const auto& waiting = limited.endpoints().request_queues().waiting();
  const Octets key = where(limited.slow_reference).key;
  RawPeer first = RawPeer::to(where(limited.slow_reference).port),
          second = RawPeer::to(where(limited.slow_reference).port);
  for (const std::uint32_t id : {1, 2, 3}) first.sends(request(id, key, "wait_at_gate").ulong(1).bytes());
  ASSERT_TRUE(limited.slow->gate.reached_by(1));
  ASSERT_TRUE(becomes_true([&] {  // all are in the queue
    return limited.endpoints().request_queues().bytes() > 3 * orbweaver::orb::RequestQueues::kRequestOverhead;
  }));
  second.sends(request(2, key, "wait_at_gate").ulong(1).octets(Octets(600'000)).bytes());
  ASSERT_TRUE(becomes_true([&] { return waiting.request_bytes() >= 600'000; }));
  TestOrb client(Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"});
  const OrbTest::Octets large(600'000);
  EXPECT_EQ(client.unchecked(limited.plain_reference)->echo(large), large);
  EXPECT_EQ(client.unchecked(limited.fast_reference)->echo(large), large) << "a queue with space";
  const CallsRef slow = client.unchecked(limited.slow_reference);
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { slow->echo(large); }, minor::kServiceBudgetExceeded),
              HasSubstr("-ORBTune service-bytes"))
      << "the memory of requests that wait is limited";
  limited.slow->gate.open();
  EXPECT_TRUE(second.receives());
  EXPECT_EQ(waiting.request_bytes(), 0u);
  EXPECT_EQ(slow->echo(large), large);
}

TEST_P(RequestQueueMessages, AreNotRejectedBecauseOthersAreInService) {
  QueueServer limited(GetParam(), "tcp",
                      {"-ORBMaxMessageBytes", "1000000", "-ORBTune", "service-bytes=1000000"});
  const Octets key = where(limited.plain_reference).key;
  RawPeer in_service = RawPeer::to(where(limited.plain_reference).port);
  in_service.sends(request(1, key, "wait_at_gate").ulong(1).octets(Octets(600'000)).bytes());
  ASSERT_TRUE(limited.plain->gate.reached_by(1));
  TestOrb client(Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"});
  const OrbTest::Octets large(600'000);
  EXPECT_EQ(client.unchecked(limited.fast_reference)->echo(large), large);
  EXPECT_THROW(client.unchecked(limited.plain_reference)->echo(large), CORBA::TRANSIENT);
  limited.plain->gate.open();
  EXPECT_TRUE(in_service.receives());
}

/// Shuts the server down in a thread, and returns when all connections are closing.
struct ShutDown {
  explicit ShutDown(QueueServer& server) : idle(RawPeer::to(where(server.plain_reference).port)) {
    idle.sends(request(1, where(server.plain_reference).key, "twice").ulong(1).bytes());
    EXPECT_TRUE(idle.receives());
    destroying = std::thread([&server] { server.end(); });
    const auto close = idle.receives();
    EXPECT_TRUE(close && (*close)[7] == static_cast<std::uint8_t>(MessageType::close_connection));
  }
  ~ShutDown() { destroying.join(); }

  RawPeer idle;  // the last one that is told
  std::thread destroying;
};

TEST_P(RequestQueueMessages, MayWaitForEachOtherAtTheShutdown) {
  server.fast->deactivate = [&] {
    EXPECT_TRUE(server.slow->gate.reached_by(1)) << "the requests of `slow` were served first";
    server.slow->gate.open(2);
  };
  send(server.slow_reference, 1, "wait_at_gate", 1);
  send(server.fast_reference, 2, "wait_at_gate", 1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  ASSERT_TRUE(server.fast->gate.reached_by(1));
  send(server.slow_reference, 3, "wait_at_gate", 2);
  send(server.fast_reference, 4, "deactivate_me", 0);
  send(server.plain_reference, 5, "twice", 1);
  EXPECT_EQ(next(), reply(5));
  const ShutDown shutdown(server);
  server.slow->gate.open(1);
  server.fast->gate.open(1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(next().first, MessageType::reply);
  EXPECT_EQ(next().first, MessageType::close_connection);
}

/// Also if a turn of the connection finds that it is closing.
TEST_P(RequestQueueMessages, KeepTheirConnectionUntilTheReplyIsReadAtTheShutdown) {
  const auto servant = CORBA::make_reference<Servant>(std::string(15'000'000, 'x'));
  server.poa->activate_object(servant);
  const std::string reference = server.broker.reference(server.poa, servant);
  send(reference, 1, "wait_at_gate", 1);
  peer.sends(request(2, where(reference).key, "_get_name").bytes());
  send(server.plain_reference, 3, "twice", 1);
  EXPECT_EQ(next(), reply(3));
  ASSERT_TRUE(servant->gate.reached_by(1));
  orbweaver::log::set_level("warn");
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  {
    const ShutDown shutdown(server);
    send(server.plain_reference, 4, "twice", 1);
    EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
    servant->gate.open();
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("client does not read its reply"));
}

/// A POA has been destroyed, and created again under its name without the policy.
TEST_P(RequestQueueMessages, DoNotReachAnObjectWithAnotherQueueOrNone) {
  const auto create = [&](CORBA::PolicyList policies) {
    policies.push_back(
        server.broker.root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT));
    policies.push_back(
        server.broker.root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID));
    return make_poa(server.broker.root, "kept", policies);
  };
  const auto id = PortableServer::string_to_ObjectId("object");
  const auto before = CORBA::make_reference<Servant>(), after = CORBA::make_reference<Servant>();
  const PoaRef first = create({orbweaver::make_request_queue_policy(10, 1 << 20)});
  first->activate_object_with_id(id, before);
  const std::string reference = server.broker.reference(first, before);
  const Octets key = where(reference).key;
  send(reference, 1, "wait_at_gate", 1);
  send(reference, 2, "note", 2);
  peer.sends(Message(MessageType::locate_request).ulong(3).ushort(0).octets(key).bytes());
  send(server.plain_reference, 4, "twice", 1);
  EXPECT_EQ(next(), reply(4));
  ASSERT_TRUE(before->gate.reached_by(1));
  first->destroy(true, false);
  create({})->activate_object_with_id(id, after);
  before->gate.open();
  EXPECT_EQ(next(), reply(1));
  const auto rejection = peer.receives();
  ASSERT_TRUE(rejection);
  EXPECT_THAT(std::string(rejection->begin(), rejection->end()), HasSubstr("CORBA/OBJECT_NOT_EXIST"));
  const auto located = peer.receives();
  ASSERT_TRUE(located && located->size() >= 20);
  EXPECT_EQ((*located)[16], static_cast<std::uint8_t>(orbweaver::giop::LocateStatus::unknown_object));
  EXPECT_TRUE(after->notes().empty());
}

/// Modes in which threads are not created for connections or queues.
struct RequestQueuesInAPool : RequestQueueMessages {};

TEST_P(RequestQueuesInAPool, NeedNoThreadForEachObjectOfASingleThreadedPoa) {
  const PoaRef poa = make_poa(
      server.broker.root, "single",
      {orbweaver::make_request_queue_policy(10, 1 << 20),
       server.broker.root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  std::vector<ServantRef> servants;
  std::vector<std::string> references;
  for (int i = 0; i < 10; ++i) {
    servants.push_back(CORBA::make_reference<Servant>());
    poa->activate_object(servants.back());
    references.push_back(server.broker.reference(poa, servants.back()));
  }
  send(references[0], 0, "wait_at_gate", 1);
  ASSERT_TRUE(servants[0]->gate.reached_by(1));
  const std::size_t before = threads();
  for (std::uint32_t i = 1; i < 10; ++i) send(references[i], i, "twice", i);
  send(server.plain_reference, 10, "twice", 1);
  EXPECT_EQ(next(), reply(10));  // all are in their queues
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  EXPECT_EQ(threads(), before);
  servants[0]->gate.open();
  std::set<std::uint32_t> replied;
  for (int i = 0; i < 10; ++i) replied.insert(next().second);
  EXPECT_EQ(replied.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Modes, RequestQueueMessages,
                         ::testing::Values("connection", "pool:3", "unordered:3"), thread_policy_name);
INSTANTIATE_TEST_SUITE_P(Modes, UnreadReplies, ::testing::Values("connection", "pool:3", "unordered:3"),
                         thread_policy_name);
INSTANTIATE_TEST_SUITE_P(Modes, RequestQueuesInAPool, ::testing::Values("pool:3", "unordered:3"),
                         thread_policy_name);

}  // namespace
}  // namespace orbtest
