// TransportPreference as a policy: of one reference, or of the ORB. It chooses the road and changes nothing else.
#include <gmock/gmock.h>

#include <orbweaver/policy.h>

#include "orb/minor_codes.h"
#include "orb/reference.h"
#include "testing/broker.h"

namespace orbtest {
namespace {

using CORBA::SetOverrideType;
using orbweaver::make_transport_preference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

std::vector<std::string> roads(const ObjectRef& object) {
  std::vector<std::string> names;
  for (const auto& road : object->_reference()->roads()) names.push_back(road.transport->name());
  return names;
}

CallsRef by(const CallsRef& calls, std::vector<std::string> transports) {
  return IDL::traits<OrbTest::Calls>::narrow(
      calls->_set_policy_overrides({make_transport_preference(std::move(transports))}, SetOverrideType::ADD_OVERRIDE));
}

/// The transport of the connection that the last call took.
std::string taken(const CallsRef& calls) {
  const orbweaver::orb::CallScope scope;
  return calls->_reference()->binding(orbweaver::Deadline::in_ms(120'000)).road.transport->name();
}

struct Policies : ::testing::Test {
  Broker server, client;
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls = client.at(server.serve(servant));
};

TEST_F(Policies, APreferenceChoosesTheRoadOfOneReferenceAndNothingElse) {
  ASSERT_THAT(roads(calls), ElementsAre("inproc", "shm", "unix", "tcp"));
  for (const std::string road : {"tcp", "unix", "shm", "inproc"}) {
    const CallsRef chosen = by(calls, {road});
    EXPECT_THAT(roads(chosen), ElementsAre(road));
    EXPECT_EQ(chosen->twice(21), 42);
    EXPECT_EQ(taken(chosen), road);
    EXPECT_TRUE(chosen->_is_equivalent(calls));
    EXPECT_EQ(client.orb->object_to_string(chosen), client.orb->object_to_string(calls));
  }
  EXPECT_EQ(calls->twice(4), 8);
  EXPECT_EQ(taken(calls), "inproc");
}

TEST_F(Policies, TheirOrderIsTheOrderOfTrying) {
  EXPECT_THAT(roads(by(calls, {"tcp", "shm"})), ElementsAre("tcp", "shm"));
}

TEST_F(Policies, AReferenceTellsWhatIsSetAndForgetsItWhenAsked) {
  EXPECT_TRUE(calls->_get_policy_overrides({}).empty());
  const CallsRef chosen = by(calls, {"tcp"});
  const auto policies = chosen->_get_policy_overrides({orbweaver::TRANSPORT_PREFERENCE_POLICY_TYPE});
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_THAT(IDL::traits<orbweaver::TransportPreferencePolicy>::narrow(policies[0])->transports(), ElementsAre("tcp"));
  EXPECT_TRUE(chosen->_get_policy_overrides({77}).empty());
  EXPECT_THAT(roads(chosen->_set_policy_overrides({}, SetOverrideType::ADD_OVERRIDE)), ElementsAre("tcp"));
  EXPECT_EQ(roads(chosen->_set_policy_overrides({}, SetOverrideType::SET_OVERRIDE)), roads(calls));
}

TEST_F(Policies, AnOwnServantIsReachedByTheRoadThatIsAskedFor) {
  const CallsRef here = server.at(server.reference(server.root, servant));
  const CallsRef around = by(here, {"tcp"});
  EXPECT_EQ(around->twice(2), 4);
  EXPECT_EQ(taken(around), "tcp");
}

TEST_F(Policies, APrivateConnectionKeepsThem) {
  EXPECT_THAT(roads(orbweaver::with_private_connection(by(calls, {"unix"}))), ElementsAre("unix"));
}

TEST_F(Policies, TheOrbsHoldForReferencesWithoutTheirOwn) {
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(client.orb->resolve_initial_references("ORBPolicyManager"));
  ASSERT_TRUE(manager);
  manager->set_policy_overrides({make_transport_preference({"unix", "tcp"})}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(manager->get_policy_overrides({}).size(), 1u);
  const CallsRef later = client.at(server.reference(server.root, servant));
  EXPECT_THAT(roads(later), ElementsAre("unix", "tcp"));
  EXPECT_THAT(roads(by(later, {"shm"})), ElementsAre("shm"));
  EXPECT_EQ(roads(calls).size(), 4u);
}

TEST_F(Policies, WhatIsNoPolicyForAReferenceIsRefusedByItsIndex) {
  const auto good = make_transport_preference({"tcp"});
  const auto other = server.root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL);
  for (const CORBA::PolicyList& list : {CORBA::PolicyList{good, other}, {good, nullptr}, {good, good}}) {
    try {
      calls->_set_policy_overrides(list, SetOverrideType::SET_OVERRIDE);
      FAIL() << "nothing was raised";
    } catch (const CORBA::InvalidPolicies& e) {
      EXPECT_THAT(e.indices(), ElementsAre(1));
    }
  }
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([] { make_transport_preference({"shm", "pigeon"}); }, minor::kBadOption),
              HasSubstr("not 'pigeon'"));
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([] { make_transport_preference({}); }, minor::kBadOption), HasSubstr("a list"));
}

TEST_F(Policies, ARoadThatCannotBeTakenIsAClearError) {
  EXPECT_THROW(by(calls, {"mqueue"})->twice(1), CORBA::INV_OBJREF);
}

}  // namespace
}  // namespace orbtest
