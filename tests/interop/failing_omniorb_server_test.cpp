// Calls of an Orbweaver client to an omniORB server that is killed, restarted or stopped, or closes idle
// connections: rows of the table of docs/transports.md.
#include <gmock/gmock.h>
#include <orbweaver/policy.h>

#include <functional>

#include "interopS.h"
#include "platform/testing/waiting_thread.h"
#include "server.h"
#include "testing/test_orb.h"
#include "testing/time_limit.h"

namespace interop {
namespace {

using orbtest::becomes_true;
using WorkshopRef = IDL::traits<Interop::Workshop>::ref_type;
using NamedRef = IDL::traits<Interop::Named>::ref_type;

/// An object of the client that the server calls in an upcall: `name_of` of a workshop.
class CalledBack final : public virtual CORBA::servant_traits<Interop::Named>::base_type {
 public:
  explicit CalledBack(std::function<void()> event) : event_(std::move(event)) {}
  std::string name() override {
    ++calls;
    event_();
    return "client";
  }
  std::atomic<int> calls{0};

 private:
  const std::function<void()> event_;
};

/// Completion status of the `Expected` that `call` raises: "yes", "no" or "maybe". Otherwise what happened
/// instead.
template <class Expected, class Call>
std::string completed_by(Call&& call) {
  try {
    call();
    return "nothing was raised";
  } catch (const Expected& e) {
    static constexpr const char* kCompleted[] = {"yes", "no", "maybe"};
    return kCompleted[static_cast<int>(e.completed())];
  } catch (const std::exception& e) {
    return e.what();
  }
}

/// More than the buffers of a connection hold.
const Interop::Octets kLarge(32'000'000);

struct FailingOmniOrbServer : testing::TestWithParam<std::string> {
  explicit FailingOmniOrbServer(std::vector<std::string> environment = {})
      : server(sibling_program("interop-omniorb-server"), std::move(environment)) {}

  Server server;
  const std::set<std::string> sockets_before = server.sockets();
  orbtest::TestOrb client{
      {"-ORBListen", "tcp", "-ORBTransportPreference", GetParam(), "-ORBMaxMessageBytes", "67108864"}};
  WorkshopRef workshop = IDL::traits<Interop::Workshop>::narrow(client.orb->string_to_object(server.ior()));

  NamedRef activate(const CORBA::object_reference<CalledBack>& servant) {
    client.root->activate_object(servant);
    return IDL::traits<Interop::Named>::narrow(client.root->servant_to_reference(servant));
  }
};

TEST_P(FailingOmniOrbServer, IsCalledAgainAfterARestart) {
  EXPECT_EQ(workshop->name(), "peer");
  server.restart();
  EXPECT_EQ(workshop->name(), "peer");
  server.restart();
  EXPECT_EQ(workshop->add(3), 3);
}

TEST_P(FailingOmniOrbServer, ReceivesOneWayCallsAfterARestart) {
  EXPECT_EQ(workshop->name(), "peer");
  server.restart();
  workshop->note("first");
  EXPECT_THAT(workshop->notes(), testing::ElementsAre("first"));
}

TEST_P(FailingOmniOrbServer, AnswersObjectOperations) {
  CORBA::PolicyList inconsistent;
  EXPECT_TRUE(workshop->_validate_connection(inconsistent));
  EXPECT_TRUE(inconsistent.empty());
  EXPECT_EQ(workshop->_get_component(), nullptr);
  EXPECT_THROW(workshop->_get_interface(), CORBA::INTF_REPOS);
  EXPECT_FALSE(workshop->_non_existent());
  EXPECT_TRUE(workshop->_is_a("IDL:Interop/Counter:1.0"));
}

TEST_P(FailingOmniOrbServer, EndsTheCallThatItServesWhenKilled) {
  const auto killer = CORBA::make_reference<CalledBack>([this] { server.kill(); });
  const NamedRef named = activate(killer);
  EXPECT_EQ(completed_by<CORBA::COMM_FAILURE>([&] { workshop->name_of(named); }), "maybe");
  server.restart();
  EXPECT_EQ(workshop->name(), "peer");
  EXPECT_EQ(killer->calls, 1) << "the call must not be repeated";
}

TEST_P(FailingOmniOrbServer, IsReportedAsUnreachableOnceItIsDead) {
  EXPECT_EQ(workshop->name(), "peer");
  server.kill();
  EXPECT_EQ(completed_by<CORBA::TRANSIENT>([&] { workshop->add(1); }), "no");
  EXPECT_EQ(completed_by<CORBA::TRANSIENT>([&] { workshop->add(1); }), "no");
  server.restart();
  EXPECT_EQ(workshop->add(1), 1);
}

TEST_P(FailingOmniOrbServer, HasNotExecutedACallWhenKilledBeforeItsWholeRequest) {
  EXPECT_EQ(workshop->name(), "peer");
  server.stop();
  orbweaver::platform::testing::CallWhenThisThreadWaits killer([this] { server.kill(); });
  EXPECT_EQ(completed_by<CORBA::TRANSIENT>([&] { workshop->echo_octets(kLarge); }), "no");
  killer.join();
  server.restart();
  EXPECT_EQ(workshop->name(), "peer");
}

TEST_P(FailingOmniOrbServer, ServesTheRequestsOfATimedOutCallWhenItContinues) {
  EXPECT_EQ(workshop->add(1), 1);
  const std::set<std::string> connected = server.sockets();
  const WorkshopRef hasty = orbtest::limited<Interop::Workshop>(client, workshop, 200);
  server.stop();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(completed_by<CORBA::TIMEOUT>([&] { hasty->add(10); }), "maybe");
  }
  workshop->note("while stopped");
  server.go_on();
  EXPECT_EQ(workshop->add(100), 131) << "late replies must be discarded";
  EXPECT_THAT(workshop->notes(), testing::ElementsAre("while stopped"));
  EXPECT_EQ(server.sockets(), connected) << "the connection remains usable";
}

TEST_P(FailingOmniOrbServer, IsCalledOverANewConnectionAfterATimeoutWithinARequest) {
  EXPECT_EQ(workshop->name(), "peer");
  const WorkshopRef hasty = orbtest::limited<Interop::Workshop>(client, workshop, 200);
  server.stop();
  EXPECT_THAT(completed_by<CORBA::TIMEOUT>([&] { hasty->echo_octets(kLarge); }),
              testing::AnyOf("no", "maybe"));
  server.go_on();
  EXPECT_EQ(workshop->add(1), 1);
  EXPECT_TRUE(workshop->echo_octets(kLarge) == kLarge);
}

/// omniORB scans its connections once a second, and closes those that have been idle for two.
struct OmniOrbServerWithIdleTimeout : FailingOmniOrbServer {
  OmniOrbServerWithIdleTimeout() : FailingOmniOrbServer({"ORBscanGranularity=1", "ORBinConScanPeriod=2"}) {}

  /// Waits until the server has closed all connections.
  bool has_closed_connections() {
    return becomes_true([this] { return server.sockets() == sockets_before; });
  }
};

TEST_P(OmniOrbServerWithIdleTimeout, IsCalledOverNewConnections) {
  EXPECT_EQ(workshop->add(1), 1);
  ASSERT_TRUE(has_closed_connections());
  EXPECT_EQ(workshop->add(1), 2);
  ASSERT_TRUE(has_closed_connections());
  workshop->note("first");
  EXPECT_THAT(workshop->notes(), testing::ElementsAre("first"));
}

const auto kName = [](const auto& i) { return i.param; };
INSTANTIATE_TEST_SUITE_P(Transports, FailingOmniOrbServer, testing::Values("tcp", "unix"), kName);
INSTANTIATE_TEST_SUITE_P(Transports, OmniOrbServerWithIdleTimeout, testing::Values("tcp", "unix"), kName);

}  // namespace
}  // namespace interop
