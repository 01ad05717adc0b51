// Which claims of listen points have an effect: those of addresses that are known to be the peer's own.
#include "orb/bidirectional/listen_point_claims.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/log.h"
#include "node.h"
#include "platform/process_identity.h"
#include "raw_client.h"
#include "testing/scripted_channel.h"

namespace bidirtest {
namespace {

using orbweaver::ClientConnection;
using orbweaver::ClientConnectionPtr;
using orbweaver::Peer;
using orbweaver::giop::ListenPoint;
using orbweaver::orb::ListenPointClaims;
using Accept = orbweaver::orb::Options::AcceptBidirectional;

const std::int64_t kOwn = orbweaver::platform::user_id();

Peer user(std::int64_t uid) { return {.address = "process 12 of user", .pid = 12, .uid = uid}; }
Peer user_over_tcp(std::int64_t uid) { return {.address = "127.0.0.1:4711", .pid = 0, .uid = uid}; }
Peer host(const std::string& address) { return {.address = address}; }

TEST(ListenPointClaims, TellUsersOfThisHostApart) {
  EXPECT_EQ(ListenPointClaims::identity_of(user(7)), ListenPointClaims::identity_of(user_over_tcp(7)));
  EXPECT_NE(ListenPointClaims::identity_of(user_over_tcp(7)),
            ListenPointClaims::identity_of(user_over_tcp(8)));
  EXPECT_EQ(ListenPointClaims::identity_of(host("10.0.0.7:1")),
            ListenPointClaims::identity_of(host("10.0.0.7:2")));
  EXPECT_NE(ListenPointClaims::identity_of(host("10.0.0.7:1")),
            ListenPointClaims::identity_of(host("10.0.0.8:1")));
}

TEST(ListenPointClaims, AreOfTheAddressOfTheirPeer) {
  EXPECT_TRUE(ListenPointClaims::may_claim(host("10.0.0.7:1234"), {"10.0.0.7", 4711}));
  EXPECT_FALSE(ListenPointClaims::may_claim(host("10.0.0.7:1234"), {"10.0.0.8", 4711}));
  EXPECT_FALSE(ListenPointClaims::may_claim(host("10.0.0.7:1234"), {"127.0.0.1", 4711}));
  EXPECT_FALSE(ListenPointClaims::may_claim(host("10.0.0.7:1234"), {"radio.example", 4711}));
  EXPECT_TRUE(ListenPointClaims::may_claim(host("[fd00::7]:1234"), {"fd00::7", 4711}));
  EXPECT_TRUE(ListenPointClaims::may_claim(host("[::ffff:10.0.0.7]:1234"), {"10.0.0.7", 4711}));
}

TEST(ListenPointClaims, AreOfTheNamesInTheCertificateOfTheirPeer) {
  Peer peer = host("10.0.0.7:1234");
  peer.names = {"DNS:radio.example", "IP:10.0.0.9"};
  EXPECT_FALSE(ListenPointClaims::may_claim(peer, {"radio.example", 4711})) << "not authenticated";
  peer.subject = "CN=radio";
  EXPECT_TRUE(ListenPointClaims::may_claim(peer, {"radio.example", 4711}));
  EXPECT_TRUE(ListenPointClaims::may_claim(peer, {"10.0.0.9", 4711}));
  EXPECT_FALSE(ListenPointClaims::may_claim(peer, {"other.example", 4711}));
}

TEST(ListenPointClaims, AreOnThisHostOfTheSameUser) {
  const ListenPoint point{"127.0.0.1", 4711};
  EXPECT_TRUE(ListenPointClaims::may_claim(user(kOwn), point));
  EXPECT_TRUE(ListenPointClaims::may_claim(user_over_tcp(0), point));
  EXPECT_FALSE(ListenPointClaims::may_claim(user(kOwn + 1), point));
  EXPECT_FALSE(ListenPointClaims::may_claim(user_over_tcp(kOwn + 1), point));
  Peer unknown = user_over_tcp(-1);
  EXPECT_FALSE(ListenPointClaims::may_claim(unknown, point));
  EXPECT_TRUE(ListenPointClaims::may_claim(user(kOwn + 1), {"0123456789abcdef.orbweaver.invalid", 9}));
}

/// Claims of connections without a peer.
struct Claims : ::testing::Test {
  ClientConnectionPtr claim(const Peer& peer, const ListenPoint& point) {
    auto connection = CORBA::make_reference<ClientConnection>(
        std::make_unique<orbtest::ScriptedChannel>(std::make_shared<orbtest::ChannelScript>()), peer.address,
        1 << 20, nullptr, nullptr);
    EXPECT_TRUE(
        claims.add({connection, ListenPointClaims::identity_of(peer), nullptr, false, peer}, {point}));
    return connection;
  }
  ClientConnectionPtr found(const ListenPoint& point, Accept accepted, const std::string& by = {}) {
    orbweaver::Endpoint endpoint;
    endpoint.transport = orbweaver::orb::find_transport("tcp");
    endpoint.address = orbweaver::orb::address_of(point);
    return claims.find(endpoint, by, accepted);
  }
  ListenPointClaims claims;
};

TEST_F(Claims, HaveNoEffectOnTheReferencesOfAnotherUser) {
  const ListenPoint point{"127.0.0.1", 4711};
  const Peer victim = user_over_tcp(kOwn + 1), other = user_over_tcp(kOwn + 2);
  const auto of_other = claim(other, point);
  EXPECT_EQ(found(point, Accept::received, ListenPointClaims::identity_of(victim)), nullptr);
  EXPECT_EQ(found(point, Accept::any, ListenPointClaims::identity_of(victim)), nullptr);
  EXPECT_EQ(found(point, Accept::received, ListenPointClaims::identity_of(other)), of_other);
}

TEST_F(Claims, HaveNoEffectOnAllReferencesIfTheAddressIsNotThePeers) {
  const ListenPoint point{"10.0.0.7", 4711};
  const auto of_other = claim(host("10.0.0.8:1"), point);
  EXPECT_EQ(found(point, Accept::any), nullptr);
  const auto own = claim(host("10.0.0.7:1"), point), later = claim(host("10.0.0.7:2"), point);
  EXPECT_NE(found(point, Accept::any), nullptr);
  EXPECT_NE(found(point, Accept::any), of_other);
}

TEST_F(Claims, AreThoseOfTheFirstPeerWhileItIsConnected) {
  const ListenPoint point{"0123456789abcdef.orbweaver.invalid", 9};
  const auto first = claim(host("10.0.0.7:1"), point), second = claim(host("10.0.0.8:1"), point);
  EXPECT_EQ(found(point, Accept::any), first);
  claims.remove(*first);
  EXPECT_EQ(found(point, Accept::any), second);
}

TEST_F(Claims, AreHalfOfAllForOnePeer) {
  const Peer peer = host("10.0.0.7:1");
  const auto connection = claim(peer, {"10.0.0.7", 1});
  const ListenPointClaims::Claimant same{connection, ListenPointClaims::identity_of(peer), nullptr, false,
                                         peer};
  std::vector<ListenPoint> points(ListenPointClaims::kMaxClaimsOfPeer - 1, {"10.0.0.7", 2});
  EXPECT_TRUE(claims.add(same, points));
  EXPECT_FALSE(claims.add(same, {{"10.0.0.7", 3}}));
  EXPECT_NE(claim(host("10.0.0.8:1"), {"10.0.0.8", 1}), nullptr);
}

}  // namespace
}  // namespace bidirtest
