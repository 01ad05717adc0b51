#pragma once

#include "realtime/testing/real_time_orb.h"

namespace orbtest {

/// A server and a client over TCP, where each connection has an address.
struct BandedConnections : ::testing::Test {
  CallsRef object(const CORBA::PolicyList& policies) {
    return client.unchecked(server.activate(server.poa("object", policies), servant));
  }
  CORBA::object_reference<CORBA::Policy> bands(const RTCORBA::PriorityBands& ranges) {
    return client.rt->create_priority_banded_connection_policy(ranges);
  }
  CallsRef with(const CallsRef& calls, const CORBA::object_reference<CORBA::Policy>& policy) {
    const ObjectRef changed = calls->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE);
    return CallsRef::adopt(OrbTest::Calls::_make(changed->_reference()));
  }
  /// The client's address of the connection that a call at this priority uses.
  std::string connection(const CallsRef& calls, Priority priority) {
    at_priority(client, priority, [&] { EXPECT_EQ(calls->twice(1), 2); });
    return servant->peer();
  }

  RealTimeOrb server{Options{"-ORBListen", "tcp:127.0.0.1:0"}};
  RealTimeOrb client{Options{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"}};
  const PriorityServantRef servant = CORBA::make_reference<PriorityServant>(server.current);
};

}  // namespace orbtest
