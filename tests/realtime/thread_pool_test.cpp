// Thread pools: lanes, threads and request buffers.
#include <orbweaver/request_queue.h>

#include "orb/minor_codes.h"
#include "realtime/minor_codes.h"
#include "realtime/testing/real_time_orb.h"
#include "testing/consecutive.h"
#include "testing/thread_mode.h"

namespace orbtest {
namespace {

namespace minor = orbweaver::realtime::minor;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

constexpr Priority kLow = 100, kHigh = 200;

/// A server whose object is executed by a thread pool, and a client.
struct ThreadPools : ::testing::TestWithParam<ThreadMode> {
  ~ThreadPools() override {
    servant->gate.open();
    for (std::thread& thread : callers) thread.join();
    client.destroy();
    server.end();
  }
  /// An object with the priority of its callers, executed by this pool.
  CallsRef object(RTCORBA::ThreadpoolId pool) {
    const auto poa = server.poa("pool " + std::to_string(pool),
                                {server.client_propagated(kLow), server.rt->create_threadpool_policy(pool)});
    const ObjectRef made = server.orb->string_to_object(server.activate(poa, servant));
    return client.unchecked(server.orb->object_to_string(made));
  }
  RTCORBA::ThreadpoolId two_lanes(bool borrows = false, bool buffers = false, std::uint32_t max_requests = 0,
                                  std::uint32_t max_bytes = 0) {
    return server.rt->create_threadpool_with_lanes(0, {{kHigh, 1, 0}, {kLow, 1, 0}}, borrows, buffers,
                                                   max_requests, max_bytes);
  }
  /// Starts a call that waits at the gate, at this priority, and over a connection of its own.
  void block(const CallsRef& calls, Priority priority, std::int32_t number = 1) {
    const auto own = IDL::traits<OrbTest::Calls>::narrow(orbweaver::with_private_connection(calls));
    callers.emplace_back([this, own, priority, number] {
      client.current->the_priority(priority);
      EXPECT_EQ(own->wait_at_gate(number), number);
    });
  }
  /// Calls `twice` at this priority, over a connection of its own.
  void call(const CallsRef& calls, Priority priority) {
    const auto own = IDL::traits<OrbTest::Calls>::narrow(orbweaver::with_private_connection(calls));
    at_priority(client, priority, [&] { EXPECT_EQ(own->twice(1), 2); });
  }

  RealTimeServer server{GetParam().threads, GetParam().transport};
  RealTimeOrb client{Options{"-ORBTransportPreference", GetParam().transport, "-ORBListen", "inproc",
                             "-ORBCallTimeout", "120000"}};
  const PriorityServantRef servant = CORBA::make_reference<PriorityServant>(server.current);
  std::vector<std::thread> callers;
};

TEST_P(ThreadPools, ServeEachPriorityInItsLane) {
  const CallsRef calls = object(two_lanes());
  call(calls, kLow);
  EXPECT_EQ(servant->take_priority(), kLow);
  const pid_t low = servant->thread();
  call(calls, kHigh);
  EXPECT_EQ(servant->take_priority(), kHigh);
  const pid_t high = servant->thread();
  EXPECT_NE(low, high);
  call(calls, kHigh + 50);  // above all lanes
  EXPECT_EQ(servant->take_priority(), kHigh) << "the ceiling";
  EXPECT_EQ(servant->thread(), high);
  call(calls, kHigh - 1);
  EXPECT_EQ(servant->thread(), low);
  call(calls, 1);  // below all lanes
  EXPECT_EQ(servant->take_priority(), 1);
  EXPECT_EQ(servant->thread(), low);
  call(calls, kNone);
  EXPECT_EQ(servant->take_priority(), kLow) << "the priority of the POA";
}

TEST_P(ThreadPools, AnswerAHighRequestWhileAllLowThreadsAreBlocked) {
  const CallsRef calls = object(two_lanes());
  block(calls, kLow);
  ASSERT_TRUE(servant->gate.reached_by(1));
  block(calls, kLow);  // finds no thread
  call(calls, kHigh);
  EXPECT_EQ(servant->take_priority(), kHigh);
  EXPECT_EQ(servant->gate.waiting(), 1);
}

TEST_P(ThreadPools, ExecuteAsManyRequestsAsTheyHaveThreads) {
  const CallsRef calls = object(server.rt->create_threadpool(0, 1, 2, kLow, false, 0, 0));
  const std::size_t before = threads();
  for (int n = 1; n <= 4; ++n) block(calls, kLow);
  ASSERT_TRUE(servant->gate.reached_by(3));
  EXPECT_GE(threads(), before + 2 + 4) << "two dynamic threads, and the callers";
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  EXPECT_EQ(servant->gate.waiting(), 3) << "the fourth stays in its connection";
}

TEST_P(ThreadPools, BorrowThreadsOfLowerLanes) {
  const CallsRef calls = object(two_lanes(true));
  block(calls, kHigh);
  ASSERT_TRUE(servant->gate.reached_by(1));
  call(calls, kHigh);  // by the thread of the low lane
  EXPECT_EQ(servant->take_priority(), kHigh);
  block(calls, kHigh);
  ASSERT_TRUE(servant->gate.reached_by(2));
}

TEST_P(ThreadPools, DoNotBorrowUnlessTheyMay) {
  const CallsRef calls = object(two_lanes(false));
  block(calls, kHigh);
  ASSERT_TRUE(servant->gate.reached_by(1));
  block(calls, kHigh);
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  ASSERT_EQ(servant->gate.waiting(), 1);
  call(calls, kLow);
  EXPECT_EQ(servant->gate.waiting(), 1);
}

TEST_P(ThreadPools, BufferRequestsOfOneConnection) {
  const CallsRef calls = object(two_lanes(false, true));
  at_priority(client, kLow, [&] {
    calls->note_at_gate(1);
    for (std::int32_t n = 2; n <= 20; ++n) calls->note(n);
  });
  ASSERT_TRUE(servant->gate.reached_by(1));
  at_priority(client, kHigh, [&] { EXPECT_TRUE(calls->notes().empty()) << "read behind 20 low ones"; });
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 20; }));
  EXPECT_EQ(servant->notes(), consecutive(1, 20)) << "a lane with one thread keeps their order";
}

TEST_P(ThreadPools, RejectRequestsWhenTheirBufferIsFull) {
  const CallsRef calls = object(two_lanes(false, true, 2));
  block(calls, kLow);
  ASSERT_TRUE(servant->gate.reached_by(1));
  at_priority(client, kLow, [&] {
    calls->note(1);
    calls->note(2);
    EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { calls->twice(3); }, orbweaver::minor::kThreadPoolFull),
                HasSubstr("buffer"));
  });
  call(calls, kHigh);
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 2; }));
  call(calls, kLow);
}

TEST_P(ThreadPools, LimitTheBytesOfTheirBuffer) {
  const CallsRef calls = object(two_lanes(false, true, 0, 10'000));
  block(calls, kLow);
  ASSERT_TRUE(servant->gate.reached_by(1));
  at_priority(client, kLow, [&] {
    calls->note(1);
    EXPECT_NE(raised_by<CORBA::TRANSIENT>([&] { calls->echo(OrbTest::Octets(10'000)); },
                                          orbweaver::minor::kThreadPoolFull),
              "nothing was raised");
  });
  servant->gate.open();
  const auto is_served = [&] {  // until the thread has served the buffered request, the buffer is full
    try {
      return calls->echo(OrbTest::Octets(10'000)).size() == 10'000u;
    } catch (const CORBA::TRANSIENT&) {
      return false;
    }
  };
  at_priority(client, kLow, [&] { EXPECT_TRUE(becomes_true(is_served)); });
}

TEST_P(ThreadPools, ServeObjectsByTheirDeclaredPriority) {
  const auto poa = server.poa(
      "declaring", {server.server_declared(kLow), server.rt->create_threadpool_policy(two_lanes())});
  const auto high = CORBA::make_reference<PriorityServant>(server.current);
  const auto id = poa->activate_object_with_priority(high, kHigh);
  const CallsRef highs = client.unchecked(server.orb->object_to_string(poa->id_to_reference(id))),
                 lows = client.unchecked(server.activate(poa, servant));
  block(lows, kHigh);
  ASSERT_TRUE(servant->gate.reached_by(1));
  call(highs, kLow);
  EXPECT_EQ(high->take_priority(), kHigh);
  EXPECT_NE(raised_by<CORBA::BAD_PARAM>([&] { poa->activate_object_with_priority(high, kLow + 1); },
                                        minor::kBadPriority),
            "nothing was raised")
      << "no lane has it";
}

TEST_P(ThreadPools, AnswerRequestsInProgressAtTheShutdown) {
  const CallsRef calls = object(two_lanes());
  block(calls, kLow);
  ASSERT_TRUE(servant->gate.reached_by(1));
  std::thread ending([&] { server.end(); });
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  servant->gate.open();
  ending.join();
}

TEST_P(ThreadPools, EndWithRequestsThatWaitForAThread) {
  const CallsRef calls = object(two_lanes());
  servant->within = [&] { servant->gate.pass(1); };
  std::size_t replied = 0;
  const auto first = IDL::traits<OrbTest::Calls>::narrow(orbweaver::with_private_connection(calls));
  callers.emplace_back([&] {
    client.current->the_priority(kLow);
    replied = first->echo(OrbTest::Octets(10'000'000)).size();
  });
  ASSERT_TRUE(servant->gate.reached_by(1));
  for (int n = 0; n < 2; ++n) {  // their requests stay in their connections
    const auto own = IDL::traits<OrbTest::Calls>::narrow(orbweaver::with_private_connection(calls));
    callers.emplace_back([&, own] {
      client.current->the_priority(kLow);
      try {
        own->wait_at_gate(1);
      } catch (const CORBA::SystemException&) {  // not executed
      }
    });
  }
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  std::thread ending([&] { server.end(); });
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  servant->gate.open();
  ending.join();
  for (std::thread& thread : callers) thread.join();
  callers.clear();
  EXPECT_EQ(replied, 10'000'000u);
}

TEST_P(ThreadPools, ServeWhileTheirManagerChangesItsState) {
  const auto poa =
      server.poa("held", {server.client_propagated(kLow), server.rt->create_threadpool_policy(two_lanes())});
  const CallsRef calls = client.unchecked(server.activate(poa, servant));
  poa->the_POAManager()->hold_requests(false);
  std::thread caller([&] { call(calls, kLow); });
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  EXPECT_EQ(servant->take_priority(), kNone);
  poa->the_POAManager()->activate();
  caller.join();
  EXPECT_EQ(servant->take_priority(), kLow);
}

TEST_P(ThreadPools, LetServantsCallOtherServers) {
  const CallsRef calls = object(server.rt->create_threadpool(0, 1, 0, kLow, false, 0, 0));
  const auto last = CORBA::make_reference<PriorityServant>(client.current);
  const auto watcher = client.at(client.activate(client.poa("last", {client.client_propagated(2000)}), last));
  at_priority(client, kLow - 1, [&] { EXPECT_EQ(calls->ask(watcher, 4), 8); });
  EXPECT_EQ(last->take_priority(), kLow - 1);
}

TEST_P(ThreadPools, AreDestroyedAfterTheirAdapter) {
  const auto pool = server.rt->create_threadpool(0, 1, 0, kLow, false, 0, 0);
  const auto poa =
      server.poa("destroyed", {server.client_propagated(kLow), server.rt->create_threadpool_policy(pool)});
  block(client.unchecked(server.activate(poa, servant)), kLow);
  ASSERT_TRUE(servant->gate.reached_by(1));
  poa->destroy(false, false);
  std::thread destroying([&] { EXPECT_NO_THROW(server.rt->destroy_threadpool(pool)); });
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  servant->gate.open();
  destroying.join();
}

INSTANTIATE_TEST_SUITE_P(Modes, ThreadPools,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:2", "unordered:2", "single"},
                                                          {"shm", "tcp"})),
                         thread_mode_name);
INSTANTIATE_TEST_SUITE_P(Transports, ThreadPools,
                         ::testing::ValuesIn(thread_modes({"connection"}, {"inproc", "unix", "mqueue"})),
                         thread_mode_name);

/// Errors of RTORB and create_POA.
struct ThreadPoolErrors : ::testing::Test {
  std::string invalid(const CORBA::PolicyList& policies) {
    try {
      orb.root->create_POA("invalid", nullptr, policies);
    } catch (const PortableServer::POA::InvalidPolicy& e) {
      return std::to_string(e.index()) + ": " + e.what();
    }
    return "nothing was raised";
  }
  CORBA::object_reference<CORBA::Policy> policy(RTCORBA::ThreadpoolId pool) {
    return orb.rt->create_threadpool_policy(pool);
  }
  std::string bad_lanes(const RTCORBA::ThreadpoolLanes& lanes) {
    return raised_by<CORBA::BAD_PARAM>(
        [&] { orb.rt->create_threadpool_with_lanes(0, lanes, false, false, 0, 0); }, minor::kBadLanes);
  }
  RealTimeOrb orb{Options{"-ORBListen", "inproc"}};
};

TEST_F(ThreadPoolErrors, AreOfLanesWithoutThreads) {
  EXPECT_THAT(bad_lanes({}), HasSubstr("no lane"));
  EXPECT_THAT(bad_lanes({{1, 0, 0}}), HasSubstr("not 0"));
  EXPECT_THAT(bad_lanes({{1, 4'000'000'000u, 4'000'000'000u}}), HasSubstr("8000000000"));
  EXPECT_THAT(bad_lanes({{1, 1, 0}, {2, 1, 0}, {1, 1, 0}}), HasSubstr("two lanes have the priority 1"));
  EXPECT_NE(raised_by<CORBA::BAD_PARAM>([&] { orb.rt->create_threadpool(0, 1, 0, -5, false, 0, 0); },
                                        minor::kBadPriority),
            "nothing was raised");
}

TEST_F(ThreadPoolErrors, AreOfPoolsThatDoNotExist) {
  EXPECT_THROW(orb.rt->destroy_threadpool(17), RTCORBA::RTORB::InvalidThreadpool);
  EXPECT_THAT(invalid({orb.client_propagated(), policy(17)}),
              HasSubstr("policy 1 of create_POA: there is no thread pool 17"));
  const auto pool = orb.rt->create_threadpool(0, 1, 0, 5, false, 0, 0);
  orb.rt->destroy_threadpool(pool);
  EXPECT_THROW(orb.rt->destroy_threadpool(pool), RTCORBA::RTORB::InvalidThreadpool);
}

TEST_F(ThreadPoolErrors, AreOfPoolsInUse) {
  const auto pool = orb.rt->create_threadpool(0, 1, 0, 5, false, 0, 0);
  const auto poa = make_poa(orb.root, "uses it", {policy(pool)});
  EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { orb.rt->destroy_threadpool(pool); }, minor::kPoolInUse),
              HasSubstr("a POA uses"));
  // A use by a POA that is not created ends.
  EXPECT_THAT(invalid({policy(pool), orbweaver::make_request_queue_policy(1, 1)}), HasSubstr("not both"));
  EXPECT_THAT(invalid({policy(pool), orb.rt->create_priority_banded_connection_policy({{0, 9}})}),
              HasSubstr("bands need"));
  EXPECT_THROW(make_poa(orb.root, "uses it", {policy(pool)}), PortableServer::POA::AdapterAlreadyExists);
  poa->destroy(false, true);
  orb.rt->destroy_threadpool(pool);
}

TEST_F(ThreadPoolErrors, AreOfPoliciesThatDoNotFit) {
  const auto lanes = orb.rt->create_threadpool_with_lanes(0, {{5, 1, 0}}, false, false, 0, 0);
  EXPECT_THAT(invalid({policy(lanes)}), HasSubstr("policy 0 of create_POA: a pool with lanes needs"));
  EXPECT_THAT(invalid({policy(lanes), orb.server_declared(6)}),
              HasSubstr("policy 1 of create_POA: the priority 6 is that of no lane"));
  EXPECT_THAT(invalid({orb.client_propagated(), policy(lanes), orbweaver::make_request_queue_policy(1, 1)}),
              HasSubstr("not both"));
  using enum PortableServer::RequestProcessingPolicyValue;
  using enum PortableServer::IdUniquenessPolicyValue;
  EXPECT_THAT(invalid({orb.client_propagated(), policy(lanes),
                       orb.root->create_request_processing_policy(USE_DEFAULT_SERVANT),
                       orb.root->create_id_uniqueness_policy(MULTIPLE_ID)}),
              HasSubstr("USE_ACTIVE_OBJECT_MAP_ONLY"));
}

TEST(ThreadPool, HasABufferWithinTheMemoryOfRequestQueues) {
  RealTimeOrb server(Options{"-ORBListen", "shm", "-ORBTune", "request-queue-bytes=10000"});
  RealTimeOrb client(Options{"-ORBListen", "inproc", "-ORBTransportPreference", "shm"});
  const auto servant = CORBA::make_reference<PriorityServant>(server.current);
  const auto pool = server.rt->create_threadpool(0, 1, 0, 5, true, 0, 0);
  const auto poa = make_poa(server.root, "pool", {server.rt->create_threadpool_policy(pool)});
  const CallsRef calls = client.unchecked(server.activate(poa, servant));
  calls->note_at_gate(0);
  ASSERT_TRUE(servant->gate.reached_by(1));
  // Each takes 1,024 bytes beside its message of some 100.
  for (std::int32_t n = 1; n <= 9; ++n) calls->note(n);
  EXPECT_NE(raised_by<CORBA::TRANSIENT>([&] { calls->twice(1); }, orbweaver::minor::kThreadPoolFull),
            "nothing was raised");
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 10; }));
}

TEST(ThreadPool, SharesThisMemoryWithOtherPools) {
  RealTimeOrb server(Options{"-ORBListen", "shm", "-ORBTune", "request-queue-bytes=10000"});
  RealTimeOrb client(Options{"-ORBListen", "inproc", "-ORBTransportPreference", "shm"});
  const auto servant = CORBA::make_reference<PriorityServant>(server.current),
             other = CORBA::make_reference<PriorityServant>(server.current);
  const auto calls_of = [&](const std::string& name, const PriorityServantRef& of) {
    const auto pool = server.rt->create_threadpool(0, 1, 0, 5, true, 0, 0);
    const auto poa = make_poa(server.root, name, {server.rt->create_threadpool_policy(pool)});
    return client.unchecked(server.activate(poa, of));
  };
  const CallsRef calls = calls_of("pool", servant), others = calls_of("other", other);
  calls->note_at_gate(0);
  others->note_at_gate(0);
  ASSERT_TRUE(servant->gate.reached_by(1));
  ASSERT_TRUE(other->gate.reached_by(1));
  for (std::int32_t n = 1; n <= 9; ++n) calls->note(n);
  // Over the same connection, behind these. The first one of a pool is always accepted.
  others->note(1);
  EXPECT_NE(raised_by<CORBA::TRANSIENT>([&] { others->twice(1); }, orbweaver::minor::kThreadPoolFull),
            "nothing was raised");
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 10; }));
  other->gate.open();
  EXPECT_TRUE(becomes_true([&] { return other->notes().size() == 2; }));
  EXPECT_EQ(others->twice(1), 2);
}

TEST(ThreadPool, HasStacksOfTheGivenSize) {
  RealTimeOrb orb;
  const auto servant = CORBA::make_reference<PriorityServant>(orb.current);
  std::size_t bytes = 0;
  servant->within = [&] {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  };
  const auto pool = orb.rt->create_threadpool((64 << 20) - 1, 1, 0, 5, false, 0, 0);
  const auto poa = make_poa(orb.root, "pool", {orb.rt->create_threadpool_policy(pool)});
  EXPECT_EQ(orb.unchecked(orb.activate(poa, servant))->twice(1), 2);
  EXPECT_EQ(bytes, std::size_t{64} << 20) << "rounded up to a page";
}

TEST(ThreadPool, OfTheSameOrbServesItsCallers) {
  RealTimeOrb orb;
  const auto servant = CORBA::make_reference<PriorityServant>(orb.current);
  const auto pool = orb.rt->create_threadpool(0, 1, 0, 5, false, 0, 0);
  const auto poa = make_poa(orb.root, "pool", {orb.rt->create_threadpool_policy(pool)});
  const CallsRef calls = orb.unchecked(orb.activate(poa, servant));
  EXPECT_EQ(calls->twice(1), 2);
  EXPECT_NE(servant->thread(), orbweaver::platform::testing::this_thread_id());
  EXPECT_EQ(servant->take_priority(), 5) << "that of the pool";
}

}  // namespace
}  // namespace orbtest
