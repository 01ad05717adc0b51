// Interceptors of calls within one ORB.
#include <orbweaver/forward_request.h>
#include <orbweaver/poa_policies.h>

#include "interceptors/testing/intercepted_orb.h"

namespace orbtest {
namespace {

using ::testing::ElementsAre;

struct CollocatedInterceptors : ::testing::TestWithParam<const char*> {
  RecordedOrb orb{{"-ORBListen", "inproc,tcp", "-ORBThreads", GetParam()}};
  ServantRef servant = CORBA::make_reference<Servant>();
  std::string reference = orb.orb.serve(servant);
  CallsRef calls = orb.orb.unchecked(reference);
};

TEST_P(CollocatedInterceptors, OfClientAndServerAreCalledInTheThreadOfTheCall) {
  const auto caller = std::this_thread::get_id();
  orb.server_b->on["receive_request"] = [&](const ServerInfo&) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  };
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_THAT(orb.log.take(),
              ElementsAre("A send_request twice", "B send_request twice", "A receive_contexts twice",
                          "B receive_contexts twice", "A receive_request twice", "B receive_request twice",
                          "B send_reply twice", "A send_reply twice", "B receive_reply twice",
                          "A receive_reply twice"));
}

TEST_P(CollocatedInterceptors, ExchangeServiceContexts) {
  orb.client_a->on["send_request"] = [&](const ClientInfo& info) {
    info->add_request_service_context(IOP::ServiceContext(0x4f570010, {1, 2, 3}), false);
  };
  orb.server_a->on["send_reply"] = orb.server_a->on["send_exception"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->get_request_service_context(0x4f570010).context_data(), (OctetSeq{1, 2, 3}));
    info->add_reply_service_context(IOP::ServiceContext(0x4f570011, {4}), false);
  };
  orb.client_b->on["receive_reply"] = orb.client_b->on["receive_exception"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->get_reply_service_context(0x4f570011).context_data(), OctetSeq{4});
  };
  EXPECT_EQ(calls->greet("x"), "Hello, x!");
  EXPECT_THROW(calls->greet(""), OrbTest::Refused);
  EXPECT_EQ(orb.log.size(), 20u);
}

TEST_P(CollocatedInterceptors, PassArgumentsAndResults) {
  OrbTest::Record data("r", 7, {{1, 2}, {3, 4}}, {0.5, 1.5});
  std::int32_t counter = 1;
  std::string note;
  EXPECT_EQ(calls->turn(data, counter, note).path().front().x(), 3);
  EXPECT_EQ(counter, 3);
  EXPECT_EQ(note, "r turned");
  EXPECT_EQ(calls->sum(std::vector<double>{1, 2}), 3);
  EXPECT_EQ(calls->same(calls)->twice(4), 8);
  EXPECT_EQ(raised([&] { calls->raise_number(); }), "UNKNOWN 100");
  EXPECT_EQ(raised([&] { calls->raise_system(5, ""); }), "BAD_PARAM 5");
}

TEST_P(CollocatedInterceptors, KeepTheOrderOfOneWayCalls) {
  for (int i = 0; i < 50; ++i) calls->note(i);
  EXPECT_THAT(calls->notes(), ::testing::SizeIs(50));
}

/// A call of an object by itself: through a connection it would wait for itself.
TEST_P(CollocatedInterceptors, AllowRecursionInASingleThreadedPoa) {
  const PoaRef poa =
      make_poa(orb.orb.root, "single",
               {orb.orb.root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  const CallsRef single =
      orb.orb.unchecked(orb.orb.orb->object_to_string(poa->id_to_reference(poa->activate_object(servant))));
  EXPECT_EQ(single->ask(single, 5), 10);
}

TEST_P(CollocatedInterceptors, SeeForwards) {
  const ServantRef other = CORBA::make_reference<Servant>("other");
  const ObjectRef there = orb.orb.orb->string_to_object(orb.orb.serve(other));
  orb.server_a->on["receive_request"] = [&](const ServerInfo& info) {
    if (info->object_id() == orb.orb.root->servant_to_id(servant)) throw pi::ForwardRequest(there);
  };
  orb.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::LOCATION_FORWARD);
  };
  EXPECT_EQ(calls->greet("x"), "Hello, x!");
  EXPECT_THAT(orb.log.take(),
              ElementsAre("A send_request greet", "B send_request greet", "A receive_contexts greet",
                          "B receive_contexts greet", "A receive_request greet", "B send_other greet",
                          "A send_other greet", "B receive_other greet", "A receive_other greet",
                          "A send_request greet", "B send_request greet", "A receive_contexts greet",
                          "B receive_contexts greet", "A receive_request greet", "B receive_request greet",
                          "B send_reply greet", "A send_reply greet", "B receive_reply greet",
                          "A receive_reply greet"));
  EXPECT_EQ(calls->name(), "other");
  // When the other object is gone, the reference's own is called again.
  orb.server_a->on.clear();
  orb.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::TRANSPORT_RETRY);
  };
  orb.orb.root->deactivate_object(orb.orb.root->servant_to_id(other));
  EXPECT_EQ(calls->name(), "servant");
}

TEST_P(CollocatedInterceptors, HaveSlotsOfClientAndServer) {
  const auto current = orb.current();
  current->set_slot(orb.slot, any_of(1));
  orb.server_a->on["receive_contexts"] = [&](const ServerInfo& info) {
    EXPECT_TRUE(info->get_slot(orb.slot)._empty());
    info->set_slot(orb.slot, any_of(2));
  };
  orb.server_b->on["receive_request"] = [&](const ServerInfo&) {
    EXPECT_EQ(number_in(current->get_slot(orb.slot)), 2);
  };
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_EQ(number_in(current->get_slot(orb.slot)), 1);
}

TEST_P(CollocatedInterceptors, SeeOperationsOfObject) {
  orb.client_a->records_operation_of_object = orb.server_a->records_operation_of_object = true;
  EXPECT_FALSE(calls->_is_a("IDL:OrbTest/Other:1.0"));
  EXPECT_FALSE(calls->_non_existent());
  EXPECT_THAT(orb.log.take(), ::testing::Contains("A receive_request _is_a"));
  orb.orb.root->deactivate_object(orb.orb.root->servant_to_id(servant));
  EXPECT_TRUE(calls->_non_existent());
  EXPECT_THROW(calls->twice(1), CORBA::OBJECT_NOT_EXIST);
}

INSTANTIATE_TEST_SUITE_P(Threads, CollocatedInterceptors, ::testing::Values("connection", "pool:2", "single"),
                         [](const auto& mode) {
                           const std::string name = mode.param;
                           return name.substr(0, name.find(':'));
                         });

}  // namespace
}  // namespace orbtest
