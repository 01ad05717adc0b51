// Calls of an Orbweaver client to an omniORB server that is killed and restarted.
#include <gmock/gmock.h>
#include <orbweaver/orb.h>
#include <orbweaver/policy.h>

#include "interopC.h"
#include "server.h"

namespace interop {
namespace {

struct RestartedOmniOrbServer : testing::TestWithParam<std::string> {
  Server server{sibling_program("interop-omniorb-server")};
  IDL::traits<CORBA::ORB>::ref_type orb = [] {
    std::vector<std::string> words = {"restart_test", "-ORBTransportPreference", GetParam()};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    return CORBA::ORB_init(argc, argv.data(), GetParam());
  }();
  IDL::traits<Interop::Workshop>::ref_type workshop =
      IDL::traits<Interop::Workshop>::narrow(orb->string_to_object(server.ior()));
  ~RestartedOmniOrbServer() override { orb->destroy(); }
};

TEST_P(RestartedOmniOrbServer, IsCalledWithoutAnException) {
  EXPECT_EQ(workshop->name(), "peer");
  server.restart();
  EXPECT_EQ(workshop->name(), "peer");
  server.restart();
  EXPECT_EQ(workshop->add(3), 3);
}

TEST_P(RestartedOmniOrbServer, ReceivesOneWayCallsWithoutLoss) {
  EXPECT_EQ(workshop->name(), "peer");
  server.restart();
  workshop->note("first");
  EXPECT_THAT(workshop->notes(), testing::ElementsAre("first"));
}

TEST_P(RestartedOmniOrbServer, AnswersObjectOperations) {
  CORBA::PolicyList inconsistent;
  EXPECT_TRUE(workshop->_validate_connection(inconsistent));
  EXPECT_TRUE(inconsistent.empty());
  EXPECT_EQ(workshop->_get_component(), nullptr);
  EXPECT_THROW(workshop->_get_interface(), CORBA::INTF_REPOS);
  EXPECT_FALSE(workshop->_non_existent());
  EXPECT_TRUE(workshop->_is_a("IDL:Interop/Counter:1.0"));
}

INSTANTIATE_TEST_SUITE_P(Transports, RestartedOmniOrbServer, testing::Values("tcp", "unix"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace interop
