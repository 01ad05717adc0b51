// Who is called over a connection that another process has opened: only with the consent of both ends, and
// only the objects that the peer itself has handed over, unless the server is told otherwise.
#include <gmock/gmock.h>

#include "node.h"
#include "orb/minor_codes.h"

namespace bidirtest {
namespace {

using orbtest::raised_by;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// Whether the connection for calls to the object is offered for calls in the other direction.
bool offers(const NodeRef& node) {
  const orbweaver::orb::CallScope scope;
  const orbweaver::Binding* const binding = node->_reference()->usable_binding();
  return binding != nullptr && binding->connection->sender().offers();
}

/// Options of a client that listens on TCP.
const Options kListening{"-ORBListen", "tcp", "-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"};

TEST(BidirectionalConsent, IsNeededFromTheServer) {
  NodeOrb server(kListening, BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  client.offering(server.stringified())->attach(client.reference());
  EXPECT_THAT(
      raised_by<CORBA::TRANSIENT>([&] { server.node->twice_there(1); }, minor::kNoUsableEndpoint),
      AllOf(HasSubstr("-ORBAcceptBidirectional"), HasSubstr("set -ORBTransportPreference tcp or unix")));
}

TEST(BidirectionalConsent, IsNamedToTheCallerOfAProcessThatListensNowhere) {
  std::string reference;
  {
    NodeOrb ended(listening_nowhere(), BiDirPolicy::NORMAL);
    reference = ended.stringified();
  }
  NodeOrb other(Options{"-ORBListen", "tcp"}, BiDirPolicy::NORMAL);
  EXPECT_THAT(
      raised_by<CORBA::TRANSIENT>([&] { other.at(reference)->twice(1); }, minor::kNoUsableEndpoint),
      AllOf(HasSubstr("a reference of a process with -ORBListen inproc can be called only within that "
                      "process"),
            HasSubstr("docs/bidirectional.md")));
}

TEST(BidirectionalConsent, IsNotNamedToTheCallerOfAProcessThatHasListened) {
  std::string reference;
  {
    NodeOrb ended(Options{"-ORBListen", "inproc,unix,tcp"}, BiDirPolicy::NORMAL);
    reference = ended.stringified();
  }
  NodeOrb other(Options{"-ORBListen", "tcp"}, BiDirPolicy::NORMAL);
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { other.at(reference)->twice(1); }, minor::kNoUsableEndpoint),
              AllOf(HasSubstr("no usable endpoint: unix: "), HasSubstr("; tcp: "),
                    ::testing::Not(HasSubstr("inproc"))));
}

TEST(BidirectionalConsent, IsNeededFromThePoaOfTheObject) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(kListening, BiDirPolicy::NORMAL);
  client.offering(server.stringified())->attach(client.reference());
  EXPECT_EQ(server.node->twice_there(1), 2);
  EXPECT_FALSE(is_called_back(server.node->attached())) << "an ordinary connection";
}

TEST(BidirectionalConsent, IsNeededFromTheCallerOfTheServer) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(kListening, BiDirPolicy::BOTH);
  const NodeRef plain = client.at(server.stringified());
  plain->attach(client.reference());
  EXPECT_FALSE(offers(plain));
  EXPECT_EQ(server.node->twice_there(1), 2);
  EXPECT_FALSE(is_called_back(server.node->attached())) << "an ordinary connection";
}

TEST(BidirectionalConsent, PrefersTheOpenConnectionOfAClientThatListens) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(kListening, BiDirPolicy::BOTH);
  const NodeRef offering = client.offering(server.stringified());
  offering->attach(client.reference());
  EXPECT_TRUE(offers(offering));
  EXPECT_EQ(server.node->twice_there(1), 2);
  EXPECT_TRUE(is_called_back(server.node->attached()));
}

TEST(BidirectionalConsent, IsGivenByTheOrbPolicy) {
  NodeOrb server(kListening, BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  for (NodeOrb* each : {&server, &client}) {
    IDL::traits<CORBA::PolicyManager>::narrow(
        each->broker.orb->resolve_initial_references("ORBPolicyManager"))
        ->set_policy_overrides({bidirectional(each->broker)}, CORBA::SetOverrideType::ADD_OVERRIDE);
  }
  client.at(server.stringified())->attach(client.reference());
  EXPECT_EQ(server.node->twice_there(1), 2);
  EXPECT_TRUE(is_called_back(server.node->attached()));
}

TEST(BidirectionalConsent, LeavesOtherReferencesOnTheirOwnConnections) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(kListening, BiDirPolicy::BOTH);
  client.offering(server.stringified())->attach(client.reference());
  // The server knows the object from elsewhere: its reference has not come over this connection.
  const NodeRef elsewhere = server.at(client.stringified());
  EXPECT_EQ(elsewhere->twice(2), 4);
  EXPECT_FALSE(is_called_back(elsewhere));
}

TEST(BidirectionalConsent, MayIncludeAllReferences) {
  NodeOrb server(accepting("any"), BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  const std::string text = client.stringified();
  const NodeRef offering = client.offering(server.stringified());
  EXPECT_EQ(offering->twice(1), 2);
  const NodeRef elsewhere = server.at(text);
  EXPECT_EQ(elsewhere->twice(2), 4);
  EXPECT_TRUE(is_called_back(elsewhere));
}

// A claim never replaces a connection that this process has opened itself.
TEST(BidirectionalConsent, KeepsAnOpenDirectConnection) {
  NodeOrb server(accepting("any"), BiDirPolicy::NORMAL);
  NodeOrb client(kListening, BiDirPolicy::BOTH);
  const NodeRef direct = server.at(client.stringified());
  EXPECT_EQ(direct->twice(2), 4);
  client.offering(server.stringified())->attach(client.reference());
  EXPECT_EQ(server.node->twice_there(1), 2);
  EXPECT_FALSE(is_called_back(server.node->attached()));
  EXPECT_FALSE(is_called_back(direct));
}

TEST(BidirectionalConsent, OffersANewConnectionBesideAnOrdinaryOne) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(accepting("received"), BiDirPolicy::BOTH);
  const NodeRef plain = client.at(server.stringified());
  EXPECT_EQ(plain->twice(1), 2);
  const NodeRef offering = client.offering(server.stringified());
  EXPECT_EQ(offering->twice(1), 2);
  EXPECT_FALSE(offers(plain));
  EXPECT_TRUE(offers(offering));
}

TEST(BidirectionalConsent, IsAnObjectPolicyOfOneOfTwoValues) {
  TestOrb broker;
  const auto reason = [&](auto value) {
    CORBA::Any any;
    any <<= value;
    try {
      broker.orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, any);
    } catch (const CORBA::PolicyError& e) {
      return e.reason();
    }
    return CORBA::PolicyErrorCode{-1};
  };
  EXPECT_EQ(reason(std::uint16_t{2}), CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(reason(std::int16_t{1}), CORBA::BAD_POLICY_TYPE);
  const auto thread =
      IDL::traits<CORBA::PolicyCurrent>::narrow(broker.orb->resolve_initial_references("PolicyCurrent"));
  EXPECT_THROW(thread->set_policy_overrides({bidirectional(broker)}, CORBA::SetOverrideType::ADD_OVERRIDE),
               CORBA::InvalidPolicies);
}

}  // namespace
}  // namespace bidirtest
