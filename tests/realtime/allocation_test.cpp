// Heap allocations of calls with priorities: none, in client and server.
#include "realtime/testing/real_time_orb.h"
#include "testing/allocation_count.h"

namespace orbtest {
namespace {

struct RealTimeAllocations : ::testing::TestWithParam<std::string> {
  CallsRef object(const std::string& name, const CORBA::PolicyList& policies) {
    return client.unchecked(server.activate(server.poa(name, policies), servant));
  }
  /// Allocations in client and server during 500 calls of a thread with a priority: the minimum of up to five
  /// rounds.
  std::size_t of(const std::function<void()>& call) {
    std::size_t minimum = 1;
    at_priority(client, 300, [&] {
      for (int round = 0; round < 5 && minimum != 0; ++round) {
        const std::size_t before = allocations();
        for (int i = 0; i < 500; ++i) call();
        minimum = allocations() - before;
      }
    });
    return minimum;
  }

  RealTimeOrb server, client{Options{"-ORBTransportPreference", GetParam(), "-ORBListen", "inproc"}};
  const ServantRef servant = CORBA::make_reference<Servant>();
};

TEST_P(RealTimeAllocations, AreZeroIfThePriorityIsPropagated) {
  const CallsRef calls = object("propagating", {server.client_propagated(2000)});
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
  EXPECT_EQ(of([&] { calls->value(3); }), 0u);
}

TEST_P(RealTimeAllocations, AreZeroIfThePriorityIsDeclared) {
  const CallsRef calls = object("declaring", {server.server_declared(7)});
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
}

TEST_P(RealTimeAllocations, AreZeroOverABandedConnection) {
  const ObjectRef banded =
      object("propagating", {server.client_propagated(2000)})
          ->_set_policy_overrides(
              {client.rt->create_priority_banded_connection_policy({{0, 99}, {100, 400}})},
              CORBA::SetOverrideType::ADD_OVERRIDE);
  const CallsRef calls = CallsRef::adopt(OrbTest::Calls::_make(banded->_reference()));
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
}

TEST_P(RealTimeAllocations, AreZeroWithoutAModel) {
  const CallsRef calls = object("plain", {});
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
}

INSTANTIATE_TEST_SUITE_P(Transports, RealTimeAllocations, ::testing::Values("shm", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbtest
