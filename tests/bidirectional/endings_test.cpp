// Every pending call ends when a bidirectional connection does, in either direction, with the exception and
// completion status of an ordinary connection.
#include <gmock/gmock.h>

#include <future>

#include <orbweaver/messaging.h>
#include <orbweaver/request_queue.h>

#include "node.h"
#include "orb/minor_codes.h"
#include "raw_client.h"

namespace bidirtest {
namespace {

using orbtest::raised_by;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// The completion status of the COMM_FAILURE or TRANSIENT that `call` raises; COMPLETED_YES: none.
template <class Expected, class Call>
CORBA::CompletionStatus completed(Call&& call) {
  try {
    call();
  } catch (const Expected& e) {
    return e.completed();
  }
  return CORBA::CompletionStatus::COMPLETED_YES;
}

class BidirectionalEndings : public ::testing::Test {
 protected:
  BidirectionalEndings() { to_server->attach(client.reference()); }
  void TearDown() override {
    client.end();
    server.end();
  }
  NodeOrb server{accepting(), BiDirPolicy::NORMAL};
  NodeOrb client{listening_nowhere(), BiDirPolicy::BOTH};
  NodeRef to_server = client.offering(server.stringified());
};

TEST_F(BidirectionalEndings, CarryLargeMessagesBothWaysAtTheSameTime) {
  constexpr std::size_t kBytes = 2'500'000;  // in two fragments
  BidirTest::Octets data(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + i / 1000);
  const auto there = [&] { return to_server->echo(data) == data; };
  const auto back = [&] { return server.node->echo_there(data) == data; };
  std::vector<std::future<bool>> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(std::async(std::launch::async, there));
    all.push_back(std::async(std::launch::async, back));
  }
  for (auto& each : all) EXPECT_TRUE(each.get());
  EXPECT_EQ(to_server->echo_there(data), data) << "nested";
}

TEST_F(BidirectionalEndings, CompleteACallbackInProgressAtTheShutdownOfTheClient) {
  auto pending = std::async(std::launch::async, [&] { return server.node->wait_there(7); });
  ASSERT_TRUE(client.node->gate.reached_by(1));
  auto ended = std::async(std::launch::async, [&] {
    client.poa = nullptr;
    client.broker.destroy();
  });
  client.node->gate.open();
  ended.get();
  EXPECT_EQ(pending.get(), 7);
  EXPECT_EQ(completed<CORBA::TRANSIENT>([&] { server.node->twice_there(1); }),
            CORBA::CompletionStatus::COMPLETED_NO)
      << "nothing is left to call the client over";
}

TEST_F(BidirectionalEndings, CompleteACallInProgressAtTheShutdownOfTheServer) {
  auto pending = std::async(std::launch::async, [&] { return to_server->wait_at_gate(7); });
  ASSERT_TRUE(server.node->gate.reached_by(1));
  auto ended = std::async(std::launch::async, [&] {
    server.poa = nullptr;
    server.broker.destroy();
  });
  server.node->gate.open();
  ended.get();
  EXPECT_EQ(pending.get(), 7);
  EXPECT_EQ(completed<CORBA::TRANSIENT>([&] { to_server->twice(1); }), CORBA::CompletionStatus::COMPLETED_NO);
}

/// Shuts the server down while the object with `key` executes `twice_there`. Calls the server's node `at`
/// over the same connection, as other ORBs do, until a call is rejected; only then does the callback return.
void expect_reply_before_the_end(NodeOrb& server, const orbtest::Where& at, const orbtest::Octets& key) {
  using orbweaver::giop::MessageType;
  orbtest::RawPeer peer = orbtest::RawPeer::to(at.port);
  attach(peer, 0, key, {"client.invalid", 9});
  peer.sends(orbtest::request(2, key, "twice_there").ulong(5).bytes());
  const auto callback = peer.receives();
  ASSERT_TRUE(callback);
  auto ended = std::async(std::launch::async, [&] { server.end(); });
  std::string reply;
  for (std::uint32_t id = 4; reply.find("TRANSIENT") == std::string::npos; id += 2) {
    peer.sends(orbtest::request(id, at.key, "twice").ulong(1).bytes());
    const auto message = peer.receives();
    ASSERT_TRUE(message) << "the connection has ended, or nothing has arrived";
    ASSERT_EQ(type_of(message), MessageType::reply) << "before the request in progress has ended";
    reply.assign(message->begin(), message->end());
  }
  peer.sends(orbtest::reply(id_of(*callback)).ulong(10).bytes());
  const auto last = peer.receives();
  ASSERT_TRUE(last);
  EXPECT_EQ(type_of(last), MessageType::reply);
  EXPECT_EQ(id_of(*last), 2u);
  const auto closed = peer.receives();
  ASSERT_TRUE(closed);
  EXPECT_EQ(type_of(closed), MessageType::close_connection);
  ended.get();
}

// The server's upcall waits for the callback, and would wait for ever if the callback's call did.
TEST(BidirectionalShutdownOfAServer, EndsTheCallOfACallback) {
  for (const char* const threads : {"connection", "pool:2"}) {
    SCOPED_TRACE(threads);
    for (int round = 0; round < 20 && !HasFatalFailure(); ++round) {
      NodeOrb server(accepting("received", {"-ORBThreads", threads}), BiDirPolicy::NORMAL);
      const orbtest::Where at = orbtest::where(server.stringified());
      expect_reply_before_the_end(server, at, at.key);
    }
  }
}

TEST(BidirectionalShutdownOfAServer, EndsTheCallOfACallbackInARequestQueue) {
  for (int round = 0; round < 20 && !HasFatalFailure(); ++round) {
    NodeOrb server(accepting(), BiDirPolicy::NORMAL);
    const orbtest::Where at = orbtest::where(server.stringified());
    const auto queued = CORBA::make_reference<Node>();
    const PoaRef poa =
        orbtest::make_poa(server.broker.root, "queued", {orbweaver::make_request_queue_policy(4, 4096)});
    poa->activate_object(queued);
    const std::string reference = server.broker.orb->object_to_string(poa->servant_to_reference(queued));
    expect_reply_before_the_end(server, at, orbtest::where(reference).key);
    queued->attach(nullptr);
  }
}

// The one-way request is executed until the call returns for which the peer waits.
TEST(BidirectionalOneWayRequests, MayCallAPeerThatCallsBackFirst) {
  using orbweaver::giop::MessageType;
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  std::promise<std::int32_t> result;
  server.node->in_note = [&] { result.set_value(server.node->twice_there(5)); };
  const orbtest::Where at = orbtest::where(server.stringified());
  orbtest::RawPeer peer = orbtest::RawPeer::to(at.port);
  attach(peer, 0, at.key, {"client.invalid", 9});
  peer.sends(orbtest::request(2, at.key, "note", orbtest::Order::little, kOneWay).ulong(1).bytes());
  const auto callback = peer.receives();
  ASSERT_TRUE(callback);
  peer.sends(orbtest::request(4, at.key, "twice").ulong(1).bytes());
  const auto nested = peer.receives();
  ASSERT_TRUE(nested);
  EXPECT_EQ(id_of(*nested), 4u);
  peer.sends(orbtest::reply(id_of(*callback)).ulong(10).bytes());
  EXPECT_EQ(result.get_future().get(), 10);
}

TEST_F(BidirectionalEndings, RaiseTimeoutAndKeepTheConnection) {
  CORBA::Any limit;
  limit <<= TimeBase::TimeT{10'000};  // 1 ms
  server.node->attach(unchecked(server.node->attached()->_set_policy_overrides(
      {server.broker.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
      CORBA::SetOverrideType::ADD_OVERRIDE)));
  const NodeRef limited = server.node->attached();
  EXPECT_THROW(limited->wait_at_gate(1), CORBA::TIMEOUT);
  client.node->gate.open();
  to_server->attach(client.reference());
  EXPECT_EQ(server.node->twice_there(4), 8);
}

// The objects of the client would become unreachable. A connection of the same age that nobody offered shows
// that the time has passed.
TEST(BidirectionalIdleConnections, AreNotClosedByTheServer) {
  NodeOrb server(accepting("received", {"-ORBTune", "idle-timeout-ms=20"}), BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  client.offering(server.stringified())->attach(client.reference());
  const orbtest::Where at = orbtest::where(server.stringified());
  orbtest::RawPeer other = orbtest::RawPeer::to(at.port);
  other.sends(orbtest::request(1, at.key, "notes").bytes());
  EXPECT_TRUE(other.is_closed());
  EXPECT_EQ(server.node->twice_there(1), 2);
}

TEST(BidirectionalIdleConnections, AreNotClosedByTheClient) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere({"-ORBTune", "outgoing-idle-timeout-ms=20"}), BiDirPolicy::BOTH);
  client.offering(server.stringified())->attach(client.reference());
  {
    std::promise<bool> closed;
    orbtest::RawServer other([&](orbtest::RawPeer& peer) {
      if (!peer.receives()) return;
      peer.sends(orbtest::reply(1).ulong(5).bytes());
      closed.set_value(peer.is_closed());
    });
    EXPECT_EQ(client.at(other.reference())->twice(1), 5);
    EXPECT_TRUE(closed.get_future().get());
  }
  EXPECT_EQ(server.node->twice_there(1), 2);
}

TEST_F(BidirectionalEndings, LetTheServerCallAnotherClient) {
  client.end();
  EXPECT_EQ(completed<CORBA::TRANSIENT>([&] { server.node->twice_there(1); }),
            CORBA::CompletionStatus::COMPLETED_NO);
  NodeOrb second(listening_nowhere(), BiDirPolicy::BOTH);
  second.offering(server.stringified())->attach(second.reference());
  EXPECT_EQ(server.node->twice_there(3), 6);
}

}  // namespace
}  // namespace bidirtest
