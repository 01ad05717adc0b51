// Bidirectional GIOP over TLS: a client without an endpoint is called over its TLS connection.
#include <gmock/gmock.h>
#include <orbweaver/any.h>
#include <orbweaver/bidirpolicy.h>

#include "tls_calls.h"

namespace orbtest {
namespace {

TEST_F(TlsCalls, ReachTheClientOverItsConnection) {
  TestOrb serving(server("tls") +
                  Options{"-ORBAcceptBidirectional", "received", "-ORBTransportPreference", "tcp"});
  TestOrb calling(client() + Options{"-ORBListen", "inproc", "-ORBTransportPreference", "tls"});
  CORBA::Any value;
  value <<= BiDirPolicy::BOTH;
  const auto both = calling.orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
  const PoaRef poa = make_poa(calling.root, "callbacks", {both});
  poa->activate_object(who_);
  const auto watcher = IDL::traits<OrbTest::Watcher>::narrow(poa->servant_to_reference(who_));
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef there = IDL::traits<OrbTest::Calls>::narrow(
      calling.at(serving.serve(servant))
          ->_set_policy_overrides({both}, CORBA::SetOverrideType::ADD_OVERRIDE));
  EXPECT_EQ(there->ask(watcher, 21), 42);
  ASSERT_TRUE(who_->seen());
  EXPECT_EQ(who_->seen()->transport, "tls");
}

}  // namespace
}  // namespace orbtest
