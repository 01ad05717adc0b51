// Policies of POAs, and the operations that they permit.
#include <gmock/gmock.h>

#include <orbweaver/request_queue.h>

#include "orb/minor_codes.h"
#include "poa/testing/item_servant.h"

namespace poatest {
namespace {

using Retention = ps::ServantRetentionPolicyValue;
using Processing = ps::RequestProcessingPolicyValue;
using Uniqueness = ps::IdUniquenessPolicyValue;
using Assignment = ps::IdAssignmentPolicyValue;
using Implicit = ps::ImplicitActivationPolicyValue;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// create_POA with these policies: the index and the message of its InvalidPolicy; empty: none.
std::string rejected(const PoaRef& parent, const CORBA::PolicyList& policies) {
  try {
    parent->create_POA("tried", nullptr, policies)->destroy(false, true);
  } catch (const ps::POA::InvalidPolicy& e) {
    return std::to_string(e.index()) + ": " + e.detail();
  }
  return {};
}

struct PoaPolicies : ::testing::Test {
  TestOrb server;
  const PoaRef root = server.root;
};

TEST_F(PoaPolicies, AreAcceptedIfTheyFitEachOther) {
  int accepted = 0;
  for (const Retention retention : {Retention::RETAIN, Retention::NON_RETAIN}) {
    for (const Processing processing : {Processing::USE_ACTIVE_OBJECT_MAP_ONLY,
                                        Processing::USE_DEFAULT_SERVANT, Processing::USE_SERVANT_MANAGER}) {
      for (const Uniqueness uniqueness : {Uniqueness::UNIQUE_ID, Uniqueness::MULTIPLE_ID}) {
        for (const Assignment assignment : {Assignment::USER_ID, Assignment::SYSTEM_ID}) {
          for (const Implicit implicit : {Implicit::IMPLICIT_ACTIVATION, Implicit::NO_IMPLICIT_ACTIVATION}) {
            const bool retains = retention == Retention::RETAIN;
            const bool fits =
                (retains || processing != Processing::USE_ACTIVE_OBJECT_MAP_ONLY) &&
                (processing != Processing::USE_DEFAULT_SERVANT || uniqueness == Uniqueness::MULTIPLE_ID) &&
                (implicit == Implicit::NO_IMPLICIT_ACTIVATION ||
                 (assignment == Assignment::SYSTEM_ID && retains));
            const std::string why = rejected(root, {root->create_servant_retention_policy(retention),
                                                    root->create_request_processing_policy(processing),
                                                    root->create_id_uniqueness_policy(uniqueness),
                                                    root->create_id_assignment_policy(assignment),
                                                    root->create_implicit_activation_policy(implicit)});
            EXPECT_EQ(why.empty(), fits) << why;
            accepted += fits ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_EQ(accepted, 21);
}

TEST_F(PoaPolicies, AreRejectedWithTheIndexOfTheLastInConflict) {
  const auto non_retain = root->create_servant_retention_policy(Retention::NON_RETAIN);
  const auto one_servant = root->create_request_processing_policy(Processing::USE_DEFAULT_SERVANT);
  const auto implicit = root->create_implicit_activation_policy(Implicit::IMPLICIT_ACTIVATION);
  const auto persistent = root->create_lifespan_policy(ps::LifespanPolicyValue::PERSISTENT);
  EXPECT_THAT(rejected(root, {persistent, non_retain}), HasSubstr("1: NON_RETAIN requires"));
  EXPECT_THAT(rejected(root, {one_servant, persistent}), HasSubstr("0: USE_DEFAULT_SERVANT requires"));
  EXPECT_THAT(rejected(root, {implicit, persistent, non_retain}),
              HasSubstr("2: IMPLICIT_ACTIVATION requires RETAIN"));
  EXPECT_THAT(rejected(root, {root->create_id_uniqueness_policy(Uniqueness::MULTIPLE_ID), one_servant,
                              orbweaver::make_request_queue_policy(1, 1)}),
              HasSubstr("2: a request queue requires"));
}

TEST_F(PoaPolicies, HaveTheirTypesAndValues) {
  const auto processing = root->create_request_processing_policy(Processing::USE_SERVANT_MANAGER);
  EXPECT_EQ(processing->policy_type(), 22u);
  EXPECT_EQ(processing->value(), Processing::USE_SERVANT_MANAGER);
  const auto retention = root->create_servant_retention_policy(Retention::NON_RETAIN);
  EXPECT_EQ(retention->policy_type(), 21u);
  EXPECT_EQ(IDL::traits<ps::ServantRetentionPolicy>::narrow(retention->copy())->value(),
            Retention::NON_RETAIN);
  EXPECT_EQ(root->create_thread_policy(ps::ThreadPolicyValue::SINGLE_THREAD_MODEL)->policy_type(), 16u);
}

TEST_F(PoaPolicies, AcceptTheMainThreadOnlyIfItServesAllRequests) {
  const auto main = root->create_thread_policy(ps::ThreadPolicyValue::MAIN_THREAD_MODEL);
  EXPECT_THAT(rejected(root, {main}), HasSubstr("-ORBThreads single"));
  TestOrb single{Options{"-ORBThreads", "single"}};
  EXPECT_EQ(rejected(single.root, {main}), "");
}

TEST(MainThreadModel, ServesCollocatedCallsInTheThreadOfRun) {
  TestOrb server{Options{"-ORBThreads", "single"}};
  const PoaRef poa = orbtest::make_poa(
      server.root, "main", {server.root->create_thread_policy(ps::ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const ItemServantRef servant = make_item(server);
  std::thread::id served;
  servant->on_run = [&] { served = std::this_thread::get_id(); };
  poa->activate_object(servant);
  std::thread running([orb = server.orb] { orb->run(); });
  const auto object = IDL::traits<PoaTest::Item>::narrow(poa->servant_to_reference(servant));
  TestOrb client;  // its call returns when the other thread runs the ORB
  IDL::traits<PoaTest::Item>::narrow(client.orb->string_to_object(server.orb->object_to_string(object)))
      ->twice(1);
  object->run();
  EXPECT_EQ(served, running.get_id());
  server.orb->shutdown(false);
  running.join();
}

TEST_F(PoaPolicies, DetermineTheOperationsOfAPoa) {
  const PoaRef map_only = orbtest::make_poa(root, "map");
  const PoaRef located = orbtest::make_poa(
      root, "located", policies(root, Retention::NON_RETAIN, Processing::USE_SERVANT_MANAGER));
  const PoaRef one_servant =
      orbtest::make_poa(root, "one", policies(root, Retention::NON_RETAIN, Processing::USE_DEFAULT_SERVANT));
  const ItemServantRef servant = make_item(server);
  const ps::ObjectId id{1};
  for (const PoaRef& poa : {located, one_servant}) {
    EXPECT_THROW(poa->activate_object(servant), ps::POA::WrongPolicy);
    EXPECT_THROW(poa->activate_object_with_id(id, servant), ps::POA::WrongPolicy);
    EXPECT_THROW(poa->deactivate_object(id), ps::POA::WrongPolicy);
    EXPECT_THROW(poa->id_to_reference(id), ps::POA::WrongPolicy);
  }
  EXPECT_THROW(located->id_to_servant(id), ps::POA::WrongPolicy);
  EXPECT_THROW(located->servant_to_id(servant), ps::POA::WrongPolicy);
  EXPECT_THROW(located->get_servant(), ps::POA::WrongPolicy);
  EXPECT_THROW(located->set_servant(servant), ps::POA::WrongPolicy);
  EXPECT_THROW(map_only->get_servant(), ps::POA::WrongPolicy);
  EXPECT_THROW(map_only->get_servant_manager(), ps::POA::WrongPolicy);
  EXPECT_THROW(one_servant->set_servant_manager(nullptr), ps::POA::WrongPolicy);
  EXPECT_THROW(one_servant->servant_to_id(servant), ps::POA::ServantNotActive);
  EXPECT_THROW(one_servant->get_servant(), ps::POA::NoServant);
  EXPECT_FALSE(located->get_servant_manager());
}

TEST_F(PoaPolicies, CheckSystemIdsOfPoasWithServantManagers) {
  const PoaRef poa = orbtest::make_poa(
      root, "system", {root->create_request_processing_policy(Processing::USE_SERVANT_MANAGER)});
  const ps::ObjectId id = poa->reference_to_id(poa->create_reference("IDL:PoaTest/Item:1.0"));
  poa->activate_object_with_id(id, make_item(server));
  EXPECT_TRUE(raises<CORBA::BAD_PARAM>(minor::kOmg + 14, [&] {
    poa->activate_object_with_id({1, 2, 3}, make_item(server));
  }));
  ps::ObjectId later = id;
  later[8] = 200;
  EXPECT_TRUE(raises<CORBA::BAD_PARAM>(
      minor::kOmg + 14, [&] { poa->create_reference_with_id(later, "IDL:PoaTest/Item:1.0"); }));
}

}  // namespace
}  // namespace poatest
