// RequestQueuePolicy: each object of a POA has a queue of its own, so that a slow object does not delay the
// others.
#include <gmock/gmock.h>

#include <orbweaver/loan.h>
#include <orbweaver/request_queue.h>

#include <optional>

#include "orb/minor_codes.h"
#include "orb/server/request_queue.h"
#include "platform/testing/thread_observer.h"
#include "platform/testing/waiting_thread.h"
#include "testing/consecutive.h"
#include "testing/queue_server.h"
#include "testing/thread_mode.h"

namespace orbtest {
namespace {

using orbweaver::make_request_queue_policy;
using orbweaver::platform::testing::other_threads_sleep;
using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace minor = orbweaver::minor;

constexpr std::size_t kLimit = QueueServer::kLimit;

constexpr auto kAllTransports = {"inproc", "shm", "unix", "mqueue", "tcp", "udp"};

/// A server, and a client that calls its objects over one connection.
struct RequestQueues : ::testing::TestWithParam<ThreadMode> {
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

  QueueServer server{GetParam().threads, GetParam().transport};
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
  for (const std::int32_t n : consecutive(1, kLimit)) slow->note(n);
  EXPECT_EQ(plain->twice(4), 8) << "over the same connection";
  EXPECT_THAT(server.slow->notes(), IsEmpty());
  server.poa->the_POAManager()->activate();
  EXPECT_TRUE(notes(server.slow, kLimit));
  EXPECT_EQ(server.slow->notes(), consecutive(1, kLimit));
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
  for (const std::int32_t n : consecutive(1, kLimit)) slow->note(n);
  EXPECT_EQ(plain->twice(4), 8);  // the notes are in the queue
  client.destroy();
  server.poa->the_POAManager()->activate();
  EXPECT_TRUE(notes(server.slow, kLimit));
}

TEST_P(RequestQueues, HaveNoRequestAfterTheOrbIsDestroyed) {
  const std::size_t threads_before = threads();
  EXPECT_EQ(slow->twice(4), 8);
  for (const std::int32_t n : consecutive(1, 20)) slow->note(n);
  client.destroy();
  server.end();
  // A thread that was joined is still listed for a moment.
  EXPECT_TRUE(becomes_true([&] { return threads() <= threads_before; })) << threads();
}

INSTANTIATE_TEST_SUITE_P(Modes, RequestQueues,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:2", "unordered:2", "single"},
                                                          kAllTransports)),
                         thread_mode_name);

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
  EXPECT_EQ(server.slow->notes(), consecutive(1, kLimit));
}

TEST_P(ConcurrentRequestQueues, DelayTheirConnectionWhenFullAndLoseNothing) {
  occupy(kLimit - 1);
  EXPECT_EQ(fast->twice(4), 8) << "the queue is not longer than its limit";
  std::thread sending([&] {  // waits when the queues of the transport are full, too
    for (const std::int32_t n : consecutive(kLimit + 1, 60)) slow->note(n);
    fast->note(1);
  });
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  EXPECT_THAT(server.fast->notes(), IsEmpty()) << "read while the queue before it was full";
  TestOrb other(over_this_transport());
  EXPECT_EQ(other.at(server.fast_reference)->twice(4), 8) << "another connection is not delayed";
  server.slow->gate.open();
  sending.join();
  EXPECT_TRUE(notes(server.slow, 60));
  EXPECT_EQ(server.slow->notes(), consecutive(1, 60));
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
  slow->note(99);                 // waits for space: counts as not read, and may be discarded
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));
  WaitingThread destroying([&] { server.end(); });
  EXPECT_TRUE(destroying.waits());
  server.slow->gate.open();
  destroying.join();
  OrbTest::Numbers served = server.slow->notes();
  if (served.size() > kLimit && served.back() == 99) served.pop_back();
  EXPECT_EQ(served, consecutive(1, kLimit));
}

INSTANTIATE_TEST_SUITE_P(Modes, ConcurrentRequestQueues,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:3", "unordered:3"},
                                                          kAllTransports)),
                         thread_mode_name);

TEST(RequestQueuesOfAnOrb, AreServedBeforeACollocatedCall) {
  QueueServer server("connection", "inproc");
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
  QueueServer server("connection", "tcp");
  TestOrb client({"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"});
  const CallsRef slow = client.at(server.slow_reference);
  // As if no thread could be started.
  server.endpoints().request_queues().stop();
  for (const std::int32_t n : consecutive(1, 10)) slow->note(n);
  EXPECT_EQ(slow->notes(), consecutive(1, 10));
  EXPECT_FALSE(slow->_non_existent());
}

TEST(RequestQueuesOfAnOrb, KeepBlocksUntilTheirRequestIsServed) {
  QueueServer server("connection", "shm");
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
