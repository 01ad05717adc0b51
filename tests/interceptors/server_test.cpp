// Interceptors of servers.
#include <orbweaver/forward_request.h>
#include <orbweaver/poa_policies.h>
#include <orbweaver/request_queue.h>
#include <orbweaver/servant_manager.h>

#include <atomic>

#include "interceptors/testing/intercepted_orb.h"
#include "testing/raw_peer.h"

namespace orbtest {
namespace {

using PortableServer::string_to_ObjectId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr IOP::ServiceId kRequestContext = 0x4f570010, kReplyContext = 0x4f570011;

/// A server with interceptors, and a client with interceptors that send and expect a service context.
struct ServerInterceptors : ::testing::TestWithParam<const char*> {
  static Options options() { return {"-ORBListen", "shm,tcp,inproc", "-ORBThreads", GetParam()}; }
  RecordedOrb server{options()};
  TestOrb client{{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"}};
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls = client.unchecked(server.orb.serve(servant));
};

TEST_P(ServerInterceptors, AreCalledInOrderAndAtTheEndInReverse) {
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts twice", "B receive_contexts twice", "A receive_request twice",
                          "B receive_request twice", "B send_reply twice", "A send_reply twice"));
  calls->value(3);  // a reply without results
  EXPECT_EQ(calls->value(), 3);
}

TEST_P(ServerInterceptors, SeeTheRequest) {
  server.server_a->on["receive_request"] = [&](const ServerInfo& info) {
    EXPECT_TRUE(info->response_expected());
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_TARGET);
    EXPECT_EQ(info->object_id(), server.orb.root->servant_to_id(servant));
    EXPECT_EQ(info->adapter_id(), server.orb.root->id());
    EXPECT_THAT(info->adapter_name(), ElementsAre("RootPOA"));
    EXPECT_EQ(info->orb_id(), server.orb.orb->id());
    EXPECT_EQ(info->server_id(), "");
    EXPECT_EQ(info->target_most_derived_interface(), "IDL:OrbTest/Calls:1.0");
    EXPECT_TRUE(info->target_is_a("IDL:OrbTest/Watcher:1.0"));
    EXPECT_FALSE(info->target_is_a("IDL:OrbTest/Other:1.0"));
    EXPECT_EQ(raised([&] { info->get_server_policy(4711); }), "INV_POLICY 3");
    EXPECT_EQ(raised([&] { info->arguments(); }), "NO_RESOURCES 1");
  };
  server.server_a->on["send_reply"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::SUCCESSFUL);
    EXPECT_EQ(info->object_id(), server.orb.root->servant_to_id(servant));
  };
  calls->twice(2);
  EXPECT_THAT(server.log.take(), SizeIs(6));
}

TEST_P(ServerInterceptors, SeeExceptions) {
  server.server_a->on["send_exception"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::USER_EXCEPTION);
    EXPECT_EQ(info->sending_exception().type()->id(), "IDL:omg.org/CORBA/UNKNOWN:1.0");
  };
  EXPECT_THROW(calls->greet(""), OrbTest::Refused);
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts greet", "B receive_contexts greet", "A receive_request greet",
                          "B receive_request greet", "B send_exception greet", "A send_exception greet"));
  server.server_a->on["send_exception"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::SYSTEM_EXCEPTION);
    EXPECT_EQ(info->sending_exception().type()->id(), "IDL:omg.org/CORBA/BAD_PARAM:1.0");
  };
  EXPECT_EQ(raised([&] { calls->raise_system(12, "text"); }), "BAD_PARAM 12");
  server.server_a->on.clear();
  EXPECT_EQ(raised([&] { calls->raise_undeclared(); }), "UNKNOWN 1");
  EXPECT_EQ(raised([&] { calls->raise_standard(); }), "UNKNOWN 100");
  EXPECT_EQ(raised([&] { calls->raise_number(); }), "UNKNOWN 100");
}

TEST_P(ServerInterceptors, ChangeTheReply) {
  server.server_b->on["send_reply"] = [](const ServerInfo&) { throw CORBA::NO_PERMISSION(5); };
  EXPECT_EQ(raised([&] { calls->twice(2); }), "NO_PERMISSION 5");
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts twice", "B receive_contexts twice", "A receive_request twice",
                          "B receive_request twice", "B send_reply twice", "A send_exception twice"));
  server.server_b->on.clear();
  server.server_a->on["send_exception"] = [](const ServerInfo&) { throw CORBA::INTERNAL(6); };
  EXPECT_EQ(raised([&] { calls->greet(""); }), "INTERNAL 6");
}

TEST_P(ServerInterceptors, PreventTheRequest) {
  server.server_b->on["receive_contexts"] = [](const ServerInfo&) { throw CORBA::NO_PERMISSION(5); };
  EXPECT_EQ(raised([&] { calls->value(5); }), "NO_PERMISSION 5");
  server.server_b->on.clear();
  server.log.take();
  server.server_a->on["receive_request"] = [](const ServerInfo&) { throw CORBA::NO_PERMISSION(6); };
  EXPECT_EQ(raised([&] { calls->twice(5); }), "NO_PERMISSION 6");
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts twice", "B receive_contexts twice", "A receive_request twice",
                          "B send_exception twice", "A send_exception twice"));
  server.server_a->on.clear();
  EXPECT_EQ(calls->value(), 0);
}

TEST_P(ServerInterceptors, ForwardTheRequest) {
  TestOrb second;
  const ServantRef other = CORBA::make_reference<Servant>("other");
  const ObjectRef there = server.orb.orb->string_to_object(second.serve(other));
  for (const char* const point : {"receive_contexts", "receive_request", "send_exception"}) {
    server.server_b->on[point] = [&](const ServerInfo&) { throw pi::ForwardRequest(there); };
    server.server_a->on["send_other"] = [&](const ServerInfo& info) {
      EXPECT_EQ(info->reply_status(), pi::LOCATION_FORWARD);
      EXPECT_TRUE(info->forward_reference()->_is_equivalent(there));
    };
    const CallsRef fresh = client.unchecked(server.orb.reference(server.orb.root, servant));
    EXPECT_THROW(fresh->greet(""), OrbTest::Refused) << point;  // of the other object
    EXPECT_EQ(fresh->name(), "other");
    EXPECT_EQ(server.log.take().back(), "A send_other greet");
    server.server_b->on.clear();
  }
}

TEST_P(ServerInterceptors, SeeOneWayCalls) {
  server.server_a->on["send_other"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::SUCCESSFUL);
    EXPECT_FALSE(info->response_expected());
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_TRANSPORT);
    info->add_reply_service_context(IOP::ServiceContext(1), false);
  };
  calls->note(1);
  EXPECT_TRUE(becomes_true([&] { return server.log.size() == 6; }));
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts note", "B receive_contexts note", "A receive_request note",
                          "B receive_request note", "B send_other note", "A send_other note"));
  CORBA::Any scope;
  scope <<= Messaging::SYNC_WITH_SERVER;
  const auto synchronous = CallsRef::adopt(OrbTest::Calls::_make(
      calls
          ->_set_policy_overrides({client.orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, scope)},
                                  CORBA::SetOverrideType::ADD_OVERRIDE)
          ->_reference()));
  synchronous->note_at_gate(2);  // returns before the servant does
  EXPECT_TRUE(servant->gate.reached_by(1));
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return server.log.size() == 6; }));
}

TEST_P(ServerInterceptors, SeeRequestsForObjectsThatDoNotExist) {
  server.orb.root->deactivate_object(server.orb.root->servant_to_id(servant));
  server.server_a->on["send_exception"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->sending_exception().type()->id(), "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
    EXPECT_EQ(raised([&] { info->object_id(); }), "NO_RESOURCES 1");
    EXPECT_EQ(raised([&] { info->adapter_name(); }), "NO_RESOURCES 1");
  };
  EXPECT_THROW(calls->twice(2), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THAT(server.log.take(), ElementsAre("A receive_contexts twice", "B receive_contexts twice",
                                             "B send_exception twice", "A send_exception twice"));
  EXPECT_TRUE(calls->_non_existent());
}

TEST_P(ServerInterceptors, SeeARequestOnceThatAPoaManagerHolds) {
  const PoaRef poa = server.orb.root->create_POA("held", nullptr, {});
  const auto id = poa->activate_object(servant);
  const CallsRef held = client.unchecked(server.orb.orb->object_to_string(poa->id_to_reference(id)));
  std::thread call([&] { EXPECT_EQ(held->twice(3), 6); });
  // Another connection is served meanwhile.
  TestOrb other{{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"}};
  const CallsRef same = other.unchecked(server.orb.reference(server.orb.root, servant));
  for (int i = 0; i < 20; ++i) same->greet("x");
  poa->the_POAManager()->activate();
  call.join();
  const auto lines = server.log.take();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "A receive_contexts twice"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "A send_reply twice"), 1);
}

TEST_P(ServerInterceptors, SeeRequestsInQueuesOnce) {
  const PoaRef poa = make_poa(server.orb.root, "queued", {orbweaver::make_request_queue_policy(10, 1 << 20)});
  const CallsRef queued =
      client.unchecked(server.orb.orb->object_to_string(poa->id_to_reference(poa->activate_object(servant))));
  for (int i = 0; i < 10; ++i) queued->note(i);
  EXPECT_THAT(queued->notes(), SizeIs(10));
  EXPECT_THAT(server.log.take(), SizeIs(11 * 6));
}

class Activator final : public virtual PortableServer::ServantActivator {
 public:
  explicit Activator(Log& log, ServantRef servant) : log_(log), servant_(std::move(servant)) {}
  CORBA::servant_reference<PortableServer::Servant> incarnate(const PortableServer::ObjectId&,
                                                              PoaRef) override {
    log_.add("incarnate");
    return servant_;
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, CORBA::servant_reference<PortableServer::Servant>,
                   bool, bool) override {}

 private:
  Log& log_;
  const ServantRef servant_;
};

TEST_P(ServerInterceptors, GetServiceContextsBeforeServantManagers) {
  using namespace PortableServer;
  const PoaRef root = server.orb.root;
  const PoaRef poa =
      make_poa(root, "managed",
               {root->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
                root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant_manager(CORBA::make_reference<Activator>(server.log, servant));
  const auto object = [&](const char* id) {
    return client.unchecked(server.orb.orb->object_to_string(
        poa->create_reference_with_id(string_to_ObjectId(id), "IDL:OrbTest/Calls:1.0")));
  };
  server.server_b->on["receive_contexts"] = [](const ServerInfo&) { throw CORBA::NO_PERMISSION(9); };
  EXPECT_EQ(raised([&] { object("x")->twice(2); }), "NO_PERMISSION 9");
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts twice", "B receive_contexts twice", "A send_exception twice"));
  server.server_b->on.clear();
  EXPECT_EQ(object("x")->twice(2), 4);
  EXPECT_THAT(server.log.take(),
              ElementsAre("A receive_contexts twice", "B receive_contexts twice", "incarnate",
                          "A receive_request twice", "B receive_request twice", "B send_reply twice",
                          "A send_reply twice"));
}

TEST_P(ServerInterceptors, AddServiceContextsToReplies) {
  RecordedOrb caller{{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"}};
  const CallsRef seen = caller.orb.unchecked(server.orb.reference(server.orb.root, servant));
  caller.client_a->on["send_request"] = [&](const ClientInfo& info) {
    info->add_request_service_context(IOP::ServiceContext(kRequestContext, {1, 2, 3}), false);
  };
  server.server_b->on["receive_contexts"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->get_request_service_context(kRequestContext).context_data(), (OctetSeq{1, 2, 3}));
    EXPECT_EQ(raised([&] { info->get_request_service_context(kReplyContext); }), "BAD_PARAM 26");
    info->add_reply_service_context(IOP::ServiceContext(kReplyContext, {4}), false);
    EXPECT_EQ(raised([&] { info->add_reply_service_context(IOP::ServiceContext(kReplyContext), false); }),
              "BAD_INV_ORDER 15");
  };
  int seen_contexts = 0;
  const auto expect_context = [&](const ClientInfo& info) {
    EXPECT_EQ(info->get_reply_service_context(kReplyContext).context_data(), OctetSeq{4});
    ++seen_contexts;
  };
  caller.client_a->on["receive_reply"] = caller.client_a->on["receive_exception"] = expect_context;
  EXPECT_EQ(seen->twice(2), 4);                                // results that are aligned to 4
  EXPECT_EQ(seen->sum(std::vector<double>{0.5, 0.25}), 0.75);  // and to 8
  seen->value(4);                                              // no results
  EXPECT_THROW(seen->greet(""), OrbTest::Refused);
  EXPECT_EQ(raised([&] { seen->raise_system(3, "text"); }), "BAD_PARAM 3");
  const OctetSeq data(200'000, 9);
  EXPECT_EQ(seen->echo(data), data);
  EXPECT_EQ(seen_contexts, 6);
}

TEST_P(ServerInterceptors, PassSlotsToTheServantAndBack) {
  class Setter final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
   public:
    explicit Setter(RecordedOrb& orb) : orb_(orb) {}
    std::int32_t twice(std::int32_t n) override {
      const auto current = orb_.current();
      const std::int32_t found = number_in(current->get_slot(orb_.slot));
      current->set_slot(orb_.slot, any_of(n));
      return found;
    }

   private:
    RecordedOrb& orb_;
  };
  const auto setter = CORBA::make_reference<Setter>(server);
  server.orb.root->activate_object(setter);
  const CallsRef object =
      client.unchecked(server.orb.orb->object_to_string(server.orb.root->servant_to_reference(setter)));
  const auto current = server.current();
  server.server_a->on["receive_contexts"] = [&](const ServerInfo& info) {
    EXPECT_TRUE(current->get_slot(server.slot)._empty());
    info->set_slot(server.slot, any_of(41));
  };
  server.server_b->on["receive_request"] = [&](const ServerInfo& info) {
    EXPECT_EQ(number_in(current->get_slot(server.slot)), 41);
    EXPECT_EQ(number_in(info->get_slot(server.slot)), 41);
    current->set_slot(server.slot, any_of(42));
  };
  server.server_b->on["send_reply"] = [&](const ServerInfo& info) {
    EXPECT_EQ(number_in(info->get_slot(server.slot)), 43);
    EXPECT_EQ(raised([&] { info->set_slot(server.slot + 1, any_of(1)); }),
              "PortableInterceptor::InvalidSlot");
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(object->twice(43), 42);
  EXPECT_THAT(server.log.take(), SizeIs(18));
}

INSTANTIATE_TEST_SUITE_P(Threads, ServerInterceptors,
                         ::testing::Values("connection", "pool:2", "unordered:2"), [](const auto& mode) {
                           const std::string name = mode.param;
                           return name.substr(0, name.find(':'));
                         });

/// Calls each function of the info at each point, and compares with the table of the standard.
TEST(ServerRequestInfo, RaisesBadInvOrderAtOtherPoints) {
  using Function = std::function<void(pi::ServerRequestInfo&)>;
  struct Row {
    const char* name;
    std::string valid;  // of: c (receive_request_service_contexts), q (receive_request), r, e, o
    Function call;
  };
  const std::vector<Row> table = {
      {"request_id", "cqreo", [](auto& i) { i.request_id(); }},
      {"operation", "cqreo", [](auto& i) { i.operation(); }},
      {"arguments", "qr", [](auto& i) { i.arguments(); }},
      {"exceptions", "qreo", [](auto& i) { i.exceptions(); }},
      {"contexts", "qreo", [](auto& i) { i.contexts(); }},
      {"operation_context", "qr", [](auto& i) { i.operation_context(); }},
      {"result", "r", [](auto& i) { i.result(); }},
      {"response_expected", "cqreo", [](auto& i) { i.response_expected(); }},
      {"sync_scope", "cqreo", [](auto& i) { i.sync_scope(); }},
      {"reply_status", "reo", [](auto& i) { i.reply_status(); }},
      {"forward_reference", "", [](auto& i) { i.forward_reference(); }},  // here, nothing is forwarded
      {"get_slot", "cqreo", [](auto& i) { i.get_slot(0); }},
      {"get_request_service_context", "cqreo", [](auto& i) { i.get_request_service_context(99); }},
      {"get_reply_service_context", "reo", [](auto& i) { i.get_reply_service_context(99); }},
      {"sending_exception", "e", [](auto& i) { i.sending_exception(); }},
      {"object_id", "qreo", [](auto& i) { i.object_id(); }},
      {"adapter_id", "qreo", [](auto& i) { i.adapter_id(); }},
      {"server_id", "qreo", [](auto& i) { i.server_id(); }},
      {"orb_id", "qreo", [](auto& i) { i.orb_id(); }},
      {"adapter_name", "qreo", [](auto& i) { i.adapter_name(); }},
      {"target_most_derived_interface", "q", [](auto& i) { i.target_most_derived_interface(); }},
      {"get_server_policy", "cqreo", [](auto& i) { i.get_server_policy(4711); }},
      {"set_slot", "cqreo", [](auto& i) { i.set_slot(0, {}); }},
      {"target_is_a", "q", [](auto& i) { i.target_is_a("x"); }},
      {"add_reply_service_context", "cqreo",
       [](auto& i) { i.add_reply_service_context(IOP::ServiceContext(98), true); }},
  };
  RecordedOrb server;
  std::atomic<int> points{0};
  const auto check = [&](char point) {
    return [&, point](const ServerInfo& info) {
      ++points;
      for (const Row& row : table) {
        const std::string result = raised([&] { row.call(*info); });
        EXPECT_EQ(result != "BAD_INV_ORDER 14", row.valid.find(point) != std::string::npos)
            << row.name << " at " << point << ": " << result;
      }
    };
  };
  ServerInfo kept;
  server.server_a->on = {{"receive_contexts", check('c')},
                         {"receive_request", check('q')},
                         {"send_reply", check('r')},
                         {"send_exception", check('e')},
                         {"send_other", check('o')}};
  server.server_b->on["receive_request"] = [&](const ServerInfo& info) { kept = info; };
  TestOrb client;
  const ServantRef servant = CORBA::make_reference<Servant>();
  const CallsRef calls = client.unchecked(server.orb.serve(servant));
  calls->twice(1);
  EXPECT_EQ(raised([&] { kept->operation(); }), "BAD_INV_ORDER 14");
  EXPECT_THROW(calls->greet(""), OrbTest::Refused);
  calls->note(1);
  EXPECT_TRUE(becomes_true([&] { return server.log.size() == 18; }));
  EXPECT_EQ(points, 9);
}

TEST(ProcessingMode, SelectsTheRequestsOfAnInterceptor) {
  Log log;
  InterceptedOrb server([&](const InitInfo& info) {
    const auto info31 = IDL::traits<pi::ORBInitInfo_3_1>::narrow(info);
    const auto add = [&](const char* name, pi::ProcessingMode mode) {
      info31->add_server_request_interceptor_with_policy(CORBA::make_reference<ServerRecorder>(log, name),
                                                         {orbweaver::make_processing_mode_policy(mode)});
      info31->add_client_request_interceptor_with_policy(CORBA::make_reference<ClientRecorder>(log, name),
                                                         {orbweaver::make_processing_mode_policy(mode)});
    };
    add("local", pi::LOCAL_ONLY);
    add("remote", pi::REMOTE_ONLY);
    EXPECT_EQ(raised([&] {
                info31->add_client_request_interceptor_with_policy(
                    CORBA::make_reference<ClientRecorder>(log, "x"),
                    {orbweaver::make_transport_preference({"tcp"})});
              }),
              "CORBA::PolicyError");
  });
  TestOrb client{{"-ORBTransportPreference", "tcp"}};
  const ServantRef servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  client.unchecked(reference)->twice(1);
  EXPECT_THAT(log.take(), ElementsAre("remote receive_contexts twice", "remote receive_request twice",
                                      "remote send_reply twice"));
  server.unchecked(reference)->twice(1);
  EXPECT_THAT(log.take(), ElementsAre("local send_request twice", "local receive_contexts twice",
                                      "local receive_request twice", "local send_reply twice",
                                      "local receive_reply twice"));
  EXPECT_EQ(raised([&] { orbweaver::make_processing_mode_policy(3); }), "BAD_PARAM 62");
}

}  // namespace
}  // namespace orbtest
