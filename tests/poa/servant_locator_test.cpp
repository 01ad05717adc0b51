// Servant locators: a servant for each request.
#include <gmock/gmock.h>

#include <thread>

#include "orb/minor_codes.h"
#include "poa/testing/item_servant.h"

namespace poatest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// Serves all objects by one servant, and records the calls.
class Locator final : public IDL::traits<ps::ServantLocator>::base_type {
 public:
  using ServantRef = CORBA::servant_reference<ps::Servant>;
  explicit Locator(TestOrb& broker) : servant(make_item(broker, "located")), current_(poa_current(broker)) {}

  const ItemServantRef servant;
  Guarded<std::function<ServantRef()>> make;     ///< Null: `servant`.
  Guarded<std::function<void()>> on_postinvoke;  ///< Called by postinvoke.
  std::atomic<int> in_other_threads{0};  ///< Calls of postinvoke in another thread than that of preinvoke.

  ServantRef preinvoke(const ps::ObjectId& oid, CORBA::object_reference<ps::POA> adapter,
                       const std::string& operation, Cookie& the_cookie) override {
    EXPECT_THROW(current_->get_object_id(), ps::Current::NoContext);
    EXPECT_EQ(the_cookie, nullptr);
    record("+" + adapter->the_name() + "/" + ps::ObjectId_to_string(oid) + " " + operation);
    const auto function = make.get();
    ServantRef found = function ? function() : ServantRef(servant);
    if (found) the_cookie = new std::thread::id(std::this_thread::get_id());  // postinvoke deletes it
    return found;
  }
  void postinvoke(const ps::ObjectId& oid, CORBA::object_reference<ps::POA> adapter,
                  const std::string& operation, Cookie the_cookie, ServantRef the_servant) override {
    EXPECT_THROW(current_->get_object_id(), ps::Current::NoContext);
    EXPECT_TRUE(the_servant);
    const std::unique_ptr<std::thread::id> thread(static_cast<std::thread::id*>(the_cookie));
    if (*thread != std::this_thread::get_id()) ++in_other_threads;
    record("-" + adapter->the_name() + "/" + ps::ObjectId_to_string(oid) + " " + operation);
    if (const auto function = on_postinvoke.get()) function();
  }
  std::vector<std::string> take_calls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

 private:
  void record(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }

  const CORBA::object_reference<ps::Current> current_;
  std::mutex mutex_;
  std::vector<std::string> calls_;
};

struct ServantLocatorPerThreadMode : PerThreadMode {
  CORBA::object_reference<Locator> locator = CORBA::make_reference<Locator>(server);
  PoaRef poa = orbtest::make_poa(server.root, "store",
                                 policies(server.root, ps::ServantRetentionPolicyValue::NON_RETAIN,
                                          ps::RequestProcessingPolicyValue::USE_SERVANT_MANAGER));
  ServantLocatorPerThreadMode() { poa->set_servant_manager(locator); }
};

TEST_P(ServantLocatorPerThreadMode, IsCalledBeforeAndAfterEachRequestInItsThread) {
  EXPECT_EQ(poa->get_servant_manager().get(), locator.get());
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(object->describe(), "located store/a");
      EXPECT_THAT(locator->take_calls(), ElementsAre("+store/a describe", "-store/a describe"));
    }
    object->value(3);
    EXPECT_EQ(object->value(), 3);
    EXPECT_THAT(locator->take_calls(), ElementsAre("+store/a _set_value", "-store/a _set_value",
                                                   "+store/a _get_value", "-store/a _get_value"));
    object->note(1);
    EXPECT_EQ(object->twice(2), 4);
    EXPECT_TRUE(object->_is_a("IDL:PoaTest/Item:1.0"));
    const int notes = caller == &client ? 1 : 2;
    EXPECT_TRUE(becomes_true([&] { return locator->servant->notes == notes; }));
    locator->take_calls();
  }
  EXPECT_EQ(locator->in_other_threads, 0);
}

TEST_P(ServantLocatorPerThreadMode, IsCalledAfterAnOperationThatRaises) {
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    EXPECT_THROW(object->fail(), CORBA::BAD_PARAM);
    EXPECT_THAT(locator->take_calls(), ElementsAre("+store/a fail", "-store/a fail"));
    // What the operation has raised has precedence.
    locator->on_postinvoke = [] { throw CORBA::NO_PERMISSION(); };
    EXPECT_THROW(object->fail(), CORBA::BAD_PARAM);
    locator->on_postinvoke = nullptr;
    locator->take_calls();
  }
}
POATEST_THREAD_MODES(ServantLocatorPerThreadMode);

struct ServantLocator : ::testing::Test {
  TestOrb server, client{Options{"-ORBTransportPreference", "shm"}},
      other{Options{"-ORBTransportPreference", "tcp"}};
  CORBA::object_reference<Locator> locator = CORBA::make_reference<Locator>(server);
  PoaRef poa = orbtest::make_poa(server.root, "store",
                                 policies(server.root, ps::ServantRetentionPolicyValue::NON_RETAIN,
                                          ps::RequestProcessingPolicyValue::USE_SERVANT_MANAGER));
  ServantLocator() { poa->set_servant_manager(locator); }
};

TEST_F(ServantLocator, ReplacesResultsByTheExceptionOfPostinvoke) {
  locator->on_postinvoke = [] {
    throw CORBA::NO_PERMISSION(9, CORBA::CompletionStatus::COMPLETED_NO, "too late");
  };
  for (TestOrb* const caller : {&client, &other, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    EXPECT_TRUE(raises<CORBA::NO_PERMISSION>(9, [&] { object->describe(); }));
    EXPECT_TRUE(raises<CORBA::NO_PERMISSION>(9, [&] { object->run(); }));
  }
}

TEST_F(ServantLocator, DoesNotSayThatAnOperationBeforePostinvokeWasNotExecuted) {
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    for (const std::function<void()>& raise : std::initializer_list<std::function<void()>>{
             [] { throw std::runtime_error("late"); }, [] { throw ps::POA::WrongPolicy(); }}) {
      locator->on_postinvoke = raise;
      try {
        object->describe();
        ADD_FAILURE() << "no exception";
      } catch (const CORBA::UNKNOWN& e) {
        EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE) << e;
      }
    }
    locator->on_postinvoke = nullptr;
  }
}

TEST_F(ServantLocator, MayForwardARequest) {
  const ItemServantRef target = make_item(server, "target");
  const auto moved = server.root->servant_to_reference(target);
  locator->make = [&]() -> Locator::ServantRef { throw ps::ForwardRequest(moved); };
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    EXPECT_THAT(object->describe(), HasSubstr("target RootPOA/"));
    EXPECT_THAT(locator->take_calls(), ElementsAre("+store/a describe"));  // no postinvoke
    EXPECT_THAT(object->describe(), HasSubstr("target RootPOA/"));
    EXPECT_THAT(locator->take_calls(), ElementsAre());  // the reference stays there
  }
}

TEST_F(ServantLocator, MustReturnAServant) {
  locator->make = [] { return Locator::ServantRef(); };
  const ItemRef object = item(client, server, poa, "a");
  EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kNilServant, [&] { object->twice(1); }));
  const PoaRef empty = orbtest::make_poa(server.root, "empty",
                                         policies(server.root, ps::ServantRetentionPolicyValue::NON_RETAIN,
                                                  ps::RequestProcessingPolicyValue::USE_SERVANT_MANAGER));
  const ItemRef unserved = item(client, server, empty, "a");
  EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kNoServantManager, [&] { unserved->twice(1); }));
}

TEST_F(ServantLocator, ServesSeveralRequestsAtATime) {
  std::vector<std::thread> callers;
  for (TestOrb* const caller : {&client, &other}) {
    callers.emplace_back([&, caller] { EXPECT_EQ(item(*caller, server, poa, "a")->wait_at_gate(1), 1); });
  }
  EXPECT_TRUE(locator->servant->gate.reached_by(2));
  locator->servant->gate.open();
  for (std::thread& caller : callers) caller.join();
}

TEST_F(ServantLocator, ReleasesAServantAfterItsRequest) {
  std::atomic<int> ended{0};
  locator->make = [&] {
    const ItemServantRef fresh = make_item(server, "fresh");
    fresh->on_end = [&] { ++ended; };
    return Locator::ServantRef(fresh);
  };
  const ItemRef object = item(client, server, poa, "a");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(object->describe(), "fresh store/a");
  EXPECT_TRUE(becomes_true([&] { return ended == 3; }));
}

}  // namespace
}  // namespace poatest
