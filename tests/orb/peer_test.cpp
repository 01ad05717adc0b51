#include <gmock/gmock.h>

#include "platform/process_identity.h"
#include "testing/broker.h"
#include "testing/who_calls.h"

/// A servant asks who calls it.
namespace orbtest {
namespace {

using orbweaver::Peer;
using ::testing::StartsWith;
using WatcherRef = IDL::traits<OrbTest::Watcher>::ref_type;

/// What a servant is told when it is called by this road.
Peer peer_by(const std::string& road) {
  Broker server({"-ORBListen", road}), client({"-ORBTransportPreference", road});
  const auto who = CORBA::make_reference<WhoCalls>();
  const std::string reference = serve(server, who);
  const WatcherRef watcher = IDL::traits<OrbTest::Watcher>::narrow(client.orb->string_to_object(reference));
  EXPECT_EQ(watcher->twice(21), 42);
  EXPECT_TRUE(who->seen());
  return who->seen().value_or(Peer{});
}

TEST(Peer, OnALocalRoadIsTheProcessAndItsUser) {
  for (const char* road : {"shm", "unix", "mqueue"}) {
    const Peer peer = peer_by(road);
    EXPECT_EQ(peer.transport, road);
    EXPECT_EQ(peer.pid, orbweaver::platform::process_id()) << road;
    EXPECT_EQ(peer.uid, orbweaver::platform::user_id()) << road;
    EXPECT_EQ(peer.subject, "");
  }
}

TEST(Peer, OnTcpIsAnAddressAndNoMore) {
  const Peer peer = peer_by("tcp");
  EXPECT_EQ(peer.transport, "tcp");
  EXPECT_THAT(peer.address, StartsWith("127.0.0.1:"));
  EXPECT_EQ(peer.pid, -1);
  EXPECT_EQ(peer.uid, -1);
}

TEST(Peer, OfACallWithinTheProcessIsTheProcess) {
  Broker broker;
  const auto who = CORBA::make_reference<WhoCalls>();
  const WatcherRef watcher = IDL::traits<OrbTest::Watcher>::narrow(broker.orb->string_to_object(serve(broker, who)));
  watcher->twice(1);
  ASSERT_TRUE(who->seen());
  EXPECT_EQ(who->seen()->transport, "inproc");
  EXPECT_EQ(who->seen()->pid, orbweaver::platform::process_id());
}

TEST(Peer, IsTheInnermostCallersWhileAServantCallsAnother) {
  Broker server({"-ORBListen", "inproc,tcp"}), client({"-ORBTransportPreference", "tcp", "-ORBListen", "tcp"});
  const auto who = CORBA::make_reference<WhoCalls>();
  const auto servant = CORBA::make_reference<Servant>();
  const WatcherRef beside = IDL::traits<OrbTest::Watcher>::narrow(server.orb->string_to_object(serve(server, who)));
  const auto calls = client.at(server.serve(servant));
  EXPECT_EQ(calls->ask(IDL::traits<OrbTest::Watcher>::narrow(client.orb->string_to_object(server.orb->object_to_string(beside))), 4), 8);
  ASSERT_TRUE(who->seen());
  EXPECT_EQ(who->seen()->transport, "inproc") << "the servant beside it called, not the client";
}

TEST(Peer, IsNobodyOutsideOfAnUpcall) { EXPECT_EQ(orbweaver::peer(), nullptr); }

}  // namespace
}  // namespace orbtest
