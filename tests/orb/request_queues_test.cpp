// RequestQueuePolicy: each object of a POA has a queue of its own, so that a slow object does not delay the
// others.
#include <gmock/gmock.h>

#include <orbweaver/loan.h>
#include <orbweaver/request_queue.h>

#include <numeric>
#include <optional>
#include <ostream>

#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "orb/server/request_queue.h"
#include "platform/testing/thread_observer.h"
#include "platform/testing/waiting_thread.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::make_request_queue_policy;
using orbweaver::giop::MessageType;
using orbweaver::platform::testing::other_threads_sleep;
using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace minor = orbweaver::minor;

constexpr std::size_t kLimit = 3;  // requests of one object
constexpr std::size_t kBytes = std::size_t{8} << 20;

OrbTest::Numbers numbers(std::int32_t from, std::int32_t to) {
  OrbTest::Numbers all(static_cast<std::size_t>(to - from + 1));
  std::iota(all.begin(), all.end(), from);
  return all;
}

struct Mode {
  std::string threads, transport;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.threads << " over " << mode.transport; }
std::string name_of(const ::testing::TestParamInfo<Mode>& info) {
  std::string name = info.param.threads + "_" + info.param.transport;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
std::vector<Mode> modes(const std::vector<const char*>& threads) {
  std::vector<Mode> all;
  for (const char* each : threads) {
    for (const char* transport : {"inproc", "shm", "unix", "mqueue", "tcp", "udp"})
      all.push_back({each, transport});
  }
  return all;
}

/// A server with two objects that have queues, `slow` and `fast`, and one without, `plain`.
struct Server {
  explicit Server(const std::string& threads, const std::string& transport, std::size_t idle_timeout_ms = 0)
      : broker({"-ORBThreads", threads, "-ORBListen", transport, "-ORBTune",
                "idle-timeout-ms=" + std::to_string(idle_timeout_ms)}),
        poa(make_poa(broker.root, "queued", {make_request_queue_policy(kLimit, kBytes)})) {
    poa->activate_object(slow);
    poa->activate_object(fast);
    slow_reference = broker.reference(poa, slow);
    fast_reference = broker.reference(poa, fast);
    plain_reference = broker.serve(plain);
    if (threads == "single") running_ = std::thread([orb = broker.orb] { orb->run(); });
  }
  ~Server() {
    slow->gate.open();
    fast->gate.open();
    end();
  }
  void end() {
    poa = nullptr;
    if (running_.joinable()) broker.orb->shutdown(false);
    if (running_.joinable()) running_.join();
    broker.destroy();
  }

  const ServantRef slow = CORBA::make_reference<Servant>(), fast = CORBA::make_reference<Servant>(),
                   plain = CORBA::make_reference<Servant>();
  TestOrb broker;
  PoaRef poa;
  std::string slow_reference, fast_reference, plain_reference;

 private:
  std::thread running_;
};

/// A server, and a client that calls its objects over one connection.
struct RequestQueues : ::testing::TestWithParam<Mode> {
  Options over_this_transport() const {
    return {"-ORBTransportPreference", GetParam().transport, "-ORBCallTimeout", "120000"};
  }
  /// Lets `slow` wait in its first request, with `more` one-way requests behind it.
  void occupy(std::int32_t more) {
    slow->note_at_gate(1);
    ASSERT_TRUE(server.slow->gate.reached_by(1));
    for (std::int32_t n = 2; n <= 1 + more; ++n) slow->note(n);
  }
  bool notes(const ServantRef& servant, std::size_t count) {
    return becomes_true([&] { return servant->notes().size() >= count; });
  }

  Server server{GetParam().threads, GetParam().transport};
  TestOrb client{over_this_transport()};
  const CallsRef slow = client.unchecked(server.slow_reference),
                 fast = client.unchecked(server.fast_reference),
                 plain = client.unchecked(server.plain_reference);
};

TEST_P(RequestQueues, MatchRepliesToRequests) {
  std::vector<std::thread> threads;
  for (std::int32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const CallsRef& calls = t == 0 ? slow : t == 1 ? fast : plain;
      for (std::int32_t i = 0; i < 100; ++i) ASSERT_EQ(calls->twice(1000 * t + i), 2 * (1000 * t + i));
      // A message and a reply that do not fit into the buffers.
      const OrbTest::Octets sent(GetParam().transport == "udp" ? 20'000 : 3'000'000,
                                 static_cast<std::uint8_t>(t));
      ASSERT_TRUE(calls->echo(sent) == sent);
      EXPECT_THROW(calls->greet(""), OrbTest::Refused);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(RequestQueues, HoldRequestsOfTheirObjectOnly) {
  server.poa->the_POAManager()->hold_requests(false);
  for (const std::int32_t n : numbers(1, kLimit)) slow->note(n);
  EXPECT_EQ(plain->twice(4), 8) << "over the same connection";
  EXPECT_THAT(server.slow->notes(), IsEmpty());
  server.poa->the_POAManager()->activate();
  EXPECT_TRUE(notes(server.slow, kLimit));
  EXPECT_EQ(server.slow->notes(), numbers(1, kLimit));
}

TEST_P(RequestQueues, RejectRequestsWhileTheirManagerDiscards) {
  server.poa->the_POAManager()->discard_requests(false);
  EXPECT_EQ(raised_by<CORBA::TRANSIENT>([&] { slow->twice(1); }, minor::kDiscarding),
            "the object's POA manager is discarding requests");
  server.poa->the_POAManager()->activate();
  EXPECT_EQ(slow->twice(1), 2);
}

TEST_P(RequestQueues, ServeTheRequestsOfAClientThatHasEnded) {
  server.poa->the_POAManager()->hold_requests(false);
  for (const std::int32_t n : numbers(1, kLimit)) slow->note(n);
  EXPECT_EQ(plain->twice(4), 8);  // the notes are in the queue
  client.destroy();
  server.poa->the_POAManager()->activate();
  EXPECT_TRUE(notes(server.slow, kLimit));
}

TEST_P(RequestQueues, HaveNoRequestAfterTheOrbIsDestroyed) {
  const std::size_t threads_before = threads();
  EXPECT_EQ(slow->twice(4), 8);
  for (const std::int32_t n : numbers(1, 20)) slow->note(n);
  client.destroy();
  server.end();
  EXPECT_LE(threads(), threads_before);
}

INSTANTIATE_TEST_SUITE_P(Modes, RequestQueues,
                         ::testing::ValuesIn(modes({"connection", "pool:2", "unordered:2", "single"})),
                         name_of);

/// Modes in which a servant that waits does not occupy the only thread.
struct ConcurrentRequestQueues : RequestQueues {};

TEST_P(ConcurrentRequestQueues, DoNotDelayOtherObjectsOfTheConnection) {
  occupy(kLimit - 1);
  for (std::int32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(fast->twice(i), 2 * i);
    EXPECT_EQ(plain->twice(i), 2 * i);
  }
  EXPECT_THAT(server.slow->notes(), IsEmpty());
  server.slow->gate.open();
  EXPECT_TRUE(notes(server.slow, kLimit));
  EXPECT_EQ(server.slow->notes(), numbers(1, kLimit));
}

TEST_P(ConcurrentRequestQueues, DelayTheirConnectionWhenFullAndLoseNothing) {
  occupy(kLimit - 1);
  EXPECT_EQ(fast->twice(4), 8) << "the queue is not longer than its limit";
  std::thread sending([&] {  // waits when the queues of the transport are full, too
    for (const std::int32_t n : numbers(kLimit + 1, 60)) slow->note(n);
    fast->note(1);
  });
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  EXPECT_THAT(server.fast->notes(), IsEmpty()) << "read while the queue before it was full";
  TestOrb other(over_this_transport());
  EXPECT_EQ(other.at(server.fast_reference)->twice(4), 8) << "another connection is not delayed";
  server.slow->gate.open();
  sending.join();
  EXPECT_TRUE(notes(server.slow, 60));
  EXPECT_EQ(server.slow->notes(), numbers(1, 60));
  EXPECT_TRUE(notes(server.fast, 1));
}

TEST_P(ConcurrentRequestQueues, RejectTheRequestsOfADeactivatedObject) {
  occupy(kLimit - 2);
  const auto raises = [&] {
    EXPECT_THAT(raised_by<CORBA::OBJECT_NOT_EXIST>([&] { slow->twice(1); }, minor::kNoSuchObject),
                HasSubstr("deactivated"));
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) callers.emplace_back(raises);  // in the queue, and waiting for it
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  server.poa->deactivate_object(server.poa->servant_to_id(server.slow));
  server.slow->gate.open();
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(server.slow->notes(), ElementsAre(1)) << "a request in the queue was executed";
  EXPECT_EQ(fast->twice(4), 8);
}

TEST_P(ConcurrentRequestQueues, ResumeTheConnectionWhenTheObjectIsDeactivated) {
  occupy(kLimit);
  std::thread waiting([&] { EXPECT_EQ(fast->twice(4), 8); });  // behind a request that waits for the queue
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  server.poa->deactivate_object(server.poa->servant_to_id(server.slow));
  waiting.join();  // while the gate is closed
}

TEST_P(ConcurrentRequestQueues, RejectRequestsOfADestroyedPoa) {
  occupy(1);
  std::thread caller([&] { EXPECT_THROW(slow->twice(1), CORBA::OBJECT_NOT_EXIST); });
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  server.poa->destroy(true, false);
  server.slow->gate.open();
  caller.join();
  EXPECT_EQ(plain->twice(4), 8);
}

TEST_P(ConcurrentRequestQueues, AreServedBeforeTheOrbIsDestroyed) {
  occupy(kLimit - 1);
  EXPECT_EQ(plain->twice(4), 8);  // all are in the queue
  slow->note(99);                 // waits for space: counts as not read
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  WaitingThread destroying([&] { server.end(); });
  EXPECT_TRUE(destroying.waits());
  server.slow->gate.open();
  destroying.join();
  EXPECT_EQ(server.slow->notes(), numbers(1, kLimit));
}

INSTANTIATE_TEST_SUITE_P(Modes, ConcurrentRequestQueues,
                         ::testing::ValuesIn(modes({"connection", "pool:3", "unordered:3"})), name_of);

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

  Server server{GetParam(), "tcp"};
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
  Server timed(GetParam(), "tcp", 20);
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

/// While a reply cannot be sent, the connection reads no further request. One that waits for space is queued.
TEST_P(RequestQueueMessages, KeepNoSpaceForAClientThatDoesNotReadItsReplies) {
  const auto servant = CORBA::make_reference<Servant>(std::string(15'000'000, 'x'));
  const PoaRef poa = make_poa(server.broker.root, "one", {make_request_queue_policy(1, kBytes)});
  poa->activate_object(servant);
  const std::string reference = server.broker.reference(poa, servant);
  RawPeer other = RawPeer::to(where(reference).port);
  other.sends(request(1, where(reference).key, "wait_at_gate").ulong(1).bytes());
  ASSERT_TRUE(servant->gate.reached_by(1));
  for (const std::uint32_t id : {1, 2, 3}) peer.sends(request(id, where(reference).key, "_get_name").bytes());
  servant->gate.open();
  ASSERT_TRUE(other.receives());
  TestOrb client(Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "60000"});
  EXPECT_EQ(client.at(reference)->twice(4), 8);
}

INSTANTIATE_TEST_SUITE_P(Modes, RequestQueueMessages,
                         ::testing::Values("connection", "pool:3", "unordered:3"), [](const auto& mode) {
                           std::string name = mode.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

TEST(RequestQueuesOfAnOrb, AreServedBeforeACollocatedCall) {
  Server server("connection", "inproc");
  const CallsRef here = server.broker.at(server.slow_reference);
  here->note_at_gate(1);
  here->note(2);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  OrbTest::Numbers seen;
  WaitingThread calling([&] { seen = here->notes(); });
  EXPECT_TRUE(calling.waits());
  server.slow->gate.open();
  calling.join();
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST(RequestQueuesOfAnOrb, AreOfNoUseToClientsThatAreNotAdmitted) {
  TestOrb server(Options{"-ORBListen", "unix", "-ORBDeny", "all"});
  const PoaRef poa = make_poa(server.root, "queued", {make_request_queue_policy(1, 1000)});
  const auto servant = CORBA::make_reference<Servant>();
  poa->activate_object(servant);
  TestOrb client(Options{"-ORBTransportPreference", "unix"});
  EXPECT_THROW(client.unchecked(server.reference(poa, servant))->twice(1), CORBA::NO_PERMISSION);
}

TEST(RequestQueuesOfAnOrb, AreServedByTheConnectionIfTheyHaveNoThread) {
  Server server("connection", "tcp");
  TestOrb client({"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"});
  const CallsRef slow = client.at(server.slow_reference);
  // As if no thread could be started.
  server.broker.at(server.slow_reference)->_reference()->core().endpoints().request_queues().stop();
  for (const std::int32_t n : numbers(1, 10)) slow->note(n);
  EXPECT_EQ(slow->notes(), numbers(1, 10));
  EXPECT_FALSE(slow->_non_existent());
}

TEST(RequestQueuesOfAnOrb, KeepBlocksUntilTheirRequestIsServed) {
  Server server("connection", "shm");
  TestOrb client({"-ORBTransportPreference", "shm", "-ORBCallTimeout", "120000"});
  const CallsRef slow = client.at(server.slow_reference), fast = client.at(server.fast_reference);
  slow->note_at_gate(1);
  ASSERT_TRUE(server.slow->gate.reached_by(1));
  auto block = orbweaver::loan<double>(4096), another = orbweaver::loan<double>(4096);
  std::fill(block.begin(), block.end(), 1);
  std::fill(another.begin(), another.end(), 2);
  double sum = 0;
  WaitingThread calling([&] { sum = slow->sum(block.view()); });
  EXPECT_TRUE(calling.waits());
  EXPECT_EQ(fast->sum(another.view()), 2 * 4096);
  server.slow->gate.open();
  calling.join();
  EXPECT_EQ(sum, 4096);
}

TEST(RequestQueuePolicy, HasTheValuesOfItsConstruction) {
  const auto policy = make_request_queue_policy(7, 8);
  EXPECT_EQ(policy->policy_type(), orbweaver::REQUEST_QUEUE_POLICY_TYPE);
  const auto narrowed = IDL::traits<orbweaver::RequestQueuePolicy>::narrow(policy);
  EXPECT_EQ(narrowed->max_requests(), 7u);
  EXPECT_EQ(narrowed->max_bytes(), 8u);
}

TEST(RequestQueuePolicy, RejectsValuesBeyondItsLimits) {
  const auto rejected = [](std::size_t requests, std::size_t bytes) {
    return raised_by<CORBA::BAD_PARAM>([&] { make_request_queue_policy(requests, bytes); },
                                       minor::kBadOption);
  };
  EXPECT_EQ(rejected(0, 1), "make_request_queue_policy: max_requests takes 1 to 1000000, not 0");
  EXPECT_THAT(rejected(orbweaver::kMaxQueuedRequests + 1, 1), HasSubstr("max_requests"));
  EXPECT_THAT(rejected(1, 0), HasSubstr("max_bytes takes 1 to"));
  EXPECT_THAT(rejected(1, orbweaver::kMaxQueuedBytes + 1), HasSubstr("max_bytes"));
}

TEST(RequestQueuePolicy, IsForAPoaOnce) {
  TestOrb orb;
  const auto policy = make_request_queue_policy(1, 1);
  try {
    orb.root->create_POA("twice", nullptr, {policy, policy});
    FAIL() << "the policy was accepted twice";
  } catch (const PortableServer::POA::InvalidPolicy& e) {
    EXPECT_EQ(e.index(), 1u);
  }
}

}  // namespace
}  // namespace orbtest
