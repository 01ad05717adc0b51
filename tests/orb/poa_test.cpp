// POAs, their policies, and POA managers.
#include <gmock/gmock.h>

#include "orb/minor_codes.h"
#include "platform/testing/waiting_thread.h"
#include "testing/giop_builder.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using ::testing::HasSubstr;
using namespace PortableServer;
using PortableServer::POA;  // not the namespace of skeletons
namespace minor = orbweaver::minor;

struct Poa : ::testing::Test {
  TestOrb server, client{Options{"-ORBTransportPreference", "shm"}};
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef of(const PoaRef& poa) { return client.at(server.reference(poa, servant)); }
};

TEST_F(Poa, ReportsItsParentAndChildren) {
  const PoaRef a = make_poa(server.root, "a"), b = make_poa(a, "b");
  EXPECT_EQ(b->the_name(), "b");
  EXPECT_EQ(b->the_parent()->the_name(), "a");
  EXPECT_FALSE(server.root->the_parent());
  ASSERT_EQ(server.root->the_children().size(), 1u);
  EXPECT_EQ(server.root->find_POA("a", false)->find_POA("b", false)->the_name(), "b");
  EXPECT_THROW(server.root->find_POA("b", false), POA::AdapterNonExistent);
  EXPECT_THROW(make_poa(server.root, "a"), POA::AdapterAlreadyExists);
}

TEST_F(Poa, KeepsAReferencedChildBeyondItsParent) {
  PoaRef parent = make_poa(server.root, "parent"), child = make_poa(parent, "child");
  parent->destroy(false, true);
  parent = nullptr;
  EXPECT_EQ(child->the_parent()->the_name(), "parent");
  child->destroy(false, true);
}

TEST_F(Poa, TreatsASlashInANameAsText) {
  const PoaRef tricky = make_persistent_poa(server.root, "a/b"),
               nested = make_persistent_poa(make_poa(server.root, "a"), "b");
  const auto other = CORBA::make_reference<Servant>("nested");
  tricky->activate_object_with_id({1}, servant);
  nested->activate_object_with_id({1}, other);
  EXPECT_EQ(of(tricky)->name(), "servant");
  EXPECT_EQ(client.at(server.reference(nested, other))->name(), "nested");
}

TEST_F(Poa, RejectsANameTooLongForObjectKeys) {
  EXPECT_THAT(raised_by<CORBA::IMP_LIMIT>([&] { make_poa(server.root, std::string(70'000, 'x')); },
                                          minor::kNameTooLong),
              HasSubstr("65535"));
}

TEST_F(Poa, ServesNothingAfterDestroy) {
  const PoaRef poa = make_poa(server.root, "short-lived");
  poa->activate_object(servant);
  const CallsRef calls = of(poa);
  EXPECT_EQ(calls->twice(1), 2);
  poa->destroy(false, true);
  EXPECT_THROW(calls->twice(1), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(poa->activate_object(servant), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(server.root->find_POA("short-lived", false), POA::AdapterNonExistent);
  EXPECT_EQ(make_poa(server.root, "short-lived")->the_name(), "short-lived");
}

TEST_F(Poa, WaitsForCallsInProgressOnDestroyWithWait) {
  const PoaRef poa = make_poa(server.root, "busy");
  poa->activate_object(servant);
  const CallsRef calls = of(poa);
  std::thread caller([&] { EXPECT_EQ(calls->wait_at_gate(3), 3); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  WaitingThread destroyer([&] { poa->destroy(false, true); });
  EXPECT_TRUE(destroyer.waits());
  servant->gate.open();
  destroyer.join();
  caller.join();
}

TEST_F(Poa, RejectsDuplicateOrContradictoryPolicies) {
  const auto user_ids = server.root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID);
  const auto implicit =
      server.root->create_implicit_activation_policy(ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION);
  EXPECT_THROW(make_poa(server.root, "x", {user_ids, user_ids}), POA::InvalidPolicy);
  try {
    make_poa(server.root, "x", {user_ids, implicit});
    FAIL();
  } catch (const POA::InvalidPolicy& e) {
    EXPECT_EQ(e.index(), 1);
  }
  EXPECT_THROW(make_poa(server.root, "x", {nullptr}), POA::InvalidPolicy);
}

TEST_F(Poa, ActivatesAServantOnceWithUniqueId) {
  const PoaRef poa = make_poa(server.root, "unique");
  const ObjectId id = poa->activate_object(servant);
  EXPECT_THROW(poa->activate_object(servant), POA::ServantAlreadyActive);
  EXPECT_EQ(poa->servant_to_id(servant), id);
  EXPECT_EQ(poa->id_to_servant(id).get(), servant.get());
  EXPECT_EQ(poa->reference_to_id(poa->id_to_reference(id)), id);
  EXPECT_EQ(poa->reference_to_servant(poa->id_to_reference(id)).get(), servant.get());
}

TEST_F(Poa, DistinguishesTheIdsOfAServantWithMultipleId) {
  const PoaRef poa = make_poa(
      server.root, "many", {server.root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID)});
  const ObjectId a = poa->activate_object(servant), b = poa->activate_object(servant);
  EXPECT_NE(a, b);
  EXPECT_THROW(poa->servant_to_id(servant), POA::ServantNotActive);
  poa->deactivate_object(a);
  EXPECT_THROW(poa->deactivate_object(a), POA::ObjectNotActive);
  EXPECT_EQ(poa->id_to_servant(b).get(), servant.get());
}

TEST_F(Poa, UsesIdsOfTheUserWithUserId) {
  const PoaRef poa = make_persistent_poa(server.root, "named");
  EXPECT_THROW(poa->activate_object(servant), POA::WrongPolicy);
  poa->activate_object_with_id(string_to_ObjectId("amplifier"), servant);
  EXPECT_THROW(
      poa->activate_object_with_id(string_to_ObjectId("amplifier"), CORBA::make_reference<Servant>()),
      POA::ObjectAlreadyActive);
  EXPECT_EQ(ObjectId_to_string(poa->servant_to_id(servant)), "amplifier");
  EXPECT_EQ(of(poa)->twice(4), 8);
}

TEST_F(Poa, InvalidatesTheDispatchCacheOnDeactivation) {
  struct Tripler final : virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
    std::int32_t twice(std::int32_t n) override { return 3 * n; }
  };
  const PoaRef poa = make_persistent_poa(server.root, "named");
  const ObjectId id = string_to_ObjectId("amplifier");
  poa->activate_object_with_id(id, servant);
  const CallsRef calls = of(poa);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls->twice(1), 2);
  poa->deactivate_object(id);
  for (int i = 0; i < 3; ++i) EXPECT_THROW(calls->twice(1), CORBA::OBJECT_NOT_EXIST);
  // Its slot now holds another object, which must not receive the call.
  const auto tripler = CORBA::make_reference<Tripler>();
  poa->activate_object_with_id(string_to_ObjectId("mixer"), tripler);
  EXPECT_THROW(calls->twice(1), CORBA::OBJECT_NOT_EXIST);
  poa->deactivate_object(string_to_ObjectId("mixer"));
  // The same key, another servant, another skeleton; then the first again.
  poa->activate_object_with_id(id, CORBA::make_reference<Tripler>());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls->twice(1), 3);
  poa->deactivate_object(id);
  poa->activate_object_with_id(id, servant);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls->twice(1), 2);
}

TEST_F(Poa, DispatchesAlternatingOperationsOfTwoObjects) {
  const PoaRef poa = make_poa(server.root, "two");
  poa->activate_object(servant);
  const auto other = CORBA::make_reference<Servant>("other");
  poa->activate_object(other);
  const CallsRef one = of(poa), two = client.at(server.reference(poa, other));
  for (int i = 0; i < 6; ++i) {
    const bool again = i % 3 != 0;  // some calls repeat the previous operation and object, some do not
    EXPECT_EQ((again ? one : two)->name(), again ? "servant" : "other");
    EXPECT_EQ(one->twice(i), 2 * i);
    EXPECT_EQ(one->twice(i), 2 * i);
    EXPECT_EQ(two->twice(i), 2 * i);
    EXPECT_EQ(two->name(), "other");
    EXPECT_EQ(one->name(), "servant");
  }
}

TEST_F(Poa, ServesAReferenceCreatedBeforeActivation) {
  const PoaRef poa = make_poa(server.root, "early");
  const ObjectRef early = poa->create_reference("IDL:OrbTest/Calls:1.0");
  const CallsRef calls = client.unchecked(server.orb->object_to_string(early));
  EXPECT_THROW(calls->twice(1), CORBA::OBJECT_NOT_EXIST);
  poa->activate_object_with_id(poa->reference_to_id(early), servant);
  EXPECT_EQ(calls->twice(1), 2);
}

TEST_F(Poa, DoesNotReuseAnIdDuringCallsInProgress) {
  const PoaRef poa = make_poa(server.root, "again");
  const ObjectId id = poa->activate_object(servant);
  const CallsRef calls = of(poa);
  std::thread caller([&] { EXPECT_EQ(calls->wait_at_gate(3), 3); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  poa->deactivate_object(id);
  EXPECT_THROW(poa->activate_object_with_id(id, CORBA::make_reference<Servant>()), CORBA::BAD_PARAM);
  servant->gate.open();
  caller.join();
}

TEST_F(Poa, RejectsAnIdOfAnotherAdapter) {
  const PoaRef a = make_poa(server.root, "a"), b = make_poa(server.root, "b");
  const ObjectId id = a->activate_object(servant);
  EXPECT_THROW(b->activate_object_with_id(id, servant), CORBA::BAD_PARAM);
  EXPECT_THROW(b->activate_object_with_id({1, 2, 3}, servant), CORBA::BAD_PARAM);
  EXPECT_THROW(b->reference_to_id(a->id_to_reference(id)), POA::WrongAdapter);
  EXPECT_THROW(b->id_to_servant(id), POA::ObjectNotActive);
  EXPECT_THROW(b->activate_object(nullptr), CORBA::BAD_PARAM);
}

TEST_F(Poa, ActivatesImplicitlyOnlyInTheRootPoa) {
  EXPECT_EQ(of(server.root)->twice(1), 2);
  const PoaRef poa = make_poa(server.root, "explicit");
  EXPECT_THROW(poa->servant_to_reference(servant), POA::ServantNotActive);
}

TEST_F(Poa, ReleasesASelfDeactivatingServantAfterTheCall) {
  std::atomic<bool> ended{false};
  servant->on_end = [&] { ended = true; };
  const ObjectId id = server.root->activate_object(servant);
  const CallsRef calls = of(server.root);
  servant->deactivate = [&, root = server.root] {
    root->deactivate_object(id);
    EXPECT_FALSE(ended);
  };
  Servant* raw = servant.get();
  servant = nullptr;
  calls->deactivate_me();
  EXPECT_TRUE(becomes_true([&] { return ended.load(); }));
  (void)raw;
  EXPECT_THROW(calls->twice(1), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Poa, ReusesItsSlotOnReactivation) {
  const PoaRef poa = make_poa(server.root, "busy");
  std::uint32_t highest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const ObjectId id = poa->activate_object(servant);
    std::uint32_t slot;
    std::memcpy(&slot, id.data(), 4);
    highest = std::max(highest, slot);
    poa->deactivate_object(id);
  }
  EXPECT_LT(highest, 4u);
}

TEST_F(Poa, SurvivesConcurrentCallsAndDeactivations) {
  const PoaRef poa = make_poa(server.root, "race");
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::string current;
  const auto activate = [&] {
    const auto fresh = CORBA::make_reference<Servant>();
    const ObjectId id = poa->activate_object(fresh);
    const std::lock_guard lock(mutex);
    current = server.reference(poa, fresh);
    return id;
  };
  ObjectId id = activate();
  std::vector<std::thread> callers;
  std::atomic<int> answered{0};
  for (TestOrb* caller : {&client, &server}) {
    callers.emplace_back([&, caller] {
      while (!done) {
        std::string reference;
        {
          const std::lock_guard lock(mutex);
          reference = current;
        }
        try {
          const CallsRef calls = caller->unchecked(reference);
          for (int i = 0; i < 5; ++i) answered += calls->twice(1) == 2;
        } catch (const CORBA::OBJECT_NOT_EXIST&) {
        }
      }
    });
  }
  // Every fifth servant stays active until a call has been answered; the others are deactivated at once.
  for (int i = 0; i < 300; ++i) {
    const int before = answered;
    if (i % 5 == 0) {
      EXPECT_TRUE(becomes_true([&] { return answered > before; }));
    }
    poa->deactivate_object(id);
    id = activate();
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(answered, 0);
}

TEST_F(Poa, ServesOneCallAtATimeWithSingleThreadModel) {
  const PoaRef poa = make_poa(server.root, "single",
                              {server.root->create_thread_policy(ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  poa->activate_object(servant);
  const std::string reference = server.reference(poa, servant);
  TestOrb tcp{Options{"-ORBTransportPreference", "tcp"}};
  std::vector<std::thread> callers;
  for (TestOrb* broker : {&client, &tcp, &server}) {
    callers.emplace_back([&, broker] {
      const CallsRef calls = broker->at(reference);
      for (std::int32_t i = 0; i < 20; ++i) EXPECT_EQ(calls->slow(1, i), i);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(servant->most_at_once(), 1);
}

// ---- states of a POA manager ----

struct PoaManager : Poa {
  PoaRef poa = make_poa(server.root, "managed");
  CORBA::object_reference<POAManager> manager = poa->the_POAManager();
  CallsRef calls = (poa->activate_object(servant), of(poa));
};

TEST_F(PoaManager, HoldsCallsUntilItIsActive) {
  manager->hold_requests(false);
  WaitingThread caller([&] { EXPECT_EQ(calls->twice(2), 4); });
  EXPECT_TRUE(caller.waits());
  manager->activate();
  caller.join();
}

TEST_F(PoaManager, RaisesTransientWhileDiscarding) {
  manager->discard_requests(false);
  EXPECT_EQ(manager->get_state(), POAManager::State::DISCARDING);
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { calls->twice(1); }, minor::kDiscarding),
              HasSubstr("discarding"));
  manager->activate();
  EXPECT_EQ(calls->twice(1), 2);
}

TEST_F(PoaManager, RejectsCallsOnceInactive) {
  manager->deactivate(false, true);
  EXPECT_THAT(raised_by<CORBA::OBJ_ADAPTER>([&] { calls->twice(1); }, minor::kAdapterInactive),
              HasSubstr("inactive"));
  EXPECT_THROW(manager->activate(), POAManager::AdapterInactive);
  EXPECT_THROW(manager->hold_requests(false), POAManager::AdapterInactive);
}

TEST_F(PoaManager, WaitsForCallsInProgressWithWaitForCompletion) {
  std::thread caller([&] { EXPECT_EQ(calls->wait_at_gate(1), 1); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  WaitingThread holder([&] { manager->hold_requests(true); });
  EXPECT_TRUE(holder.waits());
  servant->gate.open();
  holder.join();
  caller.join();
}

TEST_F(PoaManager, RejectsWaitForCompletionInsideAnUpcall) {
  std::atomic<bool> holds{true};
  servant->deactivate = [&] { holds ? manager->hold_requests(true) : poa->destroy(false, true); };
  for (TestOrb* caller : {&client, &server}) {
    for (const bool by_holding : {true, false}) {
      holds = by_holding;
      EXPECT_THROW(caller->at(server.reference(poa, servant))->deactivate_me(), CORBA::BAD_INV_ORDER);
    }
  }
}

TEST_F(PoaManager, ReleasesHeldCallsOnOrbShutdown) {
  manager->hold_requests(false);
  WaitingThread caller([&] { EXPECT_THROW(calls->twice(2), CORBA::SystemException); });
  EXPECT_TRUE(caller.waits());
  poa = nullptr;
  server.destroy();
  caller.join();
}

TEST_F(PoaManager, ReleasesHeldCallsWhenTheirAdapterIsDestroyed) {
  manager->hold_requests(false);
  WaitingThread caller([&] { EXPECT_THROW(calls->twice(2), CORBA::OBJECT_NOT_EXIST); });
  EXPECT_TRUE(caller.waits());
  poa->destroy(false, true);
  caller.join();
}

// ---- resources after destroy ----

TEST(ObjectAdapters, ReleaseTheirServantsOnOrbDestroy) {
  std::atomic<int> ended{0};
  {
    TestOrb server;
    const PoaRef poa = make_poa(server.root, "kept");
    poa->create_reference("IDL:OrbTest/Calls:1.0");  // never given a servant
    for (const PoaRef& adapter : {server.root, poa}) {
      const auto servant = CORBA::make_reference<Servant>();
      servant->on_end = [&] { ++ended; };
      adapter->activate_object(servant);
    }
  }
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace orbtest
