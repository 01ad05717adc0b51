// PortableServer::Current, and _this within an operation.
#include <gtest/gtest.h>

#include <orbweaver/request_queue.h>

#include "poa/testing/item_servant.h"

namespace poatest {
namespace {

struct PoaCurrentPerThreadMode : PerThreadMode {
  PoaRef poa = orbtest::make_poa(server.root, "named",
                                 policies(server.root, ps::ServantRetentionPolicyValue::RETAIN,
                                          ps::RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY));
  ItemServantRef servant = make_item(server), other = make_item(server, "other");
  PoaCurrentPerThreadMode() {
    for (const char* each : {"a", "b"}) poa->activate_object_with_id(object_id(each), servant);
    poa->activate_object_with_id(object_id("c"), other);
  }
};

TEST_P(PoaCurrentPerThreadMode, TellsTheObjectsOfAServantApart) {
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef a = item(*caller, server, poa, "a"), b = item(*caller, server, poa, "b");
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(a->describe(), "servant named/a");
      for (int again = 0; again < 3; ++again) EXPECT_EQ(b->describe(), "servant named/b");
    }
  }
}

TEST_P(PoaCurrentPerThreadMode, ReturnsToTheOuterObjectAfterANestedCall) {
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef a = item(*caller, server, poa, "a");
    // The servant calls a collocated object, and one that reaches it over a connection.
    for (TestOrb* const via : {&server, &client}) {
      const ItemRef nested = item(*via, server, poa, "c");
      for (int i = 0; i < 3; ++i) EXPECT_EQ(a->describe_after(nested), "other named/c, servant named/a");
    }
  }
}

TEST_P(PoaCurrentPerThreadMode, HasTheServantAndAReferenceToTheObject) {
  const auto current = poa_current(server);
  struct Seen {
    bool is_servant = false;
    std::string reference, own;
  };
  Guarded<Seen> seen;
  servant->on_run = [&] {
    seen = Seen{current->get_servant().get() == servant.get(),
                server.orb->object_to_string(current->get_reference()),
                server.orb->object_to_string(servant->_this())};
  };
  for (TestOrb* const caller : {&client, &server}) {
    const ItemRef b = item(*caller, server, poa, "b");
    for (int i = 0; i < 3; ++i) {
      seen = Seen{};
      b->run();
      const Seen now = seen.get();
      EXPECT_TRUE(now.is_servant);
      for (const std::string& each : {now.reference, now.own}) {
        EXPECT_EQ(IDL::traits<PoaTest::Item>::narrow(client.orb->string_to_object(each))->describe(),
                  "servant named/b");
      }
    }
  }
}

TEST_P(PoaCurrentPerThreadMode, HasTheObjectOfAQueue) {
  const PoaRef queued =
      orbtest::make_poa(server.root, "queued", {orbweaver::make_request_queue_policy(8, 1 << 20)});
  const ItemServantRef in_queue = make_item(server, "queued");
  const ps::ObjectId its_id = queued->activate_object(in_queue);
  const auto object = IDL::traits<PoaTest::Item>::narrow(
      client.orb->string_to_object(server.orb->object_to_string(queued->id_to_reference(its_id))));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(object->describe(), "queued queued/" + ps::ObjectId_to_string(its_id));
}
POATEST_THREAD_MODES(PoaCurrentPerThreadMode);

TEST(PoaCurrent, HasNoContextOutsideOfOperations) {
  TestOrb server, client;
  const auto current = poa_current(server);
  const auto expect_none = [&] {
    EXPECT_THROW(current->get_POA(), ps::Current::NoContext);
    EXPECT_THROW(current->get_object_id(), ps::Current::NoContext);
    EXPECT_THROW(current->get_reference(), ps::Current::NoContext);
    EXPECT_THROW(current->get_servant(), ps::Current::NoContext);
  };
  expect_none();
  std::atomic<bool> ended{false};
  ItemServantRef servant = make_item(server);
  ItemServant* const raw = servant.get();
  raw->on_end = [&] {
    expect_none();  // in the thread of the connection, after the operation
    ended = true;
  };
  const ps::ObjectId its_id = server.root->activate_object(servant);
  raw->on_run = [&] { server.root->deactivate_object(its_id); };
  const auto object = IDL::traits<PoaTest::Item>::narrow(
      client.orb->string_to_object(server.orb->object_to_string(server.root->id_to_reference(its_id))));
  servant = nullptr;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(object->twice(i), 2 * i);
  object->run();
  EXPECT_TRUE(becomes_true([&] { return ended.load(); }));
  expect_none();
}

TEST(ThisOfAServant, ActivatesItInTheRootPoaOutsideOfOperations) {
  TestOrb server;  // the oldest ORB of this process: _default_POA is its root
  const ItemServantRef servant = make_item(server);
  EXPECT_EQ(servant->_this()->describe().substr(0, 16), "servant RootPOA/");
}

}  // namespace
}  // namespace poatest
