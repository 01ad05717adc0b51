// Messaging policies of a reference, a thread and the ORB: timeouts, and the sync scope of one-way calls.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/timebase.h>

#include "testing/test_orb.h"

namespace orbtest {
namespace {

using CORBA::SetOverrideType;
using PolicyRef = CORBA::object_reference<CORBA::Policy>;

constexpr TimeBase::TimeT kMs = 10'000;  // TimeT counts in 100 ns
constexpr std::int32_t kSlow_ms = 100;

template <class Value>
PolicyRef policy(TestOrb& broker, CORBA::PolicyType type, Value value) {
  CORBA::Any any;
  any <<= value;
  return broker.orb->create_policy(type, any);
}

struct MessagingPolicies : ::testing::TestWithParam<std::string> {
  TestOrb server{{"-ORBListen", GetParam(), "-ORBTune", "ring-bytes=65536"}};
  TestOrb client{{"-ORBTransportPreference", GetParam(), "-ORBTune", "ring-bytes=65536"}};
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls = client.at(server.serve(servant));

  PolicyRef roundtrip(TimeBase::TimeT ms) {
    return policy(client, Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, ms * kMs);
  }
  PolicyRef request(TimeBase::TimeT ms) {
    return policy(client, Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE, ms * kMs);
  }
  /// `from_now_ms`: negative for the past.
  PolicyRef reply_end(int from_now_ms) {
    return policy(client, Messaging::REPLY_END_TIME_POLICY_TYPE, utc(from_now_ms));
  }
  PolicyRef request_end(int from_now_ms) {
    return policy(client, Messaging::REQUEST_END_TIME_POLICY_TYPE, utc(from_now_ms));
  }
  static TimeBase::UtcT utc(int from_now_ms) {
    return orbweaver::to_utc(std::chrono::system_clock::now() + std::chrono::milliseconds(from_now_ms));
  }
  PolicyRef scope(Messaging::SyncScope scope) {
    return policy(client, Messaging::SYNC_SCOPE_POLICY_TYPE, scope);
  }
  CallsRef with(const CORBA::PolicyList& policies) {
    return IDL::traits<OrbTest::Calls>::narrow(
        calls->_set_policy_overrides(policies, SetOverrideType::ADD_OVERRIDE));
  }
  CORBA::object_reference<CORBA::PolicyManager> manager(const std::string& name = "ORBPolicyManager") {
    return IDL::traits<CORBA::PolicyManager>::narrow(client.orb->resolve_initial_references(name));
  }
  /// Whether a call to a servant that does not answer raises TIMEOUT.
  bool times_out(const CallsRef& reference) {
    bool timed_out = false;
    try {
      reference->wait_at_gate(++asked_);
    } catch (const CORBA::TIMEOUT&) {
      timed_out = true;
    }
    servant->gate.open(asked_);
    return timed_out;
  }
  /// Whether a call is answered that takes longer than the timeouts of these tests.
  static bool is_answered(const CallsRef& calls) {
    try {
      return calls->slow(kSlow_ms, 1) == 1;
    } catch (const CORBA::TIMEOUT&) {
      return false;
    }
  }

 private:
  std::int32_t asked_ = 0;
};

TEST_P(MessagingPolicies, ApplyATimeoutToOneReference) {
  EXPECT_TRUE(times_out(with({roundtrip(20)})));
  EXPECT_TRUE(is_answered(calls));
  EXPECT_TRUE(is_answered(with({roundtrip(120'000)})));
}

TEST_P(MessagingPolicies, PreferReferenceOverThreadOverOrbPolicies) {
  const auto orbs = manager(), threads = manager("PolicyCurrent");
  orbs->set_policy_overrides({roundtrip(20)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(times_out(calls)) << "the ORB's policy applies to existing references";
  threads->set_policy_overrides({roundtrip(0)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(is_answered(calls)) << "0 is no limit";
  EXPECT_TRUE(times_out(with({roundtrip(20)})));
  bool elsewhere = false;
  std::thread([&] { elsewhere = times_out(calls); }).join();
  EXPECT_TRUE(elsewhere) << "the other thread has no overrides";
  threads->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(times_out(calls));
  orbs->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(is_answered(calls));
}

TEST_P(MessagingPolicies, FallBackToTheOrbOption) {
  TestOrb client_with_timeout({"-ORBTransportPreference", GetParam(), "-ORBCallTimeout", "20"});
  const CallsRef limited = client_with_timeout.unchecked(client.orb->object_to_string(calls));
  EXPECT_TRUE(times_out(limited));
  const auto longer = limited->_set_policy_overrides({roundtrip(120'000)}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(is_answered(CallsRef::adopt(OrbTest::Calls::_make(longer->_reference()))));
}

TEST_P(MessagingPolicies, TimeOutAnUnsentRequestByItsRequestTimeout) {
  const CallsRef with_timeouts = with({request(30), roundtrip(120'000)});
  server.root->the_POAManager()->hold_requests(false);
  EXPECT_THROW(for (std::int32_t i = 0; i < 2'000'000; ++i) with_timeouts->note_slowly(-1, 0),
               CORBA::TIMEOUT);
  server.root->the_POAManager()->activate();
  EXPECT_TRUE(is_answered(with({request(5'000)}))) << "the time of the reply is not limited";
}

TEST_P(MessagingPolicies, TimeOutAtTheEndTimeOfTheReply) {
  EXPECT_TRUE(times_out(with({reply_end(20)})));
  EXPECT_TRUE(is_answered(with({reply_end(120'000)})));
  EXPECT_TRUE(times_out(with({reply_end(120'000), roundtrip(20)}))) << "the earlier limit applies";
  EXPECT_TRUE(times_out(with({reply_end(20), roundtrip(120'000)})));
}

TEST_P(MessagingPolicies, TimeOutAnUnsentRequestAtItsEndTime) {
  const CallsRef with_end = with({request_end(30), roundtrip(120'000)});
  server.root->the_POAManager()->hold_requests(false);
  EXPECT_THROW(for (std::int32_t i = 0; i < 2'000'000; ++i) with_end->note_slowly(-1, 0), CORBA::TIMEOUT);
  server.root->the_POAManager()->activate();
}

TEST_P(MessagingPolicies, DoNotStartACallAfterItsEndTime) {
  for (const PolicyRef& end : {reply_end(-1), request_end(-1)}) {
    const CallsRef late = with({end, roundtrip(0)});
    for (int one_way = 0; one_way < 2; ++one_way) {
      try {
        one_way ? late->note(1) : static_cast<void>(late->twice(1));
        ADD_FAILURE() << "no exception";
      } catch (const CORBA::TIMEOUT& e) {
        EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
      }
    }
  }
  EXPECT_EQ(calls->twice(1), 2);
  EXPECT_TRUE(servant->notes().empty());
}

TEST_P(MessagingPolicies, ReturnAfterTheServantWithSyncWithTarget) {
  const CallsRef synchronous = with({scope(Messaging::SYNC_WITH_TARGET)});
  for (std::int32_t i = 0; i < 5; ++i) {
    synchronous->note_slowly(i, 20);
    EXPECT_EQ(servant->notes().size(), static_cast<std::size_t>(i) + 1);
  }
}

TEST_P(MessagingPolicies, ReturnBeforeTheServantWithSyncWithServer) {
  const CallsRef sent = with({scope(Messaging::SYNC_WITH_SERVER), roundtrip(120'000)});
  sent->note_at_gate(1);
  EXPECT_TRUE(servant->notes().empty());
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 1; }));
}

TEST_P(MessagingPolicies, RaiseExceptionsOfOneWaysWithSyncWithTarget) {
  server.root->deactivate_object(server.root->servant_to_id(servant));
  calls->note(1);  // its exception is not reported
  EXPECT_THROW(with({scope(Messaging::SYNC_WITH_SERVER)})->note(2), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(with({scope(Messaging::SYNC_WITH_TARGET)})->note(3), CORBA::OBJECT_NOT_EXIST);
}

TEST_P(MessagingPolicies, TimeOutAOneWayWithSyncWithTarget) {
  EXPECT_THROW(with({scope(Messaging::SYNC_WITH_TARGET), roundtrip(20)})->note_at_gate(1), CORBA::TIMEOUT);
  servant->gate.open();
}

INSTANTIATE_TEST_SUITE_P(Transports, MessagingPolicies, ::testing::Values("inproc", "shm", "unix", "tcp"),
                         [](const auto& transport) { return transport.param; });

struct PolicyObjects : ::testing::Test {
  TestOrb broker;
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls = broker.at(broker.serve(servant));

  template <class Value>
  CORBA::PolicyErrorCode refused(CORBA::PolicyType type, Value value) {
    try {
      policy(broker, type, value);
    } catch (const CORBA::PolicyError& e) {
      return e.reason();
    }
    return -1;
  }
};

TEST_F(PolicyObjects, AreCreatedFromAnys) {
  const auto expiry = policy(broker, Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, TimeBase::TimeT{123});
  EXPECT_EQ(expiry->policy_type(), Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE);
  EXPECT_EQ(IDL::traits<Messaging::RelativeRoundtripTimeoutPolicy>::narrow(expiry->copy())->relative_expiry(),
            123u);
  const auto scope = policy(broker, Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_WITH_SERVER);
  EXPECT_EQ(IDL::traits<Messaging::SyncScopePolicy>::narrow(scope)->synchronization(),
            Messaging::SYNC_WITH_SERVER);
  const auto preference =
      policy(broker, orbweaver::TRANSPORT_PREFERENCE_POLICY_TYPE, std::vector<std::string>{"tcp", "shm"});
  EXPECT_EQ(IDL::traits<orbweaver::TransportPreferencePolicy>::narrow(preference)->transports().size(), 2u);
  const TimeBase::UtcT time(0x01B21DD213814000 + 15, 1, 2, -60);
  const auto end = policy(broker, Messaging::REPLY_END_TIME_POLICY_TYPE, time);
  EXPECT_EQ(end->policy_type(), Messaging::REPLY_END_TIME_POLICY_TYPE);
  EXPECT_EQ(IDL::traits<Messaging::ReplyEndTimePolicy>::narrow(end)->end_time().tdf(), -60);
  const auto sent_by = policy(broker, Messaging::REQUEST_END_TIME_POLICY_TYPE, time);
  EXPECT_EQ(IDL::traits<Messaging::RequestEndTimePolicy>::narrow(sent_by)->end_time().time(), time.time());
}

TEST(UtcT, CountsHundredsOfNanosecondsFrom1582) {
  using std::chrono::system_clock;
  EXPECT_EQ(orbweaver::to_utc(system_clock::time_point()).time(), 122'192'928'000'000'000u);
  const system_clock::time_point later = system_clock::time_point() + std::chrono::nanoseconds(1599);
  EXPECT_EQ(orbweaver::to_utc(later).time(), 122'192'928'000'000'015u);
}

TEST_F(PolicyObjects, AreRejectedWithAReason) {
  EXPECT_EQ(refused(Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SyncScope{4}), CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(refused(Messaging::SYNC_SCOPE_POLICY_TYPE, std::string("soon")), CORBA::BAD_POLICY_TYPE);
  EXPECT_EQ(refused(Messaging::REPLY_END_TIME_POLICY_TYPE, TimeBase::TimeT{1}), CORBA::BAD_POLICY_TYPE);
  EXPECT_EQ(refused(Messaging::REQUEST_END_TIME_POLICY_TYPE, TimeBase::TimeT{1}), CORBA::BAD_POLICY_TYPE);
  EXPECT_EQ(refused(orbweaver::TRANSPORT_PREFERENCE_POLICY_TYPE, std::vector<std::string>{"pigeon"}),
            CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(refused(Messaging::REBIND_POLICY_TYPE, Messaging::RebindMode{3}), CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(refused(25, Messaging::SyncScope{0}), CORBA::UNSUPPORTED_POLICY) << "RequestPriorityPolicy";
  EXPECT_EQ(refused(4711, Messaging::SyncScope{0}), CORBA::BAD_POLICY);
}

TEST_F(PolicyObjects, AreReportedAtEveryLevel) {
  constexpr auto kType = Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE;
  const auto expiry = [&](const CORBA::object_reference<CORBA::Object>& object) {
    const auto found =
        IDL::traits<Messaging::RelativeRoundtripTimeoutPolicy>::narrow(object->_get_policy(kType));
    return found ? found->relative_expiry() : 0;
  };
  const auto current =
      IDL::traits<CORBA::PolicyCurrent>::narrow(broker.orb->resolve_initial_references("PolicyCurrent"));
  ASSERT_TRUE(current);
  EXPECT_EQ(expiry(calls), 0u);
  current->set_policy_overrides({policy(broker, kType, TimeBase::TimeT{7})}, SetOverrideType::ADD_OVERRIDE);
  EXPECT_EQ(expiry(calls), 7u);
  EXPECT_EQ(current->get_policy_overrides({kType}).size(), 1u);
  EXPECT_TRUE(current->get_policy_overrides({Messaging::SYNC_SCOPE_POLICY_TYPE}).empty());
  const auto own = calls->_set_policy_overrides({policy(broker, kType, TimeBase::TimeT{8})},
                                                SetOverrideType::ADD_OVERRIDE);
  EXPECT_EQ(expiry(own), 8u);
  current->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(expiry(calls), 0u);
  const auto default_scope =
      IDL::traits<Messaging::SyncScopePolicy>::narrow(calls->_get_policy(Messaging::SYNC_SCOPE_POLICY_TYPE));
  EXPECT_EQ(default_scope->synchronization(), Messaging::SYNC_WITH_TRANSPORT);
  EXPECT_THROW(calls->_get_policy(16), CORBA::INV_POLICY);
}

TEST_F(PolicyObjects, RejectATransportPreferenceForAThread) {
  const auto current =
      IDL::traits<CORBA::PolicyManager>::narrow(broker.orb->resolve_initial_references("PolicyCurrent"));
  EXPECT_THROW(current->set_policy_overrides({orbweaver::make_transport_preference({"tcp"})},
                                             SetOverrideType::SET_OVERRIDE),
               CORBA::InvalidPolicies);
}

TEST(CollocatedOneWay, IsServedBeforeALaterTwoWayCallWithEverySyncScope) {
  TestOrb broker;
  const ServantRef servant = CORBA::make_reference<Servant>();
  const CallsRef calls = broker.at(broker.serve(servant));
  for (std::int16_t scope = Messaging::SYNC_WITH_TRANSPORT; scope <= Messaging::SYNC_WITH_TARGET; ++scope) {
    const CallsRef scoped = IDL::traits<OrbTest::Calls>::narrow(calls->_set_policy_overrides(
        {policy(broker, Messaging::SYNC_SCOPE_POLICY_TYPE, scope)}, SetOverrideType::ADD_OVERRIDE));
    scoped->note_slowly(scope, kSlow_ms);
    EXPECT_EQ(scoped->twice(2), 4);
    EXPECT_EQ(servant->notes().size(), static_cast<std::size_t>(scope)) << "SyncScope " << scope;
  }
}

}  // namespace
}  // namespace orbtest
