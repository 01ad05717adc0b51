// Servant activators: incarnation, etherealisation, and the end of their POAs.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "orb/minor_codes.h"
#include "platform/testing/waiting_thread.h"
#include "poa/testing/item_servant.h"

namespace poatest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using Retention = ps::ServantRetentionPolicyValue;
using Processing = ps::RequestProcessingPolicyValue;
using Uniqueness = ps::IdUniquenessPolicyValue;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
namespace minor = orbweaver::minor;

/// Creates an item servant for each id, and records its calls.
class Activator final : public IDL::traits<ps::ServantActivator>::base_type {
 public:
  using ServantRef = CORBA::servant_reference<ps::Servant>;
  explicit Activator(TestOrb& broker) : current_(poa_current(broker)) {}

  orbtest::Gate incarnations, etherealisations;
  bool waits_to_incarnate = false, waits_to_etherealize = false;
  Guarded<std::function<ServantRef(const std::string& id)>> make;    ///< Null: a new servant named "new".
  std::function<void(const std::string& id, const PoaRef&)> on_end;  ///< Called by etherealize.

  ServantRef incarnate(const ps::ObjectId& oid, CORBA::object_reference<ps::POA> adapter) override {
    const Inside inside(*this);
    EXPECT_THROW(current_->get_object_id(), ps::Current::NoContext);
    const std::string id = ps::ObjectId_to_string(oid);
    record("+" + adapter->the_name() + "/" + id);
    if (waits_to_incarnate) incarnations.pass(1);
    const auto function = make.get();
    return function ? function(id) : ServantRef(CORBA::make_reference<ItemServant>("new", current_));
  }
  void etherealize(const ps::ObjectId& oid, CORBA::object_reference<ps::POA> adapter, ServantRef serv,
                   bool cleanup_in_progress, bool remaining_activations) override {
    const Inside inside(*this);
    EXPECT_THROW(current_->get_object_id(), ps::Current::NoContext);
    EXPECT_TRUE(serv);
    const std::string id = ps::ObjectId_to_string(oid);
    if (waits_to_etherealize) etherealisations.pass(1);
    record("-" + adapter->the_name() + "/" + id + (cleanup_in_progress ? " cleanup" : "") +
           (remaining_activations ? " remaining" : ""));
    if (on_end) on_end(id, adapter);
  }
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  std::size_t count() { return calls().size(); }
  int most_at_once() const { return most_; }

 private:
  struct Inside {
    explicit Inside(Activator& a) : activator(a) {
      if (++a.inside_ > a.most_) a.most_ = a.inside_.load();
    }
    ~Inside() { --activator.inside_; }
    Activator& activator;
  };
  void record(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }

  const CORBA::object_reference<ps::Current> current_;
  std::atomic<int> inside_{0}, most_{0};
  std::mutex mutex_;
  std::vector<std::string> calls_;
};

PoaRef activated_poa(TestOrb& server, const CORBA::object_reference<Activator>& activator,
                     Uniqueness uniqueness = Uniqueness::MULTIPLE_ID, const std::string& name = "store") {
  const PoaRef poa = orbtest::make_poa(
      server.root, name,
      policies(server.root, Retention::RETAIN, Processing::USE_SERVANT_MANAGER, uniqueness));
  poa->set_servant_manager(activator);
  return poa;
}

struct ServantActivatorPerThreadMode : PerThreadMode {
  CORBA::object_reference<Activator> activator = CORBA::make_reference<Activator>(server);
  PoaRef poa = activated_poa(server, activator);
};

TEST_P(ServantActivatorPerThreadMode, IncarnatesAnObjectOnce) {
  for (TestOrb* const caller : {&client, &server}) {
    const std::string name = caller == &client ? "remote" : "collocated";
    const ItemRef object = item(*caller, server, poa, name);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(object->describe(), "new store/" + name);
  }
  EXPECT_THAT(activator->calls(), ElementsAre("+store/remote", "+store/collocated"));
}

TEST_P(ServantActivatorPerThreadMode, GetsADeactivatedObjectBackAndIncarnatesItAgain) {
  const ItemRef object = item(client, server, poa, "a");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(object->twice(i), 2 * i);
    EXPECT_EQ(object->twice(i), 2 * i);
    poa->deactivate_object(object_id("a"));
  }
  EXPECT_THAT(activator->calls(),
              ElementsAre("+store/a", "-store/a", "+store/a", "-store/a", "+store/a", "-store/a"));
}

/// Requests for an object that is being passed back wait, also those that a reactor must not wait for.
TEST_P(ServantActivatorPerThreadMode, IncarnatesAnObjectAfterItHasBeenPassedBack) {
  const ItemRef object = item(client, server, poa, "a");
  object->twice(1);
  activator->waits_to_etherealize = true;
  std::thread ender([&] { poa->deactivate_object(object_id("a")); });
  ASSERT_TRUE(activator->etherealisations.reached_by(1));
  WaitingThread caller([&] { EXPECT_EQ(object->describe(), "new store/a"); });
  EXPECT_TRUE(caller.waits());
  EXPECT_EQ(activator->count(), 1u);
  activator->etherealisations.open();
  ender.join();
  caller.join();
  EXPECT_THAT(activator->calls(), ElementsAre("+store/a", "-store/a", "+store/a"));
}
POATEST_THREAD_MODES(ServantActivatorPerThreadMode);

struct ServantActivator : ::testing::Test {
  TestOrb server, client{Options{"-ORBTransportPreference", "shm"}},
      other{Options{"-ORBTransportPreference", "tcp"}};
  CORBA::object_reference<Activator> activator = CORBA::make_reference<Activator>(server);
};

TEST_F(ServantActivator, IsAskedOnceForConcurrentRequests) {
  const PoaRef poa = activated_poa(server, activator);
  activator->waits_to_incarnate = true;
  std::vector<std::unique_ptr<WaitingThread>> callers;
  for (TestOrb* const caller : {&client, &other, &server}) {
    callers.push_back(std::make_unique<WaitingThread>(
        [&, caller] { EXPECT_EQ(item(*caller, server, poa, "a")->describe(), "new store/a"); }));
  }
  ASSERT_TRUE(activator->incarnations.reached_by(1));
  for (const auto& caller : callers) EXPECT_TRUE(caller->waits());
  activator->incarnations.open();
  callers.clear();
  EXPECT_THAT(activator->calls(), ElementsAre("+store/a"));
}

TEST_F(ServantActivator, HasOneCallAtATime) {
  const PoaRef poa = activated_poa(server, activator);
  std::vector<std::thread> callers;
  for (TestOrb* const caller : {&client, &other, &server}) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 40; ++i) {
        const std::string name = std::to_string(i % 4);
        EXPECT_EQ(item(*caller, server, poa, name)->twice(i), 2 * i);
        try {
          poa->deactivate_object(object_id(name));
        } catch (const ps::POA::ObjectNotActive&) {  // another thread was faster
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(activator->most_at_once(), 1);
  poa->destroy(true, true);
  std::map<std::string, int> balance;
  for (const std::string& call : activator->calls()) {
    int& active = balance[call.substr(1, 7)];
    active += call[0] == '+' ? 1 : -1;
    EXPECT_TRUE(active == 0 || active == 1) << call;
  }
  for (const auto& [name, active] : balance) EXPECT_EQ(active, 0) << name;
}

TEST_F(ServantActivator, GetsAnObjectBackWhenItsLastRequestHasEnded) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef servant = make_item(server);
  poa->activate_object_with_id(object_id("a"), servant);
  const ItemRef object = item(client, server, poa, "a");
  std::thread caller([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  poa->deactivate_object(object_id("a"));
  EXPECT_THROW(poa->deactivate_object(object_id("a")), ps::POA::ObjectNotActive);
  EXPECT_EQ(activator->count(), 0u);
  WaitingThread later([&] { EXPECT_EQ(item(other, server, poa, "a")->describe(), "new store/a"); });
  EXPECT_TRUE(later.waits());
  servant->gate.open();
  caller.join();
  later.join();
  EXPECT_THAT(activator->calls(), ElementsAre("-store/a", "+store/a"));
}

TEST_F(ServantActivator, DelaysAnActivationOfAnObjectThatIsBeingPassedBack) {
  const PoaRef poa = activated_poa(server, activator);
  poa->activate_object_with_id(object_id("a"), make_item(server, "first"));
  activator->waits_to_etherealize = true;
  std::thread ender([&] { poa->deactivate_object(object_id("a")); });
  ASSERT_TRUE(activator->etherealisations.reached_by(1));
  WaitingThread second([&] { poa->activate_object_with_id(object_id("a"), make_item(server, "second")); });
  EXPECT_TRUE(second.waits());
  activator->etherealisations.open();
  ender.join();
  second.join();
  EXPECT_EQ(item(client, server, poa, "a")->describe(), "second store/a");
}

TEST_F(ServantActivator, RejectsAReactivationWithinARequestOfTheObject) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef servant = make_item(server);
  int raised = 0;
  servant->on_run = [&] {
    poa->deactivate_object(object_id("a"));
    raised += raises<CORBA::BAD_INV_ORDER>(
        minor::kWouldDeadlock, [&] { poa->activate_object_with_id(object_id("a"), make_item(server)); });
    raised += raises<CORBA::BAD_INV_ORDER>(minor::kWouldDeadlock,
                                           [&] { item(server, server, poa, "a")->twice(1); });
  };
  for (TestOrb* const caller : {&client, &server}) {
    poa->activate_object_with_id(object_id("a"), servant);
    item(*caller, server, poa, "a")->run();
    EXPECT_TRUE(becomes_true([&] { return activator->count() == (caller == &client ? 1u : 2u); }));
  }
  EXPECT_EQ(raised, 4);
}

TEST_F(ServantActivator, IsToldOfFurtherActivationsOfAServant) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef servant = make_item(server);
  for (const char* each : {"a", "b", "c", "d"}) poa->activate_object_with_id(object_id(each), servant);
  poa->deactivate_object(object_id("a"));
  poa->destroy(true, true);
  EXPECT_THAT(activator->calls(), ElementsAre("-store/a remaining", "-store/b cleanup remaining",
                                              "-store/c cleanup remaining", "-store/d cleanup"));
}

TEST_F(ServantActivator, GetsNothingBackWithoutEtherealizeObjects) {
  const PoaRef poa = activated_poa(server, activator);
  std::atomic<bool> ended{false};
  {
    const ItemServantRef servant = make_item(server);
    servant->on_end = [&] { ended = true; };
    poa->activate_object_with_id(object_id("a"), servant);
  }
  poa->destroy(false, true);
  EXPECT_TRUE(ended);
  EXPECT_EQ(activator->count(), 0u);
}

TEST_F(ServantActivator, GetsObjectsBackAfterAllRequestsAndTheEndOfTheAdapter) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef servant = make_item(server);
  poa->activate_object_with_id(object_id("a"), servant);
  poa->activate_object_with_id(object_id("b"), make_item(server));
  const ItemRef object = item(client, server, poa, "a");
  std::thread caller([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  activator->on_end = [&](const std::string&, const PoaRef& adapter) {
    EXPECT_THROW(adapter->activate_object_with_id(object_id("c"), servant), CORBA::OBJECT_NOT_EXIST);
    EXPECT_TRUE(raises<CORBA::BAD_INV_ORDER>(minor::kBeingDestroyed,
                                             [&] { adapter->create_POA("child", nullptr, {}); }));
    if (activator->count() == 1) orbtest::make_poa(server.root, "store");  // the name is free again
  };
  WaitingThread destroyer([&] { poa->destroy(true, true); });
  EXPECT_TRUE(destroyer.waits());
  EXPECT_EQ(activator->count(), 0u);
  EXPECT_THROW(orbtest::make_poa(server.root, "store"), ps::POA::AdapterAlreadyExists);
  servant->gate.open();
  caller.join();
  destroyer.join();
  EXPECT_THAT(activator->calls(), UnorderedElementsAre("-store/a cleanup", "-store/b cleanup"));
  EXPECT_EQ(server.root->find_POA("store", false)->the_name(), "store");
  EXPECT_THROW(poa->create_POA("child", nullptr, {}), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(ServantActivator, GetsObjectsBackFromADestructionWithinARequest) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef servant = make_item(server);
  poa->activate_object_with_id(object_id("a"), servant);
  servant->on_run = [&] {
    EXPECT_THROW(poa->destroy(true, true), CORBA::BAD_INV_ORDER);
    poa->destroy(true, false);
    EXPECT_EQ(activator->count(), 0u);
    orbtest::make_poa(server.root, "store");
  };
  item(client, server, poa, "a")->run();
  EXPECT_TRUE(becomes_true([&] { return activator->count() == 1; }));
  EXPECT_THAT(activator->calls(), ElementsAre("-store/a cleanup"));
}

TEST_F(ServantActivator, GetsObjectsBackWhenItsPoaManagerIsDeactivated) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef servant = make_item(server);
  poa->activate_object_with_id(object_id("a"), servant);
  const ItemRef object = item(client, server, poa, "a");
  std::thread caller([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  WaitingThread manager([&] { poa->the_POAManager()->deactivate(true, true); });
  EXPECT_TRUE(manager.waits());
  EXPECT_EQ(activator->count(), 0u);
  servant->gate.open();
  caller.join();
  manager.join();
  EXPECT_THAT(activator->calls(), ElementsAre("-store/a cleanup"));
  EXPECT_THROW(poa->id_to_servant(object_id("a")), ps::POA::ObjectNotActive);
  EXPECT_THROW(item(client, server, poa, "b")->twice(1), CORBA::OBJ_ADAPTER);
  EXPECT_EQ(activator->count(), 1u);
}

TEST_F(ServantActivator, GetsObjectsBackAtTheEndOfTheOrb) {
  {
    TestOrb own;
    const auto kept = CORBA::make_reference<Activator>(own);
    const PoaRef poa = activated_poa(own, kept);
    EXPECT_EQ(item(own, own, poa, "a")->twice(2), 4);
    activator = kept;
  }
  EXPECT_THAT(activator->calls(), ElementsAre("+store/a", "-store/a cleanup"));
}

TEST_F(ServantActivator, IsNotAskedWhileItsPoaManagerHolds) {
  const PoaRef poa = activated_poa(server, activator);
  poa->the_POAManager()->hold_requests(false);
  const ItemRef object = item(client, server, poa, "a");
  WaitingThread caller([&] { EXPECT_EQ(object->twice(1), 2); });
  EXPECT_TRUE(caller.waits());
  EXPECT_EQ(activator->count(), 0u);
  poa->the_POAManager()->activate();
  caller.join();
  poa->the_POAManager()->discard_requests(false);
  EXPECT_THROW(item(client, server, poa, "b")->twice(1), CORBA::TRANSIENT);
  EXPECT_EQ(activator->count(), 1u);
}

TEST_F(ServantActivator, MayForwardARequest) {
  const PoaRef poa = activated_poa(server, activator);
  const ItemServantRef target = make_item(server, "target");
  const auto moved = server.root->servant_to_reference(target);
  activator->make = [&](const std::string&) -> Activator::ServantRef { throw ps::ForwardRequest(moved); };
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    EXPECT_EQ(object->describe().substr(0, 15), "target RootPOA/");
    EXPECT_TRUE(object->_is_a("IDL:PoaTest/Item:1.0"));
  }
}

TEST_F(ServantActivator, MayRaiseSystemExceptions) {
  const PoaRef poa = activated_poa(server, activator);
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    activator->make = [&](const std::string&) -> Activator::ServantRef {
      throw CORBA::NO_PERMISSION(5, CORBA::CompletionStatus::COMPLETED_NO, "not you");
    };
    EXPECT_TRUE(raises<CORBA::NO_PERMISSION>(5, [&] { object->twice(1); }));
    activator->make = [&](const std::string&) -> Activator::ServantRef {
      throw std::runtime_error("secret");
    };
    try {
      object->twice(1);
      ADD_FAILURE();
    } catch (const CORBA::UNKNOWN& e) {
      EXPECT_EQ(e.minor(), minor::kCppException);
      EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos);
    }
    activator->make = [&](const std::string&) { return Activator::ServantRef(); };
    EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kNilServant, [&] { object->twice(1); }));
  }
}

TEST_F(ServantActivator, MustReturnAnInactiveServantWithUniqueId) {
  const PoaRef poa = activated_poa(server, activator, Uniqueness::UNIQUE_ID);
  const ItemServantRef servant = make_item(server);
  activator->make = [&](const std::string&) { return Activator::ServantRef(servant); };
  EXPECT_EQ(item(client, server, poa, "a")->twice(1), 2);
  const ItemRef second = item(client, server, poa, "b");
  EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kWrongServant, [&] { second->twice(1); }));
}

TEST_F(ServantActivator, MayDestroyItsPoaMeanwhile) {
  const PoaRef poa = activated_poa(server, activator);
  activator->make = [&](const std::string&) {
    EXPECT_THROW(poa->destroy(true, true), CORBA::BAD_INV_ORDER);
    poa->destroy(true, false);
    return Activator::ServantRef(make_item(server));
  };
  EXPECT_THROW(item(client, server, poa, "a")->twice(1), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THAT(activator->calls(), ElementsAre("+store/a", "-store/a cleanup"));
}

TEST_F(ServantActivator, IsLocatedWithoutBeingAsked) {
  const PoaRef poa = activated_poa(server, activator);
  CORBA::PolicyList none;
  EXPECT_TRUE(item(client, server, poa, "a")->_validate_connection(none));
  EXPECT_EQ(activator->count(), 0u);
}

TEST_F(ServantActivator, IsSetOnce) {
  const PoaRef poa = orbtest::make_poa(
      server.root, "store", policies(server.root, Retention::RETAIN, Processing::USE_SERVANT_MANAGER));
  const ItemRef object = item(client, server, poa, "a");
  EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kNoServantManager, [&] { object->twice(1); }));
  EXPECT_TRUE(
      raises<CORBA::OBJ_ADAPTER>(minor::kNoServantManager, [&] { poa->set_servant_manager(nullptr); }));
  const PoaRef located = orbtest::make_poa(
      server.root, "located", policies(server.root, Retention::NON_RETAIN, Processing::USE_SERVANT_MANAGER));
  EXPECT_TRUE(
      raises<CORBA::OBJ_ADAPTER>(minor::kNoServantManager, [&] { located->set_servant_manager(activator); }));
  poa->set_servant_manager(activator);
  EXPECT_EQ(poa->get_servant_manager().get(), activator.get());
  EXPECT_TRUE(raises<CORBA::BAD_INV_ORDER>(minor::kManagerSet, [&] { poa->set_servant_manager(activator); }));
}

}  // namespace
}  // namespace poatest
