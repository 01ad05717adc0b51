// References as text, and object adapters, without a server.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include "bench_servant.h"

namespace {

using Orb = CORBA::object_reference<CORBA::ORB>;
using Poa = CORBA::object_reference<PortableServer::POA>;

Orb orb() {
  static const Orb made = [] {
    char program[] = "test", log[] = "-ORBLog", off[] = "off", ref[] = "-ORBInitRef",
         name[] = "Far=corbaloc::1.2@host:1/far";
    char* argv[] = {program, log, off, ref, name, nullptr};
    int argc = 5;
    return CORBA::ORB_init(argc, argv, "test");
  }();
  return made;
}
Poa poa(const char* name) {
  return IDL::traits<PortableServer::POA>::narrow(orb()->resolve_initial_references(name));
}
CORBA::object_reference<BenchServant> servant() { return CORBA::make_reference<BenchServant>(orb(), "x"); }

TEST(MicroReference, IsTheSameAfterConversionToTextAndBack) {
  for (const char* const text : {"corbaloc::1.2@host:4711/key", "corbaloc:iiop:1.0@[::1]:4711/a%20b%00c",
                                 "corbaloc::host/key", " \tcorbaloc:iiop:host:1/\n"}) {
    const auto object = orb()->string_to_object(text);
    ASSERT_NE(object, nullptr) << text;
    const std::string ior = orb()->object_to_string(object);
    EXPECT_EQ(ior.substr(0, 4), "IOR:");
    EXPECT_TRUE(orb()->string_to_object(ior)->_is_equivalent(object)) << text;
    EXPECT_EQ(orb()->object_to_string(orb()->string_to_object(ior)), ior);
  }
  EXPECT_EQ(orb()->string_to_object(orb()->object_to_string(nullptr)), nullptr);
}

TEST(MicroReference, RejectsMalformedText) {
  const std::string ior = orb()->object_to_string(orb()->string_to_object("corbaloc::1.2@host:1/key"));
  std::vector<std::string> texts = {"",
                                    "IOR:",
                                    "IOR:0",
                                    "IOR:zz",
                                    "IOR:00",
                                    "corbaloc:",
                                    "nothing",
                                    "corbaloc::",
                                    "corbaloc::1.",
                                    "corbaloc::/key",
                                    "corbaloc::1.2@/",
                                    "corbaloc::h:0/k",
                                    "file:/x",
                                    "corbaname:",
                                    "corbaloc:rir:/",
                                    "corbaloc::h:x/k",
                                    "corbaloc::h:",
                                    "corbaloc::h:99999/k",
                                    "IOR: 00",
                                    "corbaloc",
                                    "corbaloc::h/%1",
                                    "corbaloc::a,:b/k",
                                    "corbaloc::h/%zz",
                                    "corbaloc:shmiop:h/k",
                                    "corbaloc::2.0@h/k"};
  for (std::size_t size = 4; size < ior.size() - 1; ++size) texts.push_back(ior.substr(0, size));
  for (const std::string& text : texts) {
    try {
      // An IOR that ends within a profile that is not read yet is one, too; it is not nil.
      EXPECT_NE(orb()->string_to_object(text), nullptr) << text;
      ADD_FAILURE() << "accepted: " << text;
    } catch (const CORBA::BAD_PARAM& e) {
      EXPECT_EQ(e.minor(), 0x4f57003du) << text;
      EXPECT_NE(e.detail(), "");
    }
  }
}

TEST(MicroOrb, ResolvesInitialReferences) {
  EXPECT_TRUE(orb()->resolve_initial_references("Far")->_is_equivalent(
      orb()->string_to_object("corbaloc::1.2@host:1/far")));
  EXPECT_THROW(orb()->resolve_initial_references("Near"), CORBA::ORB::InvalidName);
  orb()->register_initial_reference("Near", orb()->string_to_object("corbaloc::host/near"));
  EXPECT_NE(orb()->resolve_initial_references("Near"), nullptr);
  EXPECT_THROW(orb()->register_initial_reference("Near", orb()->resolve_initial_references("Far")),
               CORBA::ORB::InvalidName);
  EXPECT_EQ(CORBA::ORB_init(), CORBA::ORB_init());
}

TEST(MicroPoa, ActivatesAServantOnce) {
  const Poa root = poa("RootPOA");
  const auto made = servant();
  const auto id = root->activate_object(made);
  EXPECT_THROW(root->activate_object(made), PortableServer::POA::ServantAlreadyActive);
  EXPECT_EQ(root->servant_to_id(made), id);
  EXPECT_EQ(root->id_to_servant(id).get(), made.get());
  const auto reference = root->id_to_reference(id);
  EXPECT_EQ(reference->_repository_id(), "IDL:MicroTest/Bench:1.0");
  EXPECT_EQ(root->reference_to_id(reference), id);
  EXPECT_THROW(poa("CorbalocPOA")->reference_to_id(reference), PortableServer::POA::WrongAdapter);
  root->deactivate_object(id);
  EXPECT_THROW(root->deactivate_object(id), PortableServer::POA::ObjectNotActive);
  EXPECT_THROW(root->id_to_servant(id), PortableServer::POA::ObjectNotActive);
  root->activate_object_with_id(id, made);
  EXPECT_THROW(root->activate_object_with_id(id, servant()), PortableServer::POA::ObjectAlreadyActive);
}

TEST(MicroPoa, TakesTheIdsOfProgramsInTheCorbalocPoaOnly) {
  const auto id = PortableServer::string_to_ObjectId("fixed");
  EXPECT_THROW(poa("RootPOA")->activate_object_with_id(id, servant()), CORBA::BAD_PARAM);
  EXPECT_THROW(poa("CorbalocPOA")->activate_object(servant()), PortableServer::POA::WrongPolicy);
  EXPECT_THROW(poa("CorbalocPOA")->servant_to_id(servant()), PortableServer::POA::ServantNotActive);
  poa("CorbalocPOA")->activate_object_with_id(id, servant());
  EXPECT_EQ(poa("CorbalocPOA")->reference_to_id(poa("CorbalocPOA")->id_to_reference(id)), id);
}

TEST(MicroPoa, DoesNotTakeAReferenceToAnotherServerForItsOwn) {
  const Poa corbaloc = poa("CorbalocPOA");
  const auto id = PortableServer::string_to_ObjectId("same");
  corbaloc->activate_object_with_id(id, servant());
  const auto other = orb()->string_to_object("corbaloc::1.2@127.0.0.1:1/same");
  EXPECT_THROW(corbaloc->reference_to_id(other), PortableServer::POA::WrongAdapter);
  EXPECT_THROW(corbaloc->reference_to_servant(other), PortableServer::POA::WrongAdapter);
}

TEST(MicroPoa, ActivatesAServantOnceForManyThreads) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 100; ++round) {
    const auto made = servant();
    std::atomic<int> ready{0}, activated{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        ++ready;
        while (ready != kThreads) std::this_thread::yield();
        try {
          poa("RootPOA")->activate_object(made);
          ++activated;
        } catch (const PortableServer::POA::ServantAlreadyActive&) {
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(activated, 1);
  }
}

TEST(MicroPoa, KeepsManyObjects) {
  const Poa root = poa("RootPOA");
  std::vector<PortableServer::ObjectId> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(root->activate_object(servant()));
  for (const auto& id : ids) EXPECT_NE(root->id_to_servant(id), nullptr);
  for (const auto& id : ids) root->deactivate_object(id);
}

TEST(MicroCall, IsMadeWithinTheProcess) {
  poa("RootPOA")->the_POAManager()->activate();
  const auto made = servant();
  const auto bench = made->_this();
  bench->value(7);
  EXPECT_EQ(made->value(), 7);
  EXPECT_THROW(bench->raise_something_else(), CORBA::UNKNOWN);
  for (int i = 0; i < 50; ++i) bench->note(std::to_string(i));
  EXPECT_EQ(bench->notes().size(), 50u) << "the call follows the one-way calls";
}

/// Calls a function when it is called.
class CallingServant final : public virtual CORBA::servant_traits<MicroTest::Listener>::base_type {
 public:
  explicit CallingServant(void (*function)()) : function_(function) {}
  std::int32_t heard(std::int32_t depth) override {
    function_();
    return depth;
  }

 private:
  void (*const function_)();
};

/// Keeps its own reference when it is called.
class SelfServant final : public virtual CORBA::servant_traits<MicroTest::Listener>::base_type {
 public:
  std::int32_t heard(std::int32_t depth) override {
    self = _this();
    return depth;
  }
  CORBA::object_reference<MicroTest::Listener> self;
};

TEST(MicroCall, GivesAServantOfTheCorbalocPoaItsObjectWithinTheProcess) {
  const Poa corbaloc = poa("CorbalocPOA");
  corbaloc->the_POAManager()->activate();
  const auto id = PortableServer::string_to_ObjectId("self");
  const auto made = CORBA::make_reference<SelfServant>();
  corbaloc->activate_object_with_id(id, made);
  IDL::traits<MicroTest::Listener>::narrow(corbaloc->id_to_reference(id))->heard(0);
  EXPECT_EQ(corbaloc->reference_to_id(made->self), id);
}

TEST(MicroCall, MustNotWaitForTheEndOfAllCallsWithinTheProcess) {
  poa("RootPOA")->the_POAManager()->activate();
  for (void (*const wait)() : {+[] { orb()->shutdown(true); }, +[] { orb()->destroy(); },
                               +[] { poa("RootPOA")->the_POAManager()->hold_requests(true); }}) {
    const auto made = CORBA::make_reference<CallingServant>(wait);
    const auto listener = made->_this();
    EXPECT_THROW(listener->heard(0), CORBA::BAD_INV_ORDER);
  }
  EXPECT_NE(orb()->resolve_initial_references("RootPOA"), nullptr) << "the ORB is not shut down";
}

TEST(MicroCall, RaisesTransientIfNothingListens) {
  const auto object = orb()->string_to_object("corbaloc::127.0.0.1:1/nobody");
  EXPECT_THROW(object->_is_a("IDL:X:1.0"), CORBA::TRANSIENT);
}

}  // namespace
