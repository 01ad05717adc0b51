// -ORBThreads unordered:N: the requests of one connection are served concurrently, in any order.
#include <gmock/gmock.h>

#include <orbweaver/loan.h>

#include <list>

#include "platform/testing/waiting_thread.h"
#include "testing/consecutive.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::giop::MessageType;
using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

Options listening(const char* threads, const std::string& transports) {
  return {"-ORBThreads", threads, "-ORBListen", transports};
}

/// Id of the request that a reply answers.
std::uint32_t replied_id(const Octets& message) {
  std::uint32_t id = 0;
  if (message.size() >= 16) std::memcpy(&id, message.data() + 12, sizeof id);
  return id;
}

struct Unordered : ::testing::TestWithParam<std::string> {
  ~Unordered() override { servant->gate.open(); }

  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{listening("unordered:2", GetParam())};
  const std::string reference = server.serve(servant);
  TestOrb client{{"-ORBTransportPreference", GetParam(), "-ORBCallTimeout", "120000"}};
  const CallsRef calls = client.unchecked(reference);
};

TEST_P(Unordered, ServesALaterRequestOfAConnectionFirst) {
  calls->note_at_gate(1);
  ASSERT_TRUE(servant->gate.reached_by(1));
  calls->note(2);  // served by the other thread
  EXPECT_TRUE(becomes_true([&] { return !servant->notes().empty(); }));
  EXPECT_THAT(servant->notes(), ElementsAre(2));
  calls->open_gate(1);  // over the same connection, too
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 2; }));
  EXPECT_THAT(servant->notes(), ElementsAre(2, 1));
}

TEST_P(Unordered, ServesEveryRequestOnce) {
  constexpr std::int32_t kNotes = 500;
  const OrbTest::Numbers sent = consecutive(0, kNotes - 1);
  for (const std::int32_t n : sent) {
    calls->note(n);
    // Datagrams are lost if the receiver's buffer is full.
    if (GetParam() == "udp" && n % 50 == 49) {
      EXPECT_TRUE(becomes_true([&] { return servant->notes().size() > static_cast<std::size_t>(n); }));
    }
  }
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == sent.size(); }));
  EXPECT_THAT(servant->notes(), UnorderedElementsAreArray(sent));
}

TEST_P(Unordered, MatchesRepliesToRequests) {
  std::vector<std::thread> threads;
  for (std::int32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::int32_t i = 0; i < 100; ++i) ASSERT_EQ(calls->twice(1000 * t + i), 2 * (1000 * t + i));
      // Replies that do not fit into the buffers.
      const OrbTest::Octets sent(GetParam() == "udp" ? 20'000 : 3'000'000, static_cast<std::uint8_t>(t));
      ASSERT_TRUE(calls->echo(sent) == sent);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Unordered, ServesHeldRequestsWhenThePoaManagerBecomesActive) {
  const PoaRef poa = make_poa(server.root, "held");
  const auto held = CORBA::make_reference<Servant>();
  poa->activate_object(held);
  poa->the_POAManager()->hold_requests(false);
  const CallsRef waiting = client.unchecked(server.reference(poa, held));
  for (std::int32_t i = 0; i < 5; ++i) waiting->note(i);  // more than may be in progress at once
  TestOrb other({"-ORBTransportPreference", GetParam(), "-ORBCallTimeout", "120000"});
  const CallsRef other_calls = other.at(reference);
  for (std::int32_t i = 0; i < 50; ++i) EXPECT_EQ(other_calls->twice(i), 2 * i);
  EXPECT_TRUE(held->notes().empty());
  poa->the_POAManager()->activate();
  EXPECT_TRUE(becomes_true([&] { return held->notes().size() == 5; }));
  EXPECT_EQ(waiting->twice(2), 4);
}

TEST_P(Unordered, CompletesRunningRequestsOnDestroy) {
  calls->note_at_gate(1);
  calls->note_at_gate(2);
  ASSERT_TRUE(servant->gate.reached_by(2));
  WaitingThread destroying([&] { server.destroy(); });
  EXPECT_TRUE(destroying.waits());
  servant->gate.open(2);
  destroying.join();
  EXPECT_THAT(servant->notes(), UnorderedElementsAreArray({1, 2}));
}

TEST_P(Unordered, OutlivesTheEndOfTheConnection) {
  calls->note_at_gate(1);
  ASSERT_TRUE(servant->gate.reached_by(1));
  client.destroy();
  TestOrb other({"-ORBTransportPreference", GetParam(), "-ORBCallTimeout", "120000"});
  const CallsRef other_calls = other.at(reference);
  // The thread that serves these calls also detects the end of the first connection.
  for (std::int32_t i = 0; i < 50; ++i) EXPECT_EQ(other_calls->twice(i), 2 * i);
  servant->gate.open(1);
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 1; }));
}

INSTANTIATE_TEST_SUITE_P(Transports, Unordered,
                         ::testing::Values("inproc", "shm", "unix", "mqueue", "tcp", "udp"),
                         [](const auto& transport) { return transport.param; });

/// A servant whose `twice` waits at a gate.
class GatedWatcher final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  Gate gate;
  std::int32_t twice(std::int32_t n) override {
    gate.pass(n);
    return 2 * n;
  }
};

/// A thread that waits for another server is replaced, but no further request of its connection is read.
TEST(UnorderedRequests, AreBoundedWhileTheyWaitForOtherServers) {
  TestOrb far, server(listening("unordered:2", "tcp"));
  const auto watcher = CORBA::make_reference<GatedWatcher>();
  far.root->activate_object(watcher);
  const std::string far_reference = far.orb->object_to_string(far.root->servant_to_reference(watcher));
  const std::string reference = server.serve(CORBA::make_reference<Servant>());
  const Options calling{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"};
  TestOrb client(calling), other(calling);
  const CallsRef calls = client.at(reference), other_calls = other.at(reference);
  const auto remote = IDL::traits<OrbTest::Watcher>::narrow(client.orb->string_to_object(far_reference));
  std::list<WaitingThread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] { EXPECT_EQ(calls->ask(remote, 1), 2); });
    EXPECT_TRUE(callers.back().waits()) << "its request has been sent";
  }
  EXPECT_TRUE(watcher->gate.reached_by(2));
  for (std::int32_t i = 0; i < 50; ++i) EXPECT_EQ(other_calls->twice(i), 2 * i);
  EXPECT_EQ(watcher->gate.waiting(), 2);
  watcher->gate.open();
  for (WaitingThread& caller : callers) caller.join();
}

struct UnorderedReplies : ::testing::Test {
  ~UnorderedReplies() override { servant->gate.open(); }

  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{listening("unordered:2", "tcp")};
  const Where at = where(server.serve(servant));
  RawPeer peer = RawPeer::to(at.port);

  void send(std::uint32_t id, const char* operation, std::uint32_t argument) {
    peer.sends(request(id, at.key, operation).ulong(argument).bytes());
  }
  /// The id of the next reply; 0 if the next message is another one.
  std::uint32_t next_id() {
    const auto message = peer.receives();
    return message && (*message)[7] == static_cast<std::uint8_t>(MessageType::reply) ? replied_id(*message)
                                                                                     : 0;
  }
};

TEST_F(UnorderedReplies, AreSentInTheOrderOfCompletion) {
  send(1, "wait_at_gate", 1);
  ASSERT_TRUE(servant->gate.reached_by(1));
  send(2, "twice", 21);
  EXPECT_EQ(next_id(), 2u);
  servant->gate.open(1);
  EXPECT_EQ(next_id(), 1u);
}

TEST_F(UnorderedReplies, PrecedeCloseConnection) {
  send(1, "wait_at_gate", 1);
  send(2, "wait_at_gate", 2);
  ASSERT_TRUE(servant->gate.reached_by(2));
  WaitingThread destroying([&] { server.destroy(); });
  EXPECT_TRUE(destroying.waits()) << "for the requests";
  servant->gate.open(2);
  const std::uint32_t first = next_id(), second = next_id();
  EXPECT_THAT((std::vector{first, second}), UnorderedElementsAreArray({1u, 2u}));
  const auto last = peer.receives();
  ASSERT_TRUE(last);
  EXPECT_EQ((*last)[7], static_cast<std::uint8_t>(MessageType::close_connection));
  EXPECT_TRUE(peer.is_closed());
  destroying.join();
}

TEST_F(UnorderedReplies, AreLostWithTheConnectionOfAMalformedRequest) {
  send(1, "wait_at_gate", 1);
  ASSERT_TRUE(servant->gate.reached_by(1));
  peer.sends(Message(MessageType::request).ulong(7).bytes());  // the header ends too early
  EXPECT_TRUE(peer.is_closed());
  servant->gate.open(1);
  TestOrb client(Options{"-ORBTransportPreference", "tcp"});
  EXPECT_EQ(client.at(server.serve(CORBA::make_reference<Servant>()))->twice(4), 8);
}

/// Grants are valid in the order of their export only; the second request is decoded before the first.
TEST(UnorderedBlocks, AreImportedInTheOrderOfTheirMessages) {
  TestOrb server(listening("unordered:3", "shm"));
  TestOrb client({"-ORBTransportPreference", "shm", "-ORBCallTimeout", "120000"});
  const PoaRef single =
      make_poa(server.root, "single",
               {server.root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  const auto delayed = CORBA::make_reference<Servant>();
  single->activate_object(delayed);
  const CallsRef first = client.at(server.reference(single, delayed)),
                 second = client.at(server.serve(CORBA::make_reference<Servant>()));
  auto block = orbweaver::loan<double>(4096), another = orbweaver::loan<double>(4096);
  std::fill(block.begin(), block.end(), 1);
  std::fill(another.begin(), another.end(), 2);
  first->note_at_gate(1);  // holds the mutex of the POA
  EXPECT_TRUE(delayed->gate.reached_by(1));
  double sum = 0;
  WaitingThread calling([&] { sum = first->sum(block.view()); });
  EXPECT_TRUE(calling.waits());
  EXPECT_EQ(second->sum(another.view()), 2 * 4096);
  delayed->gate.open(1);
  calling.join();
  EXPECT_EQ(sum, 4096);
}

/// Requests are served, and their blocks released, in any order.
TEST(UnorderedBlocks, StayValidUntilTheirRequestIsServed) {
  TestOrb server(listening("unordered:4", "shm")), client({"-ORBTransportPreference", "shm"});
  const CallsRef calls = client.at(server.serve(CORBA::make_reference<Servant>()));
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto block = orbweaver::loan<double>(4096);
        std::fill(block.begin(), block.end(), t);
        ASSERT_EQ(calls->sum(block.view()), 4096 * t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace orbtest
