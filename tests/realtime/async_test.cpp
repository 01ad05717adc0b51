// Priorities and bands of asynchronous calls.
#include <orbweaver/future.h>

#include "laterC.h"
#include "realtime/testing/real_time_orb.h"

namespace orbtest {
namespace {

using LaterRef = IDL::traits<AsyncTest::Later>::ref_type;

TEST(AsyncPriorities, AreThoseOfTheThreadThatStartsTheCall) {
  RealTimeOrb server(Options{"-ORBListen", "tcp:127.0.0.1:0"});
  RealTimeOrb client(Options{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"});
  const auto servant = CORBA::make_reference<PriorityServant>(server.current);
  const auto poa = server.poa("propagating", {server.client_propagated(2000)});
  const CallsRef calls = client.unchecked(server.activate(poa, servant));
  const ObjectRef banded = calls->_set_policy_overrides(
      {client.rt->create_priority_banded_connection_policy({{0, 99}, {100, 399}})},
      CORBA::SetOverrideType::ADD_OVERRIDE);
  const auto later = [](const ObjectRef& object) {
    return LaterRef::adopt(AsyncTest::Later::_make(object->_reference()));
  };
  at_priority(client, 300, [&] {
    orbweaver::Future<std::int32_t> plain = later(calls)->async_twice(1);
    EXPECT_EQ(plain.get(), 2);
    EXPECT_EQ(servant->take_priority(), 300);
    const std::string shared = servant->peer();
    const LaterRef by_band = later(banded);
    EXPECT_EQ(by_band->async_twice(1).get(), 2);
    EXPECT_EQ(servant->take_priority(), 300);
    const std::string high = servant->peer();
    EXPECT_NE(high, shared);
    client.current->the_priority(5);
    EXPECT_EQ(by_band->async_twice(1).get(), 2);
    EXPECT_EQ(servant->take_priority(), 5);
    EXPECT_NE(servant->peer(), high);
    client.current->the_priority(400);
    EXPECT_THROW(by_band->async_twice(1), CORBA::NO_RESOURCES);
  });
}

}  // namespace
}  // namespace orbtest
