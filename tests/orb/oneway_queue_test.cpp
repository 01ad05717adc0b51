// One-way calls with SYNC_NONE while the transport has no room: they are queued in the ORB, sent in order
// before all later calls, and counted. The server does not proceed while its POA manager holds requests.
#include <gmock/gmock.h>

#include <orbweaver/any.h>
#include <orbweaver/flush.h>
#include <orbweaver/messaging.h>
#include <orbweaver/statistics.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "platform/testing/waiting_thread.h"
#include "testing/consecutive.h"
#include "testing/recorder.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::oneway_queue_statistics;
using orbweaver::OneWayQueueStatistics;
using orbweaver::platform::testing::WaitingThread;
using Numbers = Recorder::Numbers;
using RecorderRef = IDL::traits<OrderTest::Recorder>::ref_type;

constexpr std::uint32_t kQueueFull = 0x4f570024;

template <class Value>
RecorderRef with(TestOrb& client, const RecorderRef& recorder, CORBA::PolicyType type, Value value) {
  CORBA::Any any;
  any <<= value;
  const ObjectRef changed = recorder->_set_policy_overrides({client.orb->create_policy(type, any)},
                                                            CORBA::SetOverrideType::ADD_OVERRIDE);
  return RecorderRef::adopt(OrderTest::Recorder::_make(changed->_reference()));
}

/// A server with one object, which can be blocked.
struct BlockableServer {
  explicit BlockableServer(const std::string& transport)
      : orb({"-ORBListen", transport, "-ORBTune", "ring-bytes=65536"}), poa(make_poa(orb.root, "recorders")) {
    poa->activate_object(recorder);
    reference = orb.orb->object_to_string(poa->servant_to_reference(recorder));
  }
  ~BlockableServer() { unblock(); }
  void block() { poa->the_POAManager()->hold_requests(false); }
  void unblock() {
    if (!destroyed) poa->the_POAManager()->activate();
  }
  void destroy() {
    destroyed = true;
    orb.destroy();
  }

  CORBA::object_reference<Recorder> recorder = CORBA::make_reference<Recorder>();
  TestOrb orb;
  PoaRef poa;
  std::string reference;
  bool destroyed = false;
};

/// The parameter is a transport, or "collocated": client and servant in one ORB.
class OneWayQueue : public ::testing::TestWithParam<std::string> {
 protected:
  void connect(const std::string& tuning = "ring-bytes=65536", const std::string& threads = "connection") {
    client_.emplace(Options{"-ORBTransportPreference", transport(), "-ORBTune", tuning, "-ORBThreads",
                            threads, "-ORBCallTimeout", "120000"});
    sent = narrow(client(), server.reference);
    EXPECT_FALSE(sent->_non_existent());  // connects
    none = with(client(), sent, Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_NONE);
  }
  static bool collocated() { return GetParam() == "collocated"; }
  static std::string transport() { return collocated() ? "inproc" : GetParam(); }
  TestOrb& client() { return collocated() ? server.orb : *client_; }
  static RecorderRef narrow(TestOrb& orb, const std::string& reference) {
    const ObjectRef object = orb.orb->string_to_object(reference);
    return RecorderRef::adopt(OrderTest::Recorder::_make(object->_reference()));
  }
  void call(std::size_t bytes) { none->record(next_++, OrderTest::Octets(bytes)); }
  /// Blocks the server, and calls until `count` calls are queued.
  void fill(std::uint64_t count = 50, std::size_t bytes = 1000) {
    server.block();
    bool filled = false;  // the buffers of a socket may grow afterwards and accept some of the calls
    for (int calls = 0; !filled && calls < 100'000; ++calls) {
      call(bytes);
      filled = waiting() >= count;
    }
    EXPECT_TRUE(filled);
  }
  static std::uint64_t waiting() {
    const OneWayQueueStatistics now = oneway_queue_statistics();
    return now.queued - now.sent - now.lost - now.discarded;
  }
  std::size_t calls() const { return static_cast<std::size_t>(next_); }
  void expect_all_in_order() {
    EXPECT_TRUE(becomes_true([&] { return server.recorder->numbers().size() >= calls(); }));
    EXPECT_EQ(server.recorder->numbers(), consecutive(0, next_ - 1));
  }

  BlockableServer server{transport()};
  RecorderRef sent, none;
  std::int32_t next_ = 0;
  std::optional<TestOrb> client_;
  const OneWayQueueStatistics before_ = oneway_queue_statistics();
};

TEST_P(OneWayQueue, IsSentWhenTheTransportHasRoom) {
  connect();
  fill();
  server.unblock();
  expect_all_in_order();
  EXPECT_TRUE(becomes_true([] { return waiting() == 0; }));
  const OneWayQueueStatistics now = oneway_queue_statistics();
  EXPECT_EQ(now.queued - before_.queued, now.sent - before_.sent);
  EXPECT_EQ(now.dropped_full, before_.dropped_full);
}

TEST_P(OneWayQueue, IsSentBeforeALaterTwoWayCall) {
  connect();
  fill();
  const std::int32_t last = next_++;
  std::int32_t count = 0;
  WaitingThread calling([&] { count = none->record_and_count(last); });
  EXPECT_TRUE(calling.waits());
  server.unblock();
  calling.join();
  EXPECT_EQ(count, next_) << "the two-way call overtook a queued call";
  expect_all_in_order();
}

TEST_P(OneWayQueue, IsSentBeforeALaterTwoWayCallOfAnOrbWithAReactor) {
  if (collocated()) GTEST_SKIP() << "the options are those of the client";
  for (const char* const threads : {"pool:2", "single"}) {
    connect("ring-bytes=65536", threads);
    fill(waiting() + 50);
    call(200'000);
    const std::int32_t last = next_++;
    std::int32_t count = 0;
    WaitingThread calling([&] { count = none->record_and_count(last); });
    server.unblock();
    calling.join();
    EXPECT_EQ(count, next_) << "the two-way call overtook a queued call, with -ORBThreads " << threads;
    expect_all_in_order();
  }
}

TEST_P(OneWayQueue, IsSentBeforeALaterCallWithTransport) {
  connect();
  fill();
  WaitingThread calling([&] {
    for (int i = 0; i < 80; ++i) sent->record(next_++, OrderTest::Octets(i % 2 == 0 ? 0 : 500'000));
  });
  EXPECT_TRUE(calling.waits()) << "for the transport, as SYNC_WITH_TRANSPORT requires";
  server.unblock();
  calling.join();
  expect_all_in_order();
}

TEST_P(OneWayQueue, AcceptsRequestsLargerThanTheTransportSendsAtOnce) {
  connect();
  server.block();
  for (const std::size_t bytes : {300'000, 0, 1'000'000, 10, 40'000, 70'000}) call(bytes);
  server.unblock();
  expect_all_in_order();
  fill(3, 200'000);
  const std::int32_t last = next_++;
  WaitingThread calling([&] { none->record_and_count(last); });
  server.unblock();
  calling.join();
  expect_all_in_order();
}

TEST_P(OneWayQueue, DropsTheNewestCallsWhenItIsFull) {
  if (collocated()) GTEST_SKIP() << "the options are those of the client";
  connect("oneway-queue-requests=10");
  server.block();
  const auto dropped = [&] { return oneway_queue_statistics().dropped_full - before_.dropped_full; };
  std::size_t kept = 0;  // calls before the first that was dropped
  for (int calls = 0; dropped() < 20 && calls < 100'000; ++calls) {
    call(1000);
    if (dropped() == 0) kept = this->calls();
    EXPECT_LE(waiting(), 10u);
  }
  EXPECT_GE(dropped(), 20u);
  server.unblock();
  EXPECT_TRUE(becomes_true([&] { return server.recorder->numbers().size() >= calls() - dropped(); }));
  const Numbers numbers = server.recorder->numbers();
  EXPECT_EQ(numbers.size(), calls() - dropped());
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(Numbers(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(kept)),
            consecutive(0, static_cast<std::int32_t>(kept) - 1));
}

TEST_P(OneWayQueue, RaisesTransientWhenItIsFullIfThePolicyRequiresIt) {
  if (collocated()) GTEST_SKIP() << "the options are those of the client";
  connect("oneway-queue-bytes=20000");
  none = with(client(), none, orbweaver::ONE_WAY_QUEUE_FULL_POLICY_TYPE,
              static_cast<std::int16_t>(orbweaver::WhenOneWayQueueFull::raise_transient));
  server.block();
  std::string raised = "nothing was raised";
  for (int calls = 0; raised == "nothing was raised" && calls < 100'000; ++calls)
    raised = raised_by<CORBA::TRANSIENT>([&] { call(1000); }, kQueueFull);
  EXPECT_THAT(raised, ::testing::HasSubstr("queue full: record"));
  const OneWayQueueStatistics now = oneway_queue_statistics();
  EXPECT_EQ(now.rejected_full - before_.rejected_full, 1u);
  EXPECT_EQ(now.dropped_full, before_.dropped_full);
  EXPECT_LE(waiting(), 20u) << "of 1000 bytes each";
  --next_;  // the rejected call
  server.unblock();
  expect_all_in_order();
}

TEST_P(OneWayQueue, IsSentOrCountedAtShutdown) {
  if (collocated()) GTEST_SKIP() << "the server is shut down, too";
  connect("oneway-queue-bytes=64000000");
  fill(60, 500'000);  // more than the buffers of a socket
  none = nullptr;
  sent = nullptr;
  client_->destroy();  // the test ends only if this returns although the server is blocked
  const OneWayQueueStatistics now = oneway_queue_statistics();
  EXPECT_EQ(waiting(), 0u);
  EXPECT_GT(now.discarded + now.lost, before_.discarded + before_.lost);
}

TEST_P(OneWayQueue, StaysQueuedWhenAFlushTimesOutByThePolicyOfItsThread) {
  if (collocated()) GTEST_SKIP() << "the options are those of the client";
  connect("ring-bytes=65536,oneway-queue-bytes=64000000");
  fill(60, 500'000);  // more than the buffers of a socket
  const auto thread =
      IDL::traits<CORBA::PolicyManager>::narrow(client().orb->resolve_initial_references("PolicyCurrent"));
  CORBA::Any limit;
  limit <<= TimeBase::TimeT{10'000};  // 1 ms; -ORBCallTimeout would end the test much later
  thread->set_policy_overrides(
      {client().orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
      CORBA::SetOverrideType::SET_OVERRIDE);
  std::promise<void> flushed;
  std::thread unblocking([&, done = flushed.get_future()] {  // a flush without that limit then succeeds
    if (done.wait_for(std::chrono::seconds(30)) == std::future_status::timeout) server.unblock();
  });
  std::optional<CORBA::CompletionStatus> completed;
  try {
    orbweaver::flush(none);
  } catch (const CORBA::TIMEOUT& e) {
    completed = e.completed();
  }
  flushed.set_value();
  unblocking.join();
  thread->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(completed, CORBA::CompletionStatus::COMPLETED_NO);
  server.unblock();
  orbweaver::flush(none);
  EXPECT_EQ(waiting(), 0u);
  expect_all_in_order();
}

// The server is killed: one that ends in order may read all requests before.
TEST_P(OneWayQueue, IsCountedAsLostWithTheConnection) {
  if (transport() == "inproc") GTEST_SKIP() << "the server is another process";
  ServerProcess killed({"-ORBListen", transport()});
  TestOrb caller({"-ORBTransportPreference", transport(), "-ORBTune", "oneway-queue-bytes=64000000"});
  const CallsRef calls = caller.at(killed.persistent());
  const RecorderRef recorder = RecorderRef::adopt(OrderTest::Recorder::_make(calls->_reference()));
  none = with(caller, recorder, Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_NONE);
  calls->note_at_gate(1);  // is never opened: the server reads no request after it
  fill(60, 500'000);       // more than the buffers of a socket
  killed.kill();
  EXPECT_TRUE(becomes_true([] { return waiting() == 0; }));
  EXPECT_GT(oneway_queue_statistics().lost, before_.lost);
  EXPECT_THROW(orbweaver::flush(none), CORBA::COMM_FAILURE);
  none = nullptr;  // of `caller`
}

TEST_P(OneWayQueue, IsSentAlthoughAnotherConnectionIsBlockedWithinAMessage) {
  if (collocated()) GTEST_SKIP() << "needs a second connection";
  connect("ring-bytes=65536,oneway-queue-bytes=64000000");
  BlockableServer blocked(transport());
  blocked.block();
  const RecorderRef stuck = with(client(), narrow(client(), blocked.reference),
                                 Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_NONE);
  // The server reads the first request only. The others are larger than the buffers of a socket.
  for (const std::size_t bytes : {10, 14'000'000, 14'000'000}) stuck->record(0, OrderTest::Octets(bytes));
  EXPECT_GT(waiting(), 0u);
  fill(waiting() + 50);
  server.unblock();
  expect_all_in_order();
  blocked.unblock();
  EXPECT_TRUE(becomes_true([&] { return blocked.recorder->numbers().size() == 3; }));
}

INSTANTIATE_TEST_SUITE_P(Transports, OneWayQueue,
                         ::testing::Values("collocated", "inproc", "shm", "unix", "mqueue", "tcp"),
                         [](const auto& transport) { return transport.param; });

TEST(OneWayQueues, ShareALimitOfTheirBytes) {
  const OneWayQueueStatistics before = oneway_queue_statistics();
  BlockableServer servers[] = {BlockableServer("shm"), BlockableServer("shm")};
  TestOrb client({"-ORBTransportPreference", "shm", "-ORBTune", "oneway-queue-total-bytes=30000"});
  std::uint64_t queued_by_first = 0;
  for (BlockableServer& server : servers) {
    server.block();
    const ObjectRef object = client.orb->string_to_object(server.reference);
    const RecorderRef none =
        with(client, RecorderRef::adopt(OrderTest::Recorder::_make(object->_reference())),
             Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_NONE);
    const std::uint64_t dropped = oneway_queue_statistics().dropped_full;
    for (std::int32_t i = 0; i < 100'000 && oneway_queue_statistics().dropped_full == dropped; ++i)
      none->record(i, OrderTest::Octets(1000));
    EXPECT_GT(oneway_queue_statistics().dropped_full, dropped);
    const std::uint64_t queued = oneway_queue_statistics().queued - before.queued;
    if (&server == servers) queued_by_first = queued;
    EXPECT_LE(queued, 30u) << "of 1000 bytes each";
    EXPECT_EQ(queued, queued_by_first) << "the first connection has used the limit of the ORB";
  }
}

TEST(OneWayQueueFullPolicy, IsCreatedFromAnAnyAndReported) {
  TestOrb broker;
  const auto create = [&](std::int16_t value) {
    CORBA::Any any;
    any <<= value;
    return broker.orb->create_policy(orbweaver::ONE_WAY_QUEUE_FULL_POLICY_TYPE, any);
  };
  using Policy = IDL::traits<orbweaver::OneWayQueueFullPolicy>;
  EXPECT_EQ(Policy::narrow(create(1))->when_full(), orbweaver::WhenOneWayQueueFull::raise_transient);
  EXPECT_THROW(create(2), CORBA::PolicyError);
  const CallsRef calls = broker.at(broker.serve(CORBA::make_reference<Servant>()));
  EXPECT_EQ(Policy::narrow(calls->_get_policy(orbweaver::ONE_WAY_QUEUE_FULL_POLICY_TYPE))->when_full(),
            orbweaver::WhenOneWayQueueFull::drop);
}

}  // namespace
}  // namespace orbtest
