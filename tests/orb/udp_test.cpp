// Calls over datagrams: what arrives is answered, and what is lost is a TIMEOUT.
#include <gtest/gtest.h>

#include "testing/broker.h"

namespace orbtest {
namespace {

TEST(Udp, CallsAreAnswered) {
  const auto servant = CORBA::make_reference<Servant>();
  Broker server{Options{"-ORBListen", "udp"}}, client{Options{"-ORBTransportPreference", "udp"}};
  const CallsRef calls = client.at(server.serve(servant));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(calls->twice(i), 2 * i);
}

TEST(Udp, IsNotTakenUnlessItIsAskedFor) {
  const auto servant = CORBA::make_reference<Servant>();
  Broker server{Options{"-ORBListen", "udp"}}, client;
  EXPECT_THROW(client.unchecked(server.serve(servant))->twice(1), CORBA::SystemException);
}

TEST(Udp, AReplyThatDoesNotComeIsATimeoutThoughNoneWasSet) {
  const auto servant = CORBA::make_reference<Servant>();
  Broker server{Options{"-ORBListen", "udp"}};
  Broker client{Options{"-ORBTransportPreference", "udp", "-ORBUdpCallTimeout", "50"}};
  const CallsRef calls = client.unchecked(server.serve(servant));
  EXPECT_EQ(calls->twice(1), 2);
  EXPECT_THROW(calls->wait_at_gate(1), CORBA::TIMEOUT);
  servant->gate.open();
}

}  // namespace
}  // namespace orbtest
