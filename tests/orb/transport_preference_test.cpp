// TransportPreference as a policy of a reference or of the ORB. It selects the endpoint and changes nothing
// else.
#include <gmock/gmock.h>

#include <orbweaver/policy.h>

#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using CORBA::SetOverrideType;
using orbweaver::make_transport_preference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

std::vector<std::string> transports_of(const ObjectRef& object) {
  std::vector<std::string> names;
  for (const auto& endpoint : object->_reference()->endpoints()) names.push_back(endpoint.transport->name());
  return names;
}

CallsRef by(const CallsRef& calls, std::vector<std::string> transports) {
  return IDL::traits<OrbTest::Calls>::narrow(calls->_set_policy_overrides(
      {make_transport_preference(std::move(transports))}, SetOverrideType::ADD_OVERRIDE));
}

/// The transport of the connection that calls through this reference use.
std::string transport_used_by(const CallsRef& calls) {
  const orbweaver::orb::CallScope scope;
  return calls->_reference()->binding(orbweaver::Deadline::in_ms(120'000)).endpoint.transport->name();
}

struct Policies : ::testing::Test {
  TestOrb server, client;
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls = client.at(server.serve(servant));
};

TEST_F(Policies, SelectTheTransportOfOneReferenceOnly) {
  ASSERT_THAT(transports_of(calls), ElementsAre("inproc", "shm", "unix", "tcp"));
  for (const std::string transport : {"tcp", "unix", "shm", "inproc"}) {
    const CallsRef chosen = by(calls, {transport});
    EXPECT_THAT(transports_of(chosen), ElementsAre(transport));
    EXPECT_EQ(chosen->twice(21), 42);
    EXPECT_EQ(transport_used_by(chosen), transport);
    EXPECT_TRUE(chosen->_is_equivalent(calls));
    EXPECT_EQ(client.orb->object_to_string(chosen), client.orb->object_to_string(calls));
  }
  EXPECT_EQ(calls->twice(4), 8);
  EXPECT_EQ(transport_used_by(calls), "inproc");
}

TEST_F(Policies, TryTransportsInTheirOrder) {
  EXPECT_THAT(transports_of(by(calls, {"tcp", "shm"})), ElementsAre("tcp", "shm"));
}

TEST_F(Policies, AreReportedAndClearedByAReference) {
  EXPECT_TRUE(calls->_get_policy_overrides({}).empty());
  const CallsRef chosen = by(calls, {"tcp"});
  const auto policies = chosen->_get_policy_overrides({orbweaver::TRANSPORT_PREFERENCE_POLICY_TYPE});
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_THAT(IDL::traits<orbweaver::TransportPreferencePolicy>::narrow(policies[0])->transports(),
              ElementsAre("tcp"));
  EXPECT_TRUE(chosen->_get_policy_overrides({77}).empty());
  EXPECT_THAT(transports_of(chosen->_set_policy_overrides({}, SetOverrideType::ADD_OVERRIDE)),
              ElementsAre("tcp"));
  EXPECT_EQ(transports_of(chosen->_set_policy_overrides({}, SetOverrideType::SET_OVERRIDE)),
            transports_of(calls));
}

TEST_F(Policies, ApplyToAReferenceToACollocatedServant) {
  const CallsRef here = server.at(server.reference(server.root, servant));
  const CallsRef over_tcp = by(here, {"tcp"});
  EXPECT_EQ(over_tcp->twice(2), 4);
  EXPECT_EQ(transport_used_by(over_tcp), "tcp");
}

TEST_F(Policies, AreKeptByAPrivateConnection) {
  EXPECT_THAT(transports_of(orbweaver::with_private_connection(by(calls, {"unix"}))), ElementsAre("unix"));
}

TEST_F(Policies, AreInheritedFromTheOrb) {
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(client.orb->resolve_initial_references("ORBPolicyManager"));
  ASSERT_TRUE(manager);
  manager->set_policy_overrides({make_transport_preference({"unix", "tcp"})}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(manager->get_policy_overrides({}).size(), 1u);
  const CallsRef later = client.at(server.reference(server.root, servant));
  EXPECT_THAT(transports_of(later), ElementsAre("unix", "tcp"));
  EXPECT_THAT(transports_of(by(later, {"shm"})), ElementsAre("shm"));
  EXPECT_EQ(transports_of(calls).size(), 4u);
}

TEST_F(Policies, AreRejectedByIndexWhenInvalidForAReference) {
  const auto good = make_transport_preference({"tcp"});
  const auto other =
      server.root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL);
  for (const CORBA::PolicyList& list : {CORBA::PolicyList{good, other}, {good, nullptr}, {good, good}}) {
    try {
      calls->_set_policy_overrides(list, SetOverrideType::SET_OVERRIDE);
      FAIL() << "nothing was raised";
    } catch (const CORBA::InvalidPolicies& e) {
      EXPECT_THAT(e.indices(), ElementsAre(1));
    }
  }
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>(
                  [] {
                    make_transport_preference({"shm", "pigeon"});
                  },
                  minor::kBadOption),
              HasSubstr("unknown transport 'pigeon'"));
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([] { make_transport_preference({}); }, minor::kBadOption),
              HasSubstr("empty list"));
}

TEST_F(Policies, ReportAnUnusableTransport) {
  EXPECT_THROW(by(calls, {"mqueue"})->twice(1), CORBA::INV_OBJREF);
  try {
    by(calls, {"mqueue"})->twice(1);
  } catch (const CORBA::INV_OBJREF& e) {
    EXPECT_THAT(e.what(), HasSubstr("tcp: not in -ORBTransportPreference)")) << "no ';' after the last";
  }
}

}  // namespace
}  // namespace orbtest
