// Messages of the user exceptions that the ORB itself raises.
#include <gmock/gmock.h>
#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/policy.h>
#include <orbweaver/typecode.h>

#include "testing/test_orb.h"

namespace orbtest {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// what() of the `Expected` that `call` raises.
template <class Expected, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Expected& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "nothing was raised";
}

struct UserExceptions : testing::Test {
  TestOrb broker{{"-ORBListen", "inproc"}};
  template <class Value>
  std::string error_of_policy(CORBA::PolicyType type, const Value& value) {
    CORBA::Any any;
    any <<= value;
    return message_of<CORBA::PolicyError>([&] { broker.orb->create_policy(type, any); });
  }
};

TEST_F(UserExceptions, NameTheInitialReference) {
  EXPECT_THAT(message_of<CORBA::ORB::InvalidName>([&] { broker.orb->resolve_initial_references("Clock"); }),
              AllOf(StartsWith("CORBA::ORB::InvalidName (no initial reference 'Clock'; there are "),
                    HasSubstr("RootPOA"), HasSubstr("-ORBInitRef Clock=")));
  const auto add = [&](const std::string& name) {
    broker.orb->register_initial_reference(name, broker.root);
  };
  EXPECT_EQ(message_of<CORBA::ORB::InvalidName>([&] { add("RootPOA"); }),
            "CORBA::ORB::InvalidName (there is an initial reference 'RootPOA' already)");
  EXPECT_THAT(message_of<CORBA::ORB::InvalidName>([&] { add(""); }), HasSubstr("empty name"));
}

TEST_F(UserExceptions, NameThePolicyAndItsValue) {
  EXPECT_EQ(error_of_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, 2.5),
            "CORBA::PolicyError (RelativeRoundtripTimeoutPolicy takes an any of type unsigned long long, not "
            "double)");
  EXPECT_THAT(error_of_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, Messaging::SyncScope{7}),
              HasSubstr("(SYNC_WITH_TARGET), not 7"));
  EXPECT_THAT(error_of_policy(orbweaver::ONE_WAY_QUEUE_FULL_POLICY_TYPE, std::int16_t{-1}),
              HasSubstr("1 (raise_transient), not -1"));
  EXPECT_THAT(error_of_policy(orbweaver::TRANSPORT_PREFERENCE_POLICY_TYPE,
                              std::vector<std::string>{"carrier-pigeon"}),
              HasSubstr("unknown transport 'carrier-pigeon'; known: "));
  EXPECT_THAT(error_of_policy(16, 1.0), HasSubstr("does not create policies of type 16"));
  EXPECT_THAT(error_of_policy(4711, 1.0), HasSubstr("unknown policy type 4711"));
}

TEST_F(UserExceptions, NameEachInvalidPolicy) {
  CORBA::Any any;
  any <<= TimeBase::TimeT{1};
  const auto limit = broker.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, any);
  const auto thread = broker.root->create_thread_policy(PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL);
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(broker.orb->resolve_initial_references("ORBPolicyManager"));
  const auto current =
      IDL::traits<CORBA::PolicyCurrent>::narrow(broker.orb->resolve_initial_references("PolicyCurrent"));
  const auto set = [](const auto& where, const CORBA::PolicyList& policies) {
    return message_of<CORBA::InvalidPolicies>(
        [&] { where->set_policy_overrides(policies, CORBA::SetOverrideType::ADD_OVERRIDE); });
  };
  EXPECT_EQ(
      set(manager, {nullptr, limit, limit, thread}),
      "CORBA::InvalidPolicies (policy 0 is nil; policy 2 is of the same type as an earlier one: type 32; "
      "policy 3 is no client policy: type 16)");
  EXPECT_THAT(set(current, {orbweaver::make_transport_preference({"shm"})}),
              HasSubstr("policy 0 is a TransportPreferencePolicy"));
}

TEST_F(UserExceptions, NameThePoaAndTheObjectId) {
  using Poa = PortableServer::POA;
  const PoaRef child = make_persistent_poa(broker.root, "store");
  EXPECT_EQ(message_of<Poa::AdapterAlreadyExists>([&] { make_poa(broker.root, "store"); }),
            "PortableServer::POA::AdapterAlreadyExists (the POA 'RootPOA' has a child 'store' already)");
  EXPECT_EQ(message_of<Poa::AdapterNonExistent>([&] { child->find_POA("box", false); }),
            "PortableServer::POA::AdapterNonExistent (the POA 'store' has no child 'box')");
  const auto servant = CORBA::make_reference<Servant>();
  const auto id = PortableServer::string_to_ObjectId("lamp");
  EXPECT_EQ(
      message_of<Poa::ObjectNotActive>([&] { child->deactivate_object(id); }),
      "PortableServer::POA::ObjectNotActive (no servant is active under the object id 'lamp' in the POA "
      "'store')");
  EXPECT_THAT(message_of<Poa::WrongPolicy>([&] { child->activate_object(servant); }),
              HasSubstr("use activate_object_with_id"));
  EXPECT_THAT(message_of<Poa::WrongPolicy>([&] { child->create_reference("IDL:X:1.0"); }),
              HasSubstr("use create_reference_with_id"));
  EXPECT_THAT(message_of<Poa::ServantNotActive>([&] { child->servant_to_id(servant); }),
              HasSubstr("'store' has NO_IMPLICIT_ACTIVATION"));
  child->activate_object_with_id(id, servant);
  EXPECT_THAT(message_of<Poa::ObjectAlreadyActive>([&] { child->activate_object_with_id(id, servant); }),
              HasSubstr("already under the object id 'lamp' in the POA 'store'"));
  EXPECT_THAT(message_of<Poa::ServantAlreadyActive>([&] {
                child->activate_object_with_id(PortableServer::string_to_ObjectId("other"), servant);
              }),
              HasSubstr("under the object id 'lamp'; the POA 'store' has UNIQUE_ID"));
  const ObjectRef lamp = child->id_to_reference(id);
  EXPECT_THAT(message_of<Poa::WrongAdapter>([&] { broker.root->reference_to_id(lamp); }),
              HasSubstr("not created by the POA 'RootPOA'"));
  EXPECT_THAT(message_of<Poa::WrongAdapter>([&] { child->reference_to_id(nullptr); }), HasSubstr("is nil"));
}

TEST_F(UserExceptions, NameThePolicyOfAPoa) {
  using Poa = PortableServer::POA;
  const auto user_ids =
      broker.root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID);
  const auto implicit = broker.root->create_implicit_activation_policy(
      PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION);
  const auto make = [&](const CORBA::PolicyList& policies) {
    return message_of<Poa::InvalidPolicy>([&] { make_poa(broker.root, "child", policies); });
  };
  EXPECT_EQ(make({nullptr}), "PortableServer::POA::InvalidPolicy (policy 0 of create_POA is nil)");
  EXPECT_THAT(make({user_ids, user_ids}), HasSubstr("policy 1 of create_POA is of the same type"));
  EXPECT_THAT(make({orbweaver::make_transport_preference({"shm"})}),
              HasSubstr("not supported: type 1331101697"));
  EXPECT_THAT(make({implicit, user_ids}), HasSubstr("IMPLICIT_ACTIVATION requires SYSTEM_ID"));
}

TEST_F(UserExceptions, NameTheStateOfThePoaManager) {
  const PoaRef poa = make_poa(broker.root, "child");
  poa->the_POAManager()->deactivate(false, false);
  EXPECT_EQ(
      message_of<PortableServer::POAManager::AdapterInactive>([&] { poa->the_POAManager()->activate(); }),
      "PortableServer::POAManager::AdapterInactive (the POA manager is INACTIVE, for good)");
}

TEST_F(UserExceptions, NameTheTypeOfATypeCode) {
  EXPECT_EQ(message_of<CORBA::TypeCode::BadKind>([] { CORBA::_tc_double->member_count(); }),
            "CORBA::TypeCode::BadKind (the type double has no such property)");
  const CORBA::TypeCode::Member members[] = {{"x", CORBA::_tc_long.get()}};
  const CORBA::TypeCode one(CORBA::TCKind::tk_struct, "IDL:One:1.0", "One", members, 1);
  EXPECT_EQ(message_of<CORBA::TypeCode::Bounds>([&] { one.member_name(1); }),
            "CORBA::TypeCode::Bounds (there is no member 1; member_count is 1)");
}

TEST(UserException, HasItsRepositoryIdAsMessageWithoutADetail) {
  EXPECT_STREQ(CORBA::ORB::InvalidName().what(), "IDL:omg.org/CORBA/ORB/InvalidName:1.0");
}

TEST(UserException, EscapesNamesInItsMessage) {
  EXPECT_STREQ(CORBA::ORB::InvalidName("the name '\x1b[1m'").what(),
               "CORBA::ORB::InvalidName (the name '\\x1b[1m')");
}

}  // namespace
}  // namespace orbtest
