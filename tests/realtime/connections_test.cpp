// PriorityBandedConnectionPolicy and PrivateConnectionPolicy: the connections of references.
#include <orbweaver/flush.h>

#include "orb/core.h"
#include "orb/real_time.h"
#include "orb/reference/reference.h"
#include "realtime/minor_codes.h"
#include "realtime/testing/banded_connections.h"
#include "realtime/testing/raw_messages.h"

namespace orbtest {
namespace {

namespace minor = orbweaver::realtime::minor;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(BandedConnections, AreSelectedByThePriorityOfTheCaller) {
  const CallsRef plain = object({server.client_propagated(2000)}),
                 calls = with(plain, bands({{0, 99}, {100, 199}}));
  const std::string low = connection(calls, 0), high = connection(calls, 100);
  EXPECT_NE(low, high);
  EXPECT_EQ(connection(calls, 99), low);
  EXPECT_EQ(connection(calls, 199), high);
  EXPECT_EQ(servant->take_priority(), 199);
  const std::string shared = connection(plain, 0);
  EXPECT_NE(shared, low);
  EXPECT_EQ(connection(plain, 100), shared);
}

TEST_F(BandedConnections, AreSelectedByThePriorityOfTheObjectIfDeclared) {
  const CallsRef calls = with(object({server.server_declared(150)}), bands({{0, 99}, {100, 199}}));
  const std::string high = connection(calls, 0);
  EXPECT_EQ(connection(calls, 199), high);
  EXPECT_EQ(connection(calls, kNone), high);
}

TEST_F(BandedConnections, DoNotExistForOtherPriorities) {
  const CallsRef calls = with(object({server.client_propagated(2000)}), bands({{10, 20}, {100, 199}}));
  for (const Priority priority : {Priority{0}, Priority{50}, Priority{200}, kNone}) {
    SCOPED_TRACE(priority);
    at_priority(client, priority, [&] {
      EXPECT_THAT(raised_by<CORBA::NO_RESOURCES>([&] { calls->twice(1); }, minor::kNoBand),
                  HasSubstr(priority == kNone ? "has no priority" : std::to_string(priority)));
    });
  }
}

TEST_F(BandedConnections, NeedAPriorityModel) {
  const CallsRef calls = with(object({}), bands({{0, 99}}));
  EXPECT_THAT(raised_by<CORBA::INV_POLICY>([&] { calls->twice(1); }, minor::kNotReconciled),
              HasSubstr("priority model"));
}

TEST_F(BandedConnections, AreThoseThatTheServerPublishes) {
  const auto published = server.rt->create_priority_banded_connection_policy({{0, 99}, {100, 199}});
  const CallsRef calls = object({server.client_propagated(2000), published});
  const std::string low = connection(calls, 0);
  EXPECT_NE(connection(calls, 100), low);
  EXPECT_EQ(connection(calls, 99), low);
  const auto policy = IDL::traits<RTCORBA::PriorityBandedConnectionPolicy>::narrow(
      calls->_get_policy(RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE));
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->priority_bands().at(1).high(), 199);
  const CallsRef both = with(calls, bands({{0, 199}}));
  EXPECT_THAT(raised_by<CORBA::INV_POLICY>([&] { both->twice(1); }, minor::kNotReconciled),
              HasSubstr("of its server"));
}

TEST_F(BandedConnections, DoNotDelayHighRequestsBehindLowOnes) {
  const auto pool = server.rt->create_threadpool_with_lanes(0, {{0, 1, 0}, {100, 1, 0}}, false, false, 0, 0);
  const CallsRef calls =
      with(object({server.client_propagated(0), server.rt->create_threadpool_policy(pool)}),
           bands({{0, 99}, {100, 199}}));
  at_priority(client, 0, [&] {
    calls->note_at_gate(1);
    for (std::int32_t n = 2; n <= 10; ++n) calls->note(n);  // the second stays in the connection
  });
  ASSERT_TRUE(servant->gate.reached_by(1));
  at_priority(client, 100, [&] { EXPECT_TRUE(calls->notes().empty()); });
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 10; }));
}

TEST_F(BandedConnections, AreOpenedByValidateConnection) {
  const CallsRef calls = with(object({server.client_propagated(2000)}), bands({{0, 99}, {100, 199}}));
  CORBA::PolicyList inconsistent;
  at_priority(client, 50, [&] { EXPECT_TRUE(calls->_validate_connection(inconsistent)); });
  const orbweaver::orb::CallScope scope;
  EXPECT_EQ(calls->_reference()->current_binding(), nullptr) << "that without a band";
  const auto opened = calls->_reference()->core().real_time()->band_references(*calls->_reference());
  ASSERT_THAT(opened, SizeIs(1));
  const orbweaver::Binding* const binding = opened.front()->usable_binding();
  ASSERT_NE(binding, nullptr);
  EXPECT_FALSE(connection(calls, 50).empty());
  EXPECT_EQ(opened.front()->usable_binding(), binding) << "the call uses it";
  at_priority(client, 500,
              [&] { EXPECT_THROW(calls->_validate_connection(inconsistent), CORBA::NO_RESOURCES); });
}

TEST_F(BandedConnections, KeepOneWayCallsOfTheirBand) {
  const CallsRef calls = with(object({server.client_propagated(2000)}), bands({{0, 99}, {100, 199}}));
  at_priority(client, 50, [&] {
    for (std::int32_t n = 1; n <= 20; ++n) calls->note(n);
    orbweaver::flush(calls);
    EXPECT_THAT(calls->notes(), SizeIs(20));
  });
  EXPECT_EQ(servant->take_priority(), 50);
}

TEST_F(BandedConnections, AreOfReferencesOnly) {
  const auto policy = bands({{0, 99}});
  for (const char* const name : {"ORBPolicyManager", "PolicyCurrent"}) {
    const auto manager =
        IDL::traits<CORBA::PolicyManager>::narrow(client.orb->resolve_initial_references(name));
    try {
      manager->set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE);
      ADD_FAILURE() << name;
    } catch (const CORBA::InvalidPolicies& e) {
      EXPECT_THAT(e.what(), HasSubstr("PriorityBandedConnectionPolicy, which only references have"));
    }
  }
}

TEST_F(BandedConnections, HaveRangesThatDoNotOverlap) {
  const auto why = [&](const RTCORBA::PriorityBands& ranges) {
    return raised_by<CORBA::BAD_PARAM>([&] { bands(ranges); }, minor::kBadBands);
  };
  EXPECT_THAT(why({}), HasSubstr("there is none"));
  EXPECT_THAT(why({{5, 4}}), HasSubstr("contains no priority"));
  EXPECT_THAT(why({{-1, 4}}), HasSubstr("contains no priority"));
  EXPECT_THAT(why({{0, 10}, {20, 30}, {10, 15}}), HasSubstr("overlap"));
}

TEST_F(BandedConnections, AreFlushedByAThreadWithoutPriority) {
  const CallsRef calls = with(object({server.client_propagated(2000)}), bands({{0, 99}, {100, 199}}));
  for (const Priority priority : {Priority{50}, Priority{150}})
    at_priority(client, priority, [&] { calls->note(priority); });
  EXPECT_NO_THROW(orbweaver::flush(calls));
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 2; }));
}

TEST_F(BandedConnections, AreNotOpenedByFlush) {
  const std::string reference = with_policies(RawServer([](RawPeer&) {}).reference(),  // which has ended
                                              {{40, {1, 0, 0, 0, 0, 0, 0, 0, 5, 0}}});
  const CallsRef calls = with(client.unchecked(reference), bands({{100, 300}}));
  at_priority(client, 200, [&] { EXPECT_NO_THROW(orbweaver::flush(calls)); });
}

/// Connections of the PrivateConnectionPolicy.
struct PrivateConnections : BandedConnections {
  const CORBA::object_reference<CORBA::Policy> policy = client.rt->create_private_connection_policy();
};

TEST_F(PrivateConnections, AreOfOneReference) {
  const CallsRef shared = object({}), own = with(shared, policy), other = with(shared, policy);
  const std::string shared_by_all = connection(shared, kNone), first = connection(own, kNone);
  EXPECT_NE(first, shared_by_all);
  EXPECT_NE(connection(other, kNone), first);
  EXPECT_EQ(connection(own, kNone), first);
  EXPECT_EQ(own->_get_policy(RTCORBA::PRIVATE_CONNECTION_POLICY_TYPE), policy);
  EXPECT_EQ(shared->_get_policy(RTCORBA::PRIVATE_CONNECTION_POLICY_TYPE), nullptr);
}

TEST_F(PrivateConnections, AreOfAllReferencesOfAnOrb) {
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(client.orb->resolve_initial_references("ORBPolicyManager"));
  const CallsRef before = object({});
  manager->set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE);
  const std::string text = client.orb->object_to_string(before);
  const std::string shared = connection(before, kNone), first = connection(client.unchecked(text), kNone);
  EXPECT_NE(first, shared);
  EXPECT_NE(connection(client.unchecked(text), kNone), first);
  manager->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(connection(client.unchecked(text), kNone), shared);
}

TEST_F(PrivateConnections, AreNotOfThreads) {
  const auto current =
      IDL::traits<CORBA::PolicyCurrent>::narrow(client.orb->resolve_initial_references("PolicyCurrent"));
  EXPECT_THROW(current->set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE),
               CORBA::InvalidPolicies);
}

}  // namespace
}  // namespace orbtest
