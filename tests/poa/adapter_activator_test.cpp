// Adapter activators, and the ids of POAs and POA managers.
#include <gmock/gmock.h>

#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "platform/testing/waiting_thread.h"
#include "poa/testing/item_servant.h"

namespace poatest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;
namespace minor = orbweaver::minor;

CORBA::PolicyList persistent(const PoaRef& by) {
  return {by->create_lifespan_policy(ps::LifespanPolicyValue::PERSISTENT),
          by->create_id_assignment_policy(ps::IdAssignmentPolicyValue::USER_ID)};
}

/// Creates POAs with one object, "a".
class NewAdapters final : public IDL::traits<ps::AdapterActivator>::base_type {
 public:
  explicit NewAdapters(TestOrb& broker) : broker_(broker) {}

  orbtest::Gate gate;
  std::atomic<bool> waits = false, refuses = false, fails = false;

  bool unknown_adapter(CORBA::object_reference<ps::POA> parent, const std::string& name) override {
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(parent->the_name() + "/" + name);
    }
    if (fails) throw CORBA::NO_RESOURCES();
    if (refuses) return false;
    const PoaRef poa = parent->create_POA(name, parent->the_POAManager(), persistent(parent));
    poa->the_activator(CORBA::object_reference<ps::AdapterActivator>(parent->the_activator()));
    if (waits) gate.pass(1);
    poa->activate_object_with_id(object_id("a"), make_item(broker_, "made"));
    // Calls of this thread do not wait for this activation.
    EXPECT_EQ(item(broker_, broker_, poa, "a")->twice(1), 2);
    EXPECT_EQ(parent->find_POA(name, true)->the_name(), name);
    return true;
  }
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  TestOrb& broker_;
  std::mutex mutex_;
  std::vector<std::string> calls_;
};

/// References to objects of POAs that do not exist any more.
struct AdapterActivatorPerThreadMode : PerThreadMode {
  CORBA::object_reference<NewAdapters> activator = CORBA::make_reference<NewAdapters>(server);
  ItemRef outer, inner;
  AdapterActivatorPerThreadMode() {
    const PoaRef x = orbtest::make_poa(server.root, "x/1", persistent(server.root));
    outer = item(client, server, x, "a");
    inner = item(client, server, orbtest::make_poa(x, "y", persistent(server.root)), "a");
    x->destroy(false, true);
    server.root->the_activator(activator);
  }
  ~AdapterActivatorPerThreadMode() override { server.root->the_activator(nullptr); }
};

TEST_P(AdapterActivatorPerThreadMode, CreatesTheAdaptersOfARequest) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(inner->describe(), "made y/a");
  EXPECT_EQ(outer->describe(), "made x/1/a");
  EXPECT_THAT(activator->calls(), ElementsAre("RootPOA/x/1", "x/1/y"));
}

TEST_P(AdapterActivatorPerThreadMode, DelaysRequestsUntilTheAdapterIsComplete) {
  activator->waits = true;
  TestOrb other{Options{"-ORBTransportPreference", "tcp"}};
  const ItemRef same =
      IDL::traits<PoaTest::Item>::narrow(other.orb->string_to_object(client.orb->object_to_string(outer)));
  WaitingThread first([&] { EXPECT_EQ(outer->describe(), "made x/1/a"); });
  ASSERT_TRUE(activator->gate.reached_by(1));
  WaitingThread second([&] { EXPECT_EQ(same->describe(), "made x/1/a"); });
  EXPECT_TRUE(second.waits());
  activator->waits = false;
  activator->gate.open();
  first.join();
  second.join();
  EXPECT_THAT(activator->calls(), ElementsAre("RootPOA/x/1"));
}
POATEST_THREAD_MODES(AdapterActivatorPerThreadMode);

struct AdapterActivator : ::testing::Test {
  TestOrb server, client{Options{"-ORBTransportPreference", "unix"}};
  CORBA::object_reference<NewAdapters> activator = CORBA::make_reference<NewAdapters>(server);
  ItemRef object;
  AdapterActivator() {
    const PoaRef x = orbtest::make_poa(server.root, "x", persistent(server.root));
    object = item(client, server, x, "a");
    x->destroy(false, true);
  }
};

TEST_F(AdapterActivator, IsAskedByFindPoa) {
  EXPECT_FALSE(server.root->the_activator());
  EXPECT_THROW(server.root->find_POA("z", true), ps::POA::AdapterNonExistent);
  server.root->the_activator(activator);
  EXPECT_EQ(server.root->the_activator().get(), activator.get());
  EXPECT_THROW(server.root->find_POA("z", false), ps::POA::AdapterNonExistent);
  EXPECT_EQ(server.root->find_POA("z", true)->the_name(), "z");
  activator->refuses = true;
  EXPECT_THROW(server.root->find_POA("v", true), ps::POA::AdapterNonExistent);
  activator->fails = true;
  EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kActivatorFailed, [&] { server.root->find_POA("v", true); }));
}

TEST_F(AdapterActivator, IsAskedByFindPoaWhileThePoaManagerHolds) {
  server.root->the_activator(activator);
  const PoaRef parent = orbtest::make_poa(server.root, "parent");
  parent->the_POAManager()->hold_requests(false);
  activator->refuses = true;
  parent->the_activator(CORBA::object_reference<ps::AdapterActivator>(activator));
  EXPECT_THROW(parent->find_POA("z", true), ps::POA::AdapterNonExistent);
  EXPECT_THAT(activator->calls(), ElementsAre("parent/z"));
}

TEST_F(AdapterActivator, IsAskedByTheNextRequestAgainAfterItHasRefused) {
  server.root->the_activator(activator);
  activator->refuses = true;
  EXPECT_TRUE(raises<CORBA::OBJECT_NOT_EXIST>(minor::kNoSuchAdapter, [&] { object->twice(1); }));
  EXPECT_TRUE(object->_non_existent());
  activator->fails = true;
  EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kActivatorFailed, [&] { object->twice(1); }));
  activator->refuses = activator->fails = false;
  EXPECT_EQ(object->twice(1), 2);
}

TEST_F(AdapterActivator, IsNotAskedWhileThePoaManagerOfTheParentHolds) {
  server.root->the_activator(activator);
  server.root->the_POAManager()->hold_requests(false);
  WaitingThread caller([&] { EXPECT_EQ(object->twice(1), 2); });
  EXPECT_TRUE(caller.waits());
  EXPECT_TRUE(activator->calls().empty());
  server.root->the_POAManager()->activate();
  caller.join();
}

TEST_F(AdapterActivator, IsNotAskedForObjectsOfAnEarlierRun) {
  const PoaRef transient = orbtest::make_poa(
      server.root, "t", {server.root->create_id_assignment_policy(ps::IdAssignmentPolicyValue::USER_ID)});
  const std::string reference = server.orb->object_to_string(
      transient->create_reference_with_id(object_id("a"), PoaTest::Item::_interface_id()));
  TestOrb later;  // another ORB, as a later run of the server
  const auto of_later = CORBA::make_reference<NewAdapters>(later);
  later.root->the_activator(of_later);
  const ItemRef of_earlier = IDL::traits<PoaTest::Item>::narrow(client.orb->string_to_object(reference));
  const ItemRef own = item(later, later, orbtest::make_poa(later.root, "u", persistent(later.root)), "a");
  orbweaver::orb::ServantPin pin;
  auto& finder = *own->_reference()->core().finder();
  EXPECT_EQ(finder.enter(of_earlier->_reference()->object_key(), pin, true, nullptr, nullptr, "twice"),
            orbweaver::orb::LookupStatus::no_adapter);
  EXPECT_TRUE(of_later->calls().empty());
}

TEST_F(AdapterActivator, MakesLocateRequestsSucceed) {
  CORBA::PolicyList none;
  EXPECT_THROW(object->_validate_connection(none), CORBA::OBJECT_NOT_EXIST);
  server.root->the_activator(activator);
  EXPECT_TRUE(object->_validate_connection(none));
  EXPECT_TRUE(activator->calls().empty());
}

// ---- ids ----

TEST(PoaId, IsThatOfLaterRunsWithPersistent) {
  TestOrb one, two;
  const auto kept = [](TestOrb& broker) {
    return orbtest::make_poa(broker.root, "kept", persistent(broker.root))->id();
  };
  EXPECT_EQ(kept(one), kept(two));
  EXPECT_NE(one.root->id(), two.root->id());
  const PoaRef other = orbtest::make_poa(one.root, "other", persistent(one.root));
  EXPECT_NE(other->id(), one.root->find_POA("kept", false)->id());
}

TEST(PoaManagerFactory, CreatesAndFindsManagers) {
  TestOrb broker;
  const auto factory = broker.root->the_POAManagerFactory();
  EXPECT_EQ(broker.root->the_POAManager()->get_id(), "RootPOAManager");
  EXPECT_EQ(factory->find("RootPOAManager").get(), broker.root->the_POAManager().get());
  EXPECT_FALSE(factory->find("radios"));
  const auto manager = factory->create_POAManager("radios", {});
  EXPECT_EQ(manager->get_id(), "radios");
  EXPECT_EQ(manager->get_state(), ps::POAManager::State::HOLDING);
  EXPECT_EQ(factory->find("radios").get(), manager.get());
  EXPECT_THROW(factory->create_POAManager("radios", {}), ps::POAManagerFactory::ManagerAlreadyExists);
  EXPECT_THROW(factory->create_POAManager(
                   "others", {broker.root->create_thread_policy(ps::ThreadPolicyValue::ORB_CTRL_MODEL)}),
               CORBA::PolicyError);
  const PoaRef poa = broker.root->create_POA("poa", manager, {});
  EXPECT_EQ(poa->the_POAManager().get(), manager.get());
}

TEST(PoaManagerFactory, ListsTheManagersOfCreatePoaWhileTheyExist) {
  TestOrb broker;
  const auto factory = broker.root->the_POAManagerFactory();
  EXPECT_EQ(factory->list().size(), 1u);
  PoaRef poa = broker.root->create_POA("poa", nullptr, {});
  const std::string its_id = poa->the_POAManager()->get_id();
  const PoaRef second = broker.root->create_POA("second", nullptr, {});
  EXPECT_NE(its_id, second->the_POAManager()->get_id());
  EXPECT_EQ(factory->list().size(), 3u);
  EXPECT_TRUE(factory->find(its_id));
  poa->destroy(false, true);
  poa = nullptr;
  EXPECT_FALSE(factory->find(its_id));
  EXPECT_EQ(factory->list().size(), 2u);
}

}  // namespace
}  // namespace poatest
