// Hostile peers of bidirectional connections: they lose their own connection, and nobody else is affected.
#include <gmock/gmock.h>

#include <orbweaver/messaging.h>

#include <algorithm>
#include <atomic>

#include "node.h"
#include "orb/minor_codes.h"
#include "raw_client.h"

namespace bidirtest {
namespace {

using orbtest::Message;
using orbtest::Octets;
using orbtest::Order;
using orbtest::raised_by;
using orbtest::RawPeer;
using orbweaver::giop::ListenPoint;
using orbweaver::giop::MessageType;
using ::testing::HasSubstr;
namespace giop = orbweaver::giop;
namespace minor = orbweaver::minor;

/// A reply that its sender cannot complete while its peer reads nothing.
constexpr std::size_t kMoreThanSocketsHold = 20'000'000;

class HostilePeer : public ::testing::Test {
 protected:
  void TearDown() override {
    // The server still serves others, in both directions.
    {
      NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
      client.offering(server.stringified())->attach(client.reference());
      EXPECT_EQ(server.node->twice_there(4), 8);
    }
    server.end();
  }
  /// Claims `point`, and hands over a reference to an object there.
  void attach(RawPeer& peer, std::uint32_t id, const ListenPoint& point) {
    bidirtest::attach(peer, id, at.key, point);
  }
  /// Sends a message over a connection with an offer; it is to be closed, after a MessageError at most.
  void is_closed_after(const Octets& message) {
    RawPeer peer = RawPeer::to(at.port);
    attach(peer, 0, kPoint);
    peer.sends(message);
    EXPECT_TRUE(peer.is_closed());
  }
  const ListenPoint kPoint{"client.invalid", 9};
  NodeOrb server{accepting(), BiDirPolicy::NORMAL};
  const orbtest::Where at = orbtest::where(server.stringified());
};

TEST_F(HostilePeer, IsCalledWithOddRequestIds) {
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, kPoint);
  for (const std::uint32_t id : {1u, 3u}) {
    peer.sends(orbtest::request(2 * id, at.key, "twice_there").ulong(5).bytes());
    const auto request = peer.receives();
    ASSERT_EQ(type_of(request), MessageType::request);
    EXPECT_EQ(id_of(*request), id);
    peer.sends(orbtest::reply(id).ulong(11).bytes());
    const auto reply = peer.receives();
    ASSERT_EQ(type_of(reply), MessageType::reply);
    EXPECT_EQ(id_of(*reply), 2 * id);
  }
}

// JacORB and omniORB are not affected: the types of messages tell whose they are.
TEST_F(HostilePeer, MayUseOddRequestIdsItself) {
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 1, kPoint);
  peer.sends(orbtest::request(1, at.key, "twice_there").ulong(5).bytes());
  const auto request = peer.receives();
  ASSERT_EQ(type_of(request), MessageType::request);
  peer.sends(orbtest::reply(id_of(*request)).ulong(11).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::reply);
}

TEST_F(HostilePeer, IsClosedAfterAReplyBeforeAnyOffer) {
  RawPeer peer = RawPeer::to(at.port);
  peer.sends(orbtest::reply(1).ulong(2).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::message_error);
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(HostilePeer, IsClosedAfterAReplyToARequestThatWasNotSent) {
  is_closed_after(orbtest::reply(1).ulong(2).bytes());
  is_closed_after(orbtest::reply(77).bytes());
}

TEST_F(HostilePeer, IsClosedAfterAFragmentOfNothing) {
  is_closed_after(Message(MessageType::fragment).ulong(4).ulong(0).bytes());
  is_closed_after(Message(MessageType::fragment).ulong(5).ulong(0).bytes());
}

TEST_F(HostilePeer, IsClosedAfterAMalformedContext) {
  for (const Octets& context :
       {Octets{}, Octets{1}, Octets{2, 0, 0, 0}, Octets{1, 0, 0, 0, 255, 255, 255, 255},
        Octets{1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 'a', 0}}) {
    RawPeer peer = RawPeer::to(at.port);
    peer.sends(offering(0, at.key, "notes", context).bytes());
    EXPECT_EQ(type_of(peer.receives()), MessageType::message_error);
    EXPECT_TRUE(peer.is_closed());
  }
}

TEST_F(HostilePeer, IsClosedAfterThousandsOfListenPoints) {
  std::vector<ListenPoint> points(5'000, ListenPoint{"h", 1});
  RawPeer peer = RawPeer::to(at.port);
  peer.sends(offering(0, at.key, "notes", points).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::message_error);
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(HostilePeer, IsClosedWhenItsOffersAddUpToTooManyListenPoints) {
  RawPeer peer = RawPeer::to(at.port);
  std::uint16_t port = 1;
  for (std::uint32_t id = 0; id < giop::kMaxListenPoints; ++id) {
    peer.sends(offering(2 * id, at.key, "notes", std::vector<ListenPoint>{{"h", port++}}).bytes());
    ASSERT_EQ(type_of(peer.receives()), MessageType::reply);
  }
  peer.sends(offering(1'000, at.key, "notes", std::vector<ListenPoint>{{"h", port}}).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::message_error);
  EXPECT_TRUE(peer.is_closed());
}

// An offer has an effect in GIOP 1.2 only (CORBA 3.3 part 2, 9.8).
TEST_F(HostilePeer, CannotOfferInGiop11) {
  RawPeer peer = RawPeer::to(at.port);
  Message request(MessageType::request, Order::little, 1);
  request.ulong(1)
      .ulong(giop::context_id::kBiDirIiop)
      .octets(giop::encode_listen_points({kPoint}))
      .ulong(1)
      .octet(1)
      .octet(0)
      .octet(0)
      .octet(0)
      .octets(at.key)
      .text("notes")
      .ulong(0);
  peer.sends(request.bytes());
  ASSERT_EQ(type_of(peer.receives()), MessageType::reply);
  peer.sends(orbtest::reply(1).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::message_error) << "not a bidirectional connection";
}

TEST(IdleHostilePeer, IsClosedAfterAnOfferOfNothing) {
  NodeOrb server(accepting("received", {"-ORBTune", "idle-timeout-ms=20"}), BiDirPolicy::NORMAL);
  const orbtest::Where at = orbtest::where(server.stringified());
  RawPeer peer = RawPeer::to(at.port);
  peer.sends(offering(0, at.key, "notes", std::vector<ListenPoint>{}).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::reply);
  EXPECT_TRUE(peer.is_closed());
}

// The server knows the object of the client from elsewhere, not from the peer that claims its address.
TEST_F(HostilePeer, CannotDivertTheCallsOfAnotherPeerByItsAddress) {
  NodeOrb client({"-ORBListen", "tcp", "-ORBTransportPreference", "tcp"}, BiDirPolicy::BOTH);
  const orbtest::Where of_client = orbtest::where(client.stringified());
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, {"127.0.0.1", of_client.port});
  const NodeRef known = server.at(client.stringified());
  EXPECT_EQ(known->twice(21), 42) << "not from the peer: an ordinary connection";
}

// In any lane: the first one executes another request.
TEST(UnreadReplies, EndTheConnectionOfTheirPeer) {
  NodeOrb server(accepting("received", {"-ORBTune", "reply-timeout-ms=40"}), BiDirPolicy::NORMAL);
  const orbtest::Where at = orbtest::where(server.stringified());
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, at.key, {"client.invalid", 9});
  peer.sends(orbtest::request(2, at.key, "wait_at_gate").ulong(1).bytes());
  ASSERT_TRUE(server.node->gate.reached_by(1));
  peer.sends(orbtest::request(4, at.key, "echo").octets(Octets(kMoreThanSocketsHold)).bytes());
  EXPECT_TRUE(orbtest::becomes_true([&] { return peer.is_hung_up(); }));
}

// ---- CancelRequest ----

/// A reference to the attached object, whose calls time out.
NodeRef impatient(NodeOrb& server) {
  CORBA::Any limit;
  limit <<= TimeBase::TimeT{10'000'000};  // a second, in which the request is sent
  return unchecked(server.node->attached()->_set_policy_overrides(
      {server.broker.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
      CORBA::SetOverrideType::ADD_OVERRIDE));
}

TEST_F(HostilePeer, IsToldThatACallbackIsCancelled) {
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, kPoint);
  EXPECT_THROW(impatient(server)->twice(1), CORBA::TIMEOUT);
  const auto request = peer.receives();
  ASSERT_EQ(type_of(request), MessageType::request);
  const auto cancelled = peer.receives();
  ASSERT_EQ(type_of(cancelled), MessageType::cancel_request);
  EXPECT_EQ(id_of(*cancelled), id_of(*request));
  // The reply, which comes too late, disturbs neither direction.
  peer.sends(orbtest::reply(id_of(*request)).ulong(2).bytes());
  peer.sends(orbtest::request(2, at.key, "twice_there").ulong(5).bytes());
  const auto next = peer.receives();
  ASSERT_EQ(type_of(next), MessageType::request);
  peer.sends(orbtest::reply(id_of(*next)).ulong(10).bytes());
  EXPECT_EQ(type_of(peer.receives()), MessageType::reply);
}

TEST_F(HostilePeer, EndsPendingCallsWhenItCloses) {
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, kPoint);
  const NodeRef there = server.node->attached();
  std::thread closes([&] {
    EXPECT_EQ(type_of(peer.receives()), MessageType::request);
    peer.closes();
  });
  EXPECT_NE(raised_by<CORBA::COMM_FAILURE>([&] { there->twice(1); }, minor::kPeerLost), "");
  closes.join();
}

TEST_F(HostilePeer, MakesAPendingCallRepeatableByCloseConnection) {
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, kPoint);
  const NodeRef there = server.node->attached();
  std::thread closes([&] {
    EXPECT_EQ(type_of(peer.receives()), MessageType::request);
    peer.sends(Message(MessageType::close_connection).bytes());
    EXPECT_TRUE(peer.is_closed());
  });
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { there->twice(1); }, minor::kNoUsableEndpoint),
              HasSubstr("tcp"));
  closes.join();
}

// ---- servers ----

TEST(UnreadReplies, EndAnOfferedConnection) {
  NodeOrb client(listening_nowhere({"-ORBTune", "reply-timeout-ms=40"}), BiDirPolicy::BOTH);
  const Octets key = orbtest::where(client.stringified()).key;
  bool hung_up = false;
  {
    orbtest::RawServer server([&](RawPeer& peer) {
      if (!peer.receives()) return;
      peer.sends(orbtest::request(1, key, "echo").octets(Octets(kMoreThanSocketsHold)).bytes());
      hung_up = orbtest::becomes_true([&] { return peer.is_hung_up(); });
    });
    EXPECT_THROW(client.offering(server.reference())->twice(1), CORBA::COMM_FAILURE);
    client.end();
  }
  EXPECT_TRUE(hung_up);
}

/// The address of a client that is called by a server which it has not offered its connection to.
TEST(HostileServer, IsClosedAfterARequestOverAConnectionThatWasNotOffered) {
  bool closed = false;
  {
    orbtest::RawServer server([&](RawPeer& peer) {
      if (!peer.receives()) return;
      peer.sends(orbtest::request(1, {1, 2, 3}, "twice").ulong(1).bytes());
      closed = peer.is_closed();
    });
    NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
    EXPECT_THAT(
        raised_by<CORBA::COMM_FAILURE>([&] { client.at(server.reference())->twice(1); }, minor::kPeerLost),
        HasSubstr("unexpected message type"));
    client.end();
  }
  EXPECT_TRUE(closed);
}

// A callback that is executed is not interrupted; one that waits for its fragments is dropped.
TEST(HostileServer, MayCancelItsCallbacks) {
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  const Octets key = orbtest::where(client.stringified()).key;
  std::vector<std::uint32_t> answered;
  {
    orbtest::RawServer server([&](RawPeer& peer) {
      const auto call = peer.receives();
      if (!call) return;
      const auto cancel = [&](std::uint32_t id) {
        peer.sends(Message(MessageType::cancel_request).ulong(id).bytes());
      };
      peer.sends(orbtest::request(1, key, "wait_at_gate").ulong(1).bytes());
      EXPECT_TRUE(client.node->gate.reached_by(1));
      cancel(1);
      Octets incomplete = orbtest::request(3, key, "twice").ulong(1).ulong(0).bytes();
      incomplete[6] |= 2;  // fragments follow
      peer.sends(incomplete);
      cancel(3);
      cancel(99);
      peer.sends(orbtest::request(5, key, "twice").ulong(1).bytes());
      for (int replies = 0; replies < 2; ++replies) {
        const auto reply = peer.receives();
        if (type_of(reply) != MessageType::reply) break;
        answered.push_back(id_of(*reply));
        client.node->gate.open();
      }
      peer.sends(orbtest::reply(id_of(*call)).ulong(5).bytes());
      static_cast<void>(peer.is_closed());
    });
    EXPECT_EQ(client.offering(server.reference())->twice(1), 5);
    client.end();
  }
  EXPECT_EQ(answered, (std::vector<std::uint32_t>{5, 1}));
}

TEST(HostileServer, IsAnsweredOverAnOfferedConnectionForObjectsThatPermitIt) {
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  const Octets key = orbtest::where(client.stringified()).key;
  std::uint32_t id_of_call = 1;
  Octets answer;
  {
    orbtest::RawServer server([&](RawPeer& peer) {
      const auto call = peer.receives();
      if (!call) return;
      id_of_call = id_of(*call);
      peer.sends(orbtest::request(1, key, "twice").ulong(21).bytes());
      answer = peer.receives().value_or(Octets());
      peer.sends(orbtest::reply(id_of_call).ulong(5).bytes());
      static_cast<void>(peer.is_closed());
    });
    EXPECT_EQ(client.offering(server.reference())->twice(1), 5);
    client.end();
  }
  EXPECT_EQ(id_of_call % 2, 0u) << "ids of the process that has opened the connection are even";
  ASSERT_EQ(type_of(answer), MessageType::reply);
  EXPECT_EQ(answer, orbtest::reply(1).ulong(42).bytes());
}

// Nothing was sent of the second call: it is made over a new connection, which is offered again.
TEST(HostileServer, IsConnectedAgainAfterItHasClosed) {
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  std::atomic<int> offers{0};
  const auto text = client.stringified();
  {
    orbtest::RawServer server([&](RawPeer& peer) {
      const auto call = peer.receives();
      if (!call) return;
      const Octets name{'.', 'o', 'r', 'b', 'w', 'e', 'a', 'v', 'e',
                        'r', '.', 'i', 'n', 'v', 'a', 'l', 'i', 'd'};
      offers += std::search(call->begin(), call->end(), name.begin(), name.end()) != call->end();
      peer.sends(orbtest::reply(id_of(*call)).ulong(5).bytes());
      peer.sends(Message(MessageType::close_connection).bytes());
      static_cast<void>(peer.is_closed());
    });
    const NodeRef there = client.offering(server.reference());
    for (int calls = 0; calls < 3; ++calls) EXPECT_EQ(there->twice(1), 5);
    client.end();
  }
  EXPECT_EQ(offers, 3);
}

// One-way requests that nobody reads replies to: the client serves them, and its call still ends.
TEST(HostileServer, CannotPreventACallFromEndingByAFlood) {
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  const Octets key = orbtest::where(client.stringified()).key;
  constexpr std::int32_t kNotes = 5'000;
  orbtest::RawServer server([&](RawPeer& peer) {
    const auto call = peer.receives();
    if (!call) return;
    for (std::int32_t n = 0; n < kNotes; ++n) {
      peer.sends(orbtest::request(static_cast<std::uint32_t>(2 * n + 1), key, "note", Order::little, kOneWay)
                     .ulong(static_cast<std::uint32_t>(n))
                     .bytes());
    }
    peer.sends(orbtest::reply(id_of(*call)).ulong(5).bytes());
    static_cast<void>(peer.is_closed());
  });
  EXPECT_EQ(client.offering(server.reference())->twice(1), 5);
  EXPECT_TRUE(orbtest::becomes_true([&] { return client.node->notes().size() == kNotes; }));
  client.end();
}

}  // namespace
}  // namespace bidirtest
