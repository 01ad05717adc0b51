// orbweaver::peer(): the identity of the caller, as a servant sees it.
#include <gmock/gmock.h>

#include "platform/process_identity.h"
#include "testing/peer_reporter.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::Peer;
using ::testing::StartsWith;
using WatcherRef = IDL::traits<OrbTest::Watcher>::ref_type;

/// The peer that a servant sees when it is called over `transport`.
Peer peer_by(const std::string& transport) {
  TestOrb server({"-ORBListen", transport}), client({"-ORBTransportPreference", transport});
  const auto reporter = CORBA::make_reference<PeerReporter>();
  const std::string reference = serve(server, reporter);
  const WatcherRef watcher = IDL::traits<OrbTest::Watcher>::narrow(client.orb->string_to_object(reference));
  EXPECT_EQ(watcher->twice(21), 42);
  EXPECT_TRUE(reporter->seen());
  return reporter->seen().value_or(Peer{});
}

class LocalPeer : public ::testing::TestWithParam<std::string> {};

TEST_P(LocalPeer, HasPidAndUid) {
  const Peer peer = peer_by(GetParam());
  EXPECT_EQ(peer.transport, GetParam());
  EXPECT_EQ(peer.pid, orbweaver::platform::process_id());
  EXPECT_EQ(peer.uid, orbweaver::platform::user_id());
  EXPECT_EQ(peer.subject, "");
}

INSTANTIATE_TEST_SUITE_P(Transports, LocalPeer, ::testing::Values("shm", "unix", "mqueue"),
                         [](const auto& transport) { return transport.param; });

TEST(Peer, HasAnAddressAndTheUidOfAProcessOfThisHostOverANetwork) {
  for (const char* transport : {"tcp", "udp"}) {
    const Peer peer = peer_by(transport);
    EXPECT_EQ(peer.transport, transport);
    EXPECT_THAT(peer.address, StartsWith("127.0.0.1:"));
    EXPECT_EQ(peer.pid, 0) << transport << ": of this host, but not known";
    EXPECT_EQ(peer.uid, orbweaver::platform::user_id()) << transport;
  }
}

TEST(Peer, IsThisProcessInACollocatedCall) {
  TestOrb broker;
  const auto reporter = CORBA::make_reference<PeerReporter>();
  const WatcherRef watcher =
      IDL::traits<OrbTest::Watcher>::narrow(broker.orb->string_to_object(serve(broker, reporter)));
  watcher->twice(1);
  ASSERT_TRUE(reporter->seen());
  EXPECT_EQ(reporter->seen()->transport, "inproc");
  EXPECT_EQ(reporter->seen()->pid, orbweaver::platform::process_id());
}

TEST(Peer, IsTheInnermostCallerDuringNestedCollocatedCalls) {
  TestOrb server({"-ORBListen", "inproc,tcp"}),
      client({"-ORBTransportPreference", "tcp", "-ORBListen", "tcp"});
  const auto reporter = CORBA::make_reference<PeerReporter>();
  const auto servant = CORBA::make_reference<Servant>();
  const WatcherRef collocated =
      IDL::traits<OrbTest::Watcher>::narrow(server.orb->string_to_object(serve(server, reporter)));
  const auto calls = client.at(server.serve(servant));
  EXPECT_EQ(calls->ask(IDL::traits<OrbTest::Watcher>::narrow(
                           client.orb->string_to_object(server.orb->object_to_string(collocated))),
                       4),
            8);
  ASSERT_TRUE(reporter->seen());
  EXPECT_EQ(reporter->seen()->transport, "inproc") << "the caller is the collocated servant, not the client";
}

TEST(Peer, IsNullOutsideOfAnUpcall) { EXPECT_EQ(orbweaver::peer(), nullptr); }

}  // namespace
}  // namespace orbtest
