// One servant for all objects of a POA that are not active.
#include <gtest/gtest.h>
#include <malloc.h>

#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "poa/testing/item_servant.h"

namespace poatest {
namespace {

using Retention = ps::ServantRetentionPolicyValue;
using Processing = ps::RequestProcessingPolicyValue;
namespace minor = orbweaver::minor;

PoaRef one_servant_poa(TestOrb& server, Retention retention, const std::string& name = "channels") {
  return orbtest::make_poa(server.root, name,
                           policies(server.root, retention, Processing::USE_DEFAULT_SERVANT));
}

struct DefaultServantPerThreadMode : PerThreadMode {};

TEST_P(DefaultServantPerThreadMode, ServesEveryId) {
  const PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN);
  poa->set_servant(make_item(server));
  for (TestOrb* const caller : {&client, &server}) {
    for (int i = 0; i < 5; ++i) {
      const ItemRef object = item(*caller, server, poa, "id " + std::to_string(i));
      // Repeated calls send equal headers, of which the second is served as cached.
      for (int again = 0; again < 3; ++again)
        EXPECT_EQ(object->describe(), "servant channels/id " + std::to_string(i));
      EXPECT_FALSE(object->_non_existent());
    }
  }
}
POATEST_THREAD_MODES(DefaultServantPerThreadMode);

struct DefaultServant : ::testing::Test {
  TestOrb server, client{Options{"-ORBTransportPreference", "unix"}};
};

TEST_F(DefaultServant, ServesOnlyObjectsThatAreNotActive) {
  const PoaRef poa = one_servant_poa(server, Retention::RETAIN);
  const ItemServantRef others = make_item(server, "others"), own = make_item(server, "own");
  poa->set_servant(others);
  const ItemRef object = item(client, server, poa, "a");
  EXPECT_EQ(object->describe(), "others channels/a");
  poa->activate_object_with_id(object_id("a"), own);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(object->describe(), "own channels/a");
  EXPECT_EQ(item(client, server, poa, "b")->describe(), "others channels/b");
  poa->deactivate_object(object_id("a"));
  EXPECT_EQ(object->describe(), "others channels/a");
}

TEST_F(DefaultServant, IsReturnedForInactiveIds) {
  const PoaRef poa = one_servant_poa(server, Retention::RETAIN);
  const ItemServantRef servant = make_item(server);
  EXPECT_THROW(poa->id_to_servant({1}), ps::POA::ObjectNotActive);
  poa->set_servant(servant);
  EXPECT_EQ(poa->get_servant().get(), servant.get());
  EXPECT_EQ(poa->id_to_servant({1}).get(), servant.get());
  EXPECT_EQ(poa->reference_to_servant(poa->create_reference_with_id({1}, "IDL:PoaTest/Item:1.0")).get(),
            servant.get());
  EXPECT_TRUE(raises<CORBA::BAD_PARAM>(minor::kNilArgument, [&] { poa->set_servant(nullptr); }));
}

TEST_F(DefaultServant, IsNeededByRequests) {
  const PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN);
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef object = item(*caller, server, poa, "a");
    EXPECT_TRUE(raises<CORBA::OBJ_ADAPTER>(minor::kNoDefaultServant, [&] { object->twice(1); }));
  }
}

TEST_F(DefaultServant, KnowsTheObjectOfItsRequest) {
  const PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN);
  const ItemServantRef servant = make_item(server);
  poa->set_servant(servant);
  std::string id, reference;
  servant->on_run = [&] {
    id = ps::ObjectId_to_string(poa->servant_to_id(servant));
    reference = server.orb->object_to_string(servant->_this());
  };
  for (TestOrb* const caller : {&client, &server}) {
    item(*caller, server, poa, "left")->run();
    EXPECT_EQ(id, "left");
    EXPECT_EQ(IDL::traits<PoaTest::Item>::narrow(client.orb->string_to_object(reference))->describe(),
              "servant channels/left");
  }
  EXPECT_THROW(poa->servant_to_id(servant), ps::POA::ServantNotActive);  // not within a request
}

TEST_F(DefaultServant, CompletesItsRequestsAfterItHasBeenReplaced) {
  const PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN);
  std::atomic<bool> ended{false};
  ItemServantRef first = make_item(server, "first");
  ItemServant* const raw = first.get();
  first->on_end = [&] { ended = true; };
  poa->set_servant(first);
  const ItemRef object = item(client, server, poa, "a");
  std::thread caller([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  ASSERT_TRUE(raw->gate.reached_by(1));
  poa->set_servant(make_item(server, "second"));
  first = nullptr;
  EXPECT_EQ(item(server, server, poa, "a")->describe(), "second channels/a");
  EXPECT_FALSE(ended);
  raw->gate.open();
  caller.join();
  EXPECT_TRUE(becomes_true([&] { return ended.load(); }));
}

TEST_F(DefaultServant, IsAwaitedByTheDestructionOfItsPoa) {
  const PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN);
  const ItemServantRef servant = make_item(server);
  poa->set_servant(servant);
  const ItemRef object = item(client, server, poa, "a");
  std::atomic<bool> returned{false};
  std::thread caller([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  std::thread destroyer([&] {
    poa->destroy(false, true);
    returned = true;
  });
  EXPECT_TRUE(becomes_true([&] {
    try {
      item(server, server, poa, "b")->twice(1);
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      return true;
    }
    return false;
  }));
  EXPECT_FALSE(returned);
  servant->gate.open();
  caller.join();
  destroyer.join();
}

TEST_F(DefaultServant, IsReleasedWithItsPoa) {
  PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN);
  std::atomic<bool> ended{false};
  {
    const ItemServantRef servant = make_item(server);
    servant->on_end = [&] { ended = true; };
    poa->set_servant(servant);
  }
  EXPECT_EQ(item(server, server, poa, "a")->twice(1), 2);
  poa->destroy(false, true);
  EXPECT_TRUE(ended);
  const IDL::traits<ps::POA>::weak_ref_type weak = poa;
  poa = nullptr;
  EXPECT_TRUE(weak.expired());
}

TEST_F(DefaultServant, HasOneCallAtATimeWithSingleThreadModel) {
  CORBA::PolicyList with = policies(server.root, Retention::NON_RETAIN, Processing::USE_DEFAULT_SERVANT);
  with.push_back(server.root->create_thread_policy(ps::ThreadPolicyValue::SINGLE_THREAD_MODEL));
  const PoaRef poa = orbtest::make_poa(server.root, "single", with);
  const ItemServantRef servant = make_item(server);
  std::atomic<int> inside{0}, most{0};
  servant->on_run = [&] {
    if (++inside > most) most = inside.load();
    std::this_thread::yield();
    --inside;
  };
  poa->set_servant(servant);
  std::vector<std::thread> callers;
  for (TestOrb* const caller : {&client, &server, &server}) {
    callers.emplace_back([&, caller] {
      const ItemRef object = item(*caller, server, poa, "a");
      for (int i = 0; i < 50; ++i) object->run();
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(most, 1);
}

/// Bytes in use by malloc; 0 under sanitizers, which replace it.
std::size_t allocated() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_F(DefaultServant, ServesTenMillionIdsInTheMemoryOfOne) {
  const PoaRef poa = one_servant_poa(server, Retention::NON_RETAIN, "channels with a rather long name");
  poa->set_servant(make_item(server));
  const ItemRef first = item(server, server, poa, "0000000000000000");
  EXPECT_EQ(first->twice(1), 2);
  const auto key_view = first->_reference()->object_key();
  std::vector<std::uint8_t> key(key_view.begin(), key_view.end());
  orbweaver::orb::ObjectFinder& finder = *first->_reference()->core().finder();
  const std::size_t before = allocated();
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr std::uint64_t kIds = 100'000;  // nothing is counted there
#else
  constexpr std::uint64_t kIds = 10'000'000;
#endif
  std::uint64_t served = 0;
  for (std::uint64_t id = 1; id <= kIds; ++id) {
    std::memcpy(key.data() + key.size() - 16, &id, sizeof id);
    orbweaver::orb::ServantPin pin;
    if (finder.enter(key, pin, true, nullptr, nullptr, "twice") != orbweaver::orb::LookupStatus::found) break;
    served += std::memcmp(key.data() + key.size() - 16, &id, sizeof id) == 0 && pin.unmapped != nullptr;
    finder.leave(pin);
  }
  EXPECT_EQ(served, kIds);
  // References to a part of them, as a program that hands them out creates them.
  for (int i = 0; i < 20'000; ++i)
    poa->create_reference_with_id(object_id(std::to_string(i)), "IDL:PoaTest/Item:1.0");
  EXPECT_LT(allocated(), before + 64 * 1024);
}

}  // namespace
}  // namespace poatest
