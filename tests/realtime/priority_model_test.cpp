// PriorityModelPolicy: the priorities at which requests are executed.
#include "platform/testing/real_time.h"
#include "realtime/minor_codes.h"
#include "realtime/testing/real_time_orb.h"
#include "realtime/testing/ten_priorities.h"
#include "testing/thread_mode.h"

namespace orbtest {
namespace {

namespace minor = orbweaver::realtime::minor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A server with one servant, and a client.
struct PriorityModels : ::testing::TestWithParam<ThreadMode> {
  CallsRef object(const PoaRef& poa) { return client.unchecked(server.activate(poa, servant)); }
  CallsRef propagating(Priority server_priority) {
    return object(server.poa("propagating", {server.client_propagated(server_priority)}));
  }
  CallsRef declaring(Priority server_priority) {
    return object(server.poa("declaring", {server.server_declared(server_priority)}));
  }
  /// The priority at which a call of a thread with the priority `of_caller` is executed.
  Priority executed(const CallsRef& calls, Priority of_caller) {
    at_priority(client, of_caller, [&] { EXPECT_EQ(calls->twice(1), 2); });
    return servant->take_priority();
  }

  RealTimeServer server{GetParam().threads, GetParam().transport};
  RealTimeOrb client{Options{"-ORBTransportPreference", GetParam().transport, "-ORBListen", "inproc"}};
  const PriorityServantRef servant = CORBA::make_reference<PriorityServant>(server.current);
};

TEST_P(PriorityModels, PropagateThePriorityOfTheCaller) {
  const CallsRef calls = propagating(2000);
  at_priority(client, 1234, [&] {
    EXPECT_EQ(calls->twice(1), 2);
    EXPECT_EQ(servant->take_priority(), 1234);
    calls->value(3);  // a reply without results
    EXPECT_EQ(servant->take_priority(), 1234);
    client.current->the_priority(5);
    EXPECT_EQ(calls->echo(OrbTest::Octets(100'000)).size(), 100'000u);
    EXPECT_EQ(servant->take_priority(), 5);
    EXPECT_EQ(client.current->the_priority(), 5);
  });
}

TEST_P(PriorityModels, HaveTheServersPriorityAsTheirCeiling) {
  const CallsRef calls = propagating(1000);
  EXPECT_EQ(executed(calls, 1000), 1000);
  EXPECT_EQ(executed(calls, 1001), 1000);
  EXPECT_EQ(executed(calls, RTCORBA::maxPriority), 1000);
  EXPECT_EQ(executed(calls, 0), 0);
}

TEST_P(PriorityModels, HaveTheHighestBandAsTheirCeiling) {
  const auto bands = server.rt->create_priority_banded_connection_policy({{0, 99}, {400, 32767}, {100, 200}});
  const std::string reference =
      server.activate(server.poa("banded", {server.client_propagated(7), bands}), servant);
  const CallsRef calls = client.unchecked(reference);
  EXPECT_EQ(executed(calls, 20'000), 20'000);
}

TEST_P(PriorityModels, PropagateThePriorityOfOneWayCalls) {
  const CallsRef calls = propagating(2000);
  at_priority(client, 1234, [&] {
    calls->note(1);
    EXPECT_THAT(calls->notes(), ElementsAre(1));
  });
  EXPECT_EQ(servant->take_priority(), 1234);
}

TEST_P(PriorityModels, UseThatOfTheServerForCallersWithoutOne) {
  const CallsRef calls = propagating(2000);
  EXPECT_EQ(executed(calls, kNone), 2000);
  TestOrb plain(Options{"-ORBTransportPreference", GetParam().transport});
  EXPECT_EQ(plain.unchecked(client.orb->object_to_string(calls))->twice(1), 2);
  EXPECT_EQ(servant->take_priority(), 2000);
}

TEST_P(PriorityModels, UseThatOfTheServerIfItDeclaresOne) {
  const CallsRef calls = declaring(300);
  EXPECT_EQ(executed(calls, 1234), 300);
  EXPECT_EQ(executed(calls, kNone), 300);
}

TEST_P(PriorityModels, UseThatOfTheObject) {
  const auto poa = server.poa("declaring", {server.server_declared(300)});
  const auto other = CORBA::make_reference<PriorityServant>(server.current);
  const auto id = poa->activate_object_with_priority(other, 400);
  const CallsRef calls = object(poa),
                 others = client.unchecked(server.orb->object_to_string(poa->id_to_reference(id)));
  EXPECT_EQ(others->twice(1), 2);
  EXPECT_EQ(other->take_priority(), 400);
  EXPECT_EQ(executed(calls, kNone), 300);
}

TEST_P(PriorityModels, ApplyToDefaultServants) {
  using enum PortableServer::RequestProcessingPolicyValue;
  using enum PortableServer::IdUniquenessPolicyValue;
  const auto poa = server.poa("default", {server.client_propagated(2000),
                                          server.root->create_request_processing_policy(USE_DEFAULT_SERVANT),
                                          server.root->create_id_uniqueness_policy(MULTIPLE_ID)});
  poa->set_servant(servant);
  const CallsRef calls =
      client.unchecked(server.orb->object_to_string(poa->create_reference("IDL:OrbTest/Calls:1.0")));
  EXPECT_EQ(executed(calls, 1234), 1234);
  EXPECT_EQ(executed(calls, kNone), 2000);
  EXPECT_THROW(calls->greet(""), OrbTest::Refused);
}

TEST_P(PriorityModels, AreRestoredAfterEachRequest) {
  const CallsRef calls = propagating(2000);
  const auto other = CORBA::make_reference<PriorityServant>(server.current);
  const CallsRef plain = client.unchecked(server.activate(server.root, other));
  at_priority(client, 1234, [&] {
    EXPECT_EQ(calls->twice(1), 2);
    EXPECT_THROW(calls->greet(""), OrbTest::Refused);
    EXPECT_EQ(servant->take_priority(), 1234);
    EXPECT_THROW(calls->greet("anybody"), CORBA::NO_IMPLEMENT);
    EXPECT_EQ(plain->twice(1), 2);
    EXPECT_EQ(other->take_priority(), kNone);
  });
}

TEST_P(PriorityModels, DoNotKeepThePriorityThatAServantHasSet) {
  const CallsRef calls = propagating(2000);
  const auto sets = CORBA::make_reference<PriorityServant>(server.current),
             other = CORBA::make_reference<PriorityServant>(server.current);
  std::vector<int> policies;
  sets->within = servant->within = [&] {
    server.current->the_priority(500);
    server.current->the_priority(600);
    EXPECT_EQ(server.current->the_priority(), 600);
  };
  other->within = [&] { policies.push_back(native().first); };
  const CallsRef plain = client.unchecked(server.activate(server.root, other)),
                 setting = client.unchecked(server.activate(server.root, sets));
  for (const CallsRef& each : {setting, calls, setting}) {
    EXPECT_EQ(each->twice(1), 2);
    for (int n = 0; n < 2; ++n) {
      EXPECT_EQ(plain->twice(1), 2);
      EXPECT_EQ(other->take_priority(), kNone);
    }
  }
  EXPECT_THAT(policies, ::testing::Each(SCHED_OTHER));
}

TEST_P(PriorityModels, ArePropagatedByServants) {
  const CallsRef calls = propagating(2000);
  const auto last = CORBA::make_reference<PriorityServant>(client.current);
  const auto poa = client.poa("last", {client.client_propagated(2000)});
  const auto watcher = client.at(client.activate(poa, last));
  at_priority(client, 1234, [&] { EXPECT_EQ(calls->ask(watcher, 4), 8); });
  EXPECT_EQ(servant->take_priority(), 1234);
  EXPECT_EQ(last->take_priority(), 1234);
}

INSTANTIATE_TEST_SUITE_P(Modes, PriorityModels,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:2", "unordered:2", "single"},
                                                          {"shm", "tcp"})),
                         thread_mode_name);
INSTANTIATE_TEST_SUITE_P(Transports, PriorityModels,
                         ::testing::ValuesIn(thread_modes({"connection"}, {"inproc", "unix", "mqueue"})),
                         thread_mode_name);

TEST(NativePriorities, AreThoseOfTheRequestWhileItIsExecuted) {
  if (!orbweaver::platform::testing::may_set_real_time_priority())
    GTEST_SKIP() << "this process may not use SCHED_FIFO";
  RealTimeOrb server(Options{"-ORBListen", "shm"});
  RealTimeOrb client(Options{"-ORBTransportPreference", "shm", "-ORBListen", "inproc"});
  const auto urgent = CORBA::make_reference<PriorityServant>(server.current),
             plain = CORBA::make_reference<PriorityServant>(server.current);
  int while_urgent = -1, while_plain = -1;
  urgent->within = [&] { while_urgent = native().first; };
  plain->within = [&] { while_plain = native().first; };
  const auto poa = server.poa("declaring", {server.server_declared(300)});
  // Over one connection, whose thread executes both.
  const CallsRef first = client.unchecked(server.activate(poa, urgent)),
                 second = client.unchecked(server.activate(server.root, plain));
  EXPECT_EQ(first->twice(1), 2);
  EXPECT_EQ(second->twice(1), 2);
  EXPECT_EQ(urgent->thread(), plain->thread());
  EXPECT_EQ(while_urgent, SCHED_FIFO);
  EXPECT_EQ(while_plain, SCHED_OTHER);
}

// Not at the priority of the thread before the request.
TEST(NativePriorities, AreNeededForARequest) {
  const struct Mapping {
    Mapping() { orbweaver::set_priority_mapping(std::make_shared<TenPriorities>()); }
    ~Mapping() { orbweaver::set_priority_mapping(nullptr); }
  } mapping;
  RealTimeOrb server(Options{"-ORBListen", "shm"});
  RealTimeOrb client(Options{"-ORBTransportPreference", "shm", "-ORBListen", "inproc"});
  const auto servant = CORBA::make_reference<PriorityServant>(server.current);
  // The priority of its thread before the request, too.
  const auto lane = server.rt->create_threadpool_with_lanes(0, {{10, 1, 0}}, false, false, 0, 0);
  const CORBA::PolicyList own_thread{server.server_declared(10)},
      pool{server.server_declared(10), server.rt->create_threadpool_policy(lane)};
  for (const CORBA::PolicyList& policies : {own_thread, pool}) {
    const auto poa = server.poa("declaring " + std::to_string(policies.size()), policies);
    const CallsRef calls =
        client.unchecked(server.activate(poa, CORBA::make_reference<PriorityServant>(server.current)));
    EXPECT_THAT(raised_by<CORBA::DATA_CONVERSION>([&] { calls->twice(1); }, minor::kNotMapped),
                HasSubstr("no native priority"));
  }
  const auto mapped = server.poa("mapped", {server.server_declared(9)});
  EXPECT_EQ(client.unchecked(server.activate(mapped, servant))->twice(1), 2);
  EXPECT_EQ(servant->take_priority(), 9);
}

/// Calls of objects of the same ORB.
struct CollocatedPriorities : ::testing::Test {
  CallsRef object(const PoaRef& poa) { return orb.unchecked(orb.activate(poa, servant)); }

  RealTimeOrb orb;
  const PriorityServantRef servant = CORBA::make_reference<PriorityServant>(orb.current);
};

TEST_F(CollocatedPriorities, AreThoseOfTheCallerIfPropagated) {
  const CallsRef calls = object(orb.poa("propagating", {orb.client_propagated(2000)}));
  at_priority(orb, 1234, [&] {
    EXPECT_EQ(calls->twice(1), 2);
    EXPECT_EQ(servant->thread(), orbweaver::platform::testing::this_thread_id());
    EXPECT_EQ(servant->take_priority(), 1234);
  });
}

TEST_F(CollocatedPriorities, AreThoseOfTheObjectIfDeclared) {
  const CallsRef calls = object(orb.poa("declaring", {orb.server_declared(300)}));
  at_priority(orb, 1234, [&] {
    EXPECT_EQ(calls->twice(1), 2);
    EXPECT_NE(servant->thread(), orbweaver::platform::testing::this_thread_id());
    EXPECT_EQ(servant->take_priority(), 300);
    EXPECT_EQ(orb.current->the_priority(), 1234);
    EXPECT_TRUE(calls->_is_a("IDL:OrbTest/Watcher:1.0"));
  });
}

/// Policies of object adapters and of references.
struct PriorityModelPolicy : ::testing::Test {
  RealTimeOrb orb;
  const PriorityServantRef servant = CORBA::make_reference<PriorityServant>(orb.current);
  /// The index and the message of the InvalidPolicy that create_POA raises.
  std::string invalid(const CORBA::PolicyList& policies) {
    try {
      orb.root->create_POA("invalid", nullptr, policies);
    } catch (const PortableServer::POA::InvalidPolicy& e) {
      return std::to_string(e.index()) + ": " + e.what();
    }
    return "nothing was raised";
  }
};

TEST_F(PriorityModelPolicy, IsRejectedByAnOrbWithoutRealTimeCorba) {
  TestOrb other;
  EXPECT_THROW(other.root->create_POA("p", nullptr, {orb.client_propagated()}),
               PortableServer::POA::InvalidPolicy);
}

TEST_F(PriorityModelPolicy, IsRejectedTwice) {
  EXPECT_THAT(invalid({orb.client_propagated(), orb.server_declared(1)}), HasSubstr("1: "));
}

TEST_F(PriorityModelPolicy, IsNotForReferencesThreadsOrOrbs) {
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(orb.orb->resolve_initial_references("ORBPolicyManager"));
  EXPECT_THROW(manager->set_policy_overrides({orb.client_propagated()}, CORBA::SetOverrideType::ADD_OVERRIDE),
               CORBA::InvalidPolicies);
}

TEST_F(PriorityModelPolicy, HasNoNegativePriority) {
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([&] { orb.server_declared(-1); }, minor::kBadPriority),
              HasSubstr("server_priority -1"));
}

TEST_F(PriorityModelPolicy, IsReturnedByReferences) {
  const auto poa = orb.poa("declaring", {orb.server_declared(300)});
  const auto reference = orb.unchecked(orb.activate(poa, servant));
  const auto policy = IDL::traits<RTCORBA::PriorityModelPolicy>::narrow(
      reference->_get_policy(RTCORBA::PRIORITY_MODEL_POLICY_TYPE));
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->priority_model(), PriorityModel::SERVER_DECLARED);
  EXPECT_EQ(policy->server_priority(), 300);
  const auto propagating = orb.poa("propagating", {orb.client_propagated(2000)});
  const auto model = IDL::traits<RTCORBA::PriorityModelPolicy>::narrow(
      propagating->create_reference("IDL:X:1.0")->_get_policy(RTCORBA::PRIORITY_MODEL_POLICY_TYPE));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->priority_model(), PriorityModel::CLIENT_PROPAGATED);
  EXPECT_EQ(model->server_priority(), 2000);
}

TEST_F(PriorityModelPolicy, IsOfTheObjectInItsReferences) {
  const auto poa = orb.poa("declaring", {orb.server_declared(300)});
  const auto priority = [](const ObjectRef& object) {
    return IDL::traits<RTCORBA::PriorityModelPolicy>::narrow(
               object->_get_policy(RTCORBA::PRIORITY_MODEL_POLICY_TYPE))
        ->server_priority();
  };
  EXPECT_EQ(priority(poa->create_reference_with_priority("IDL:X:1.0", 400)), 400);
  const auto id = poa->activate_object_with_priority(servant, 500);
  EXPECT_EQ(priority(poa->servant_to_reference(servant)), 500);
  EXPECT_EQ(priority(poa->create_reference_with_id_and_priority(id, "IDL:X:1.0", 600)), 600);
  poa->deactivate_object(id);
  EXPECT_EQ(priority(poa->create_reference("IDL:X:1.0")), 300);
}

TEST_F(PriorityModelPolicy, MustBeDeclaredForObjectsWithPriorities) {
  const auto propagating = orb.poa("propagating", {orb.client_propagated(2000)}),
             plain = orb.poa("plain", {});
  EXPECT_THROW(propagating->activate_object_with_priority(servant, 1), PortableServer::POA::WrongPolicy);
  EXPECT_THROW(plain->create_reference_with_priority("IDL:X:1.0", 1), PortableServer::POA::WrongPolicy);
  using enum PortableServer::ImplicitActivationPolicyValue;
  const auto implicit = orb.poa(
      "implicit", {orb.server_declared(1), orb.root->create_implicit_activation_policy(IMPLICIT_ACTIVATION)});
  EXPECT_THROW(implicit->activate_object_with_priority(servant, 1), PortableServer::POA::WrongPolicy);
  const auto declaring = orb.poa("declaring", {orb.server_declared(300)});
  EXPECT_NE(raised_by<CORBA::BAD_PARAM>([&] { declaring->activate_object_with_priority(servant, -1); },
                                        minor::kBadPriority),
            "nothing was raised");
}

}  // namespace
}  // namespace orbtest
