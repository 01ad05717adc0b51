// Interceptors of clients.
#include <orbweaver/forward_request.h>

#include "giop/control_messages.h"
#include "interceptors/testing/intercepted_orb.h"
#include "orb/minor_codes.h"
#include "testing/raw_peer.h"

namespace orbtest {
namespace {

using ::testing::ElementsAre;

/// A client with interceptors, and a server without.
struct ClientInterceptors : ::testing::Test {
  RecordedOrb client{{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"}};
  TestOrb server;
  ServantRef servant = CORBA::make_reference<Servant>();
  CallsRef calls = client.orb.unchecked(server.serve(servant));
};

TEST_F(ClientInterceptors, AreCalledInOrderAndAtTheEndInReverse) {
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_THAT(client.log.take(), ElementsAre("A send_request twice", "B send_request twice",
                                             "B receive_reply twice", "A receive_reply twice"));
}

TEST_F(ClientInterceptors, SeeTheRequest) {
  client.client_a->on["receive_reply"] = [&](const ClientInfo& info) {
    EXPECT_TRUE(info->response_expected());
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_TARGET);
    EXPECT_EQ(info->reply_status(), pi::SUCCESSFUL);
    EXPECT_TRUE(info->target()->_is_equivalent(calls));
    EXPECT_TRUE(info->effective_target()->_is_equivalent(calls));
    EXPECT_EQ(info->effective_profile().tag(), IOP::TAG_INTERNET_IOP);
    EXPECT_EQ(info->get_effective_component(0).component_data().size(), 8u);  // TAG_ORB_TYPE
    EXPECT_EQ(info->get_effective_components(1).size(), 1u);                  // TAG_CODE_SETS
    EXPECT_EQ(raised([&] { info->get_effective_component(4711); }), "BAD_PARAM 28");
    EXPECT_EQ(raised([&] { info->get_reply_service_context(4711); }), "BAD_PARAM 26");
    EXPECT_EQ(raised([&] { info->get_request_policy(4711); }), "INV_POLICY 2");
    EXPECT_TRUE(info->get_request_policy(Messaging::SYNC_SCOPE_POLICY_TYPE));
  };
  calls->twice(2);
  EXPECT_EQ(client.log.size(), 4u);
}

TEST_F(ClientInterceptors, SeeAUserExceptionByItsId) {
  client.client_b->on["receive_exception"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::USER_EXCEPTION);
    EXPECT_EQ(info->received_exception_id(), "IDL:OrbTest/Refused:1.0");
    EXPECT_EQ(info->received_exception().type()->id(), "IDL:omg.org/CORBA/UNKNOWN:1.0");
  };
  EXPECT_THROW(calls->greet(""), OrbTest::Refused);
  EXPECT_THAT(client.log.take(), ElementsAre("A send_request greet", "B send_request greet",
                                             "B receive_exception greet", "A receive_exception greet"));
}

TEST_F(ClientInterceptors, SeeASystemExceptionAndItsMembers) {
  client.client_b->on["receive_exception"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::SYSTEM_EXCEPTION);
    EXPECT_EQ(info->received_exception_id(), "IDL:omg.org/CORBA/BAD_PARAM:1.0");
    std::ostringstream text;
    text << info->received_exception();
    EXPECT_THAT(text.str(), ::testing::HasSubstr("minor: 12"));
    EXPECT_THAT(text.str(), ::testing::HasSubstr("COMPLETED_YES"));
  };
  EXPECT_EQ(raised([&] { calls->raise_system(12, "text"); }), "BAD_PARAM 12");
  EXPECT_EQ(client.log.size(), 4u);
}

TEST_F(ClientInterceptors, ChangeTheException) {
  client.client_b->on["receive_exception"] = [](const ClientInfo&) { throw CORBA::INTERNAL(7); };
  client.client_a->on["receive_exception"] = [](const ClientInfo& info) {
    EXPECT_EQ(info->received_exception_id(), "IDL:omg.org/CORBA/INTERNAL:1.0");
  };
  EXPECT_EQ(raised([&] { calls->greet(""); }), "INTERNAL 7");
  client.client_b->on.clear();
  client.client_b->on["receive_reply"] = [](const ClientInfo&) { throw CORBA::NO_PERMISSION(8); };
  client.client_a->on.clear();
  client.log.take();
  EXPECT_EQ(raised([&] { calls->twice(1); }), "NO_PERMISSION 8");
  EXPECT_THAT(client.log.take(), ElementsAre("A send_request twice", "B send_request twice",
                                             "B receive_reply twice", "A receive_exception twice"));
}

TEST_F(ClientInterceptors, ReplaceOtherExceptionsOfInterceptorsByUnknown) {
  client.client_b->on["receive_reply"] = [](const ClientInfo&) { throw std::runtime_error("broken"); };
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { calls->twice(1); }, orbweaver::minor::kCppException),
              ::testing::HasSubstr("'B' raised a C++ exception: broken"));
  client.client_b->on["receive_reply"] = [](const ClientInfo&) { throw OrbTest::Refused("no", 1); };
  EXPECT_EQ(raised([&] { calls->twice(1); }), "UNKNOWN 1");
}

TEST_F(ClientInterceptors, PreventTheRequest) {
  client.client_b->on["send_request"] = [](const ClientInfo&) { throw CORBA::NO_PERMISSION(3); };
  EXPECT_EQ(raised([&] { calls->note(5); }), "NO_PERMISSION 3");
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request note", "B send_request note", "A receive_exception note"));
  client.client_b->on.clear();
  EXPECT_THAT(calls->notes(), ::testing::IsEmpty());
}

TEST_F(ClientInterceptors, ForwardTheRequest) {
  const ServantRef other = CORBA::make_reference<Servant>("other");
  const ObjectRef there = client.orb.orb->string_to_object(server.serve(other));
  int forwarded = 0;
  client.client_b->on["send_request"] = [&](const ClientInfo& info) {
    if (forwarded++ == 0) throw pi::ForwardRequest(there);
    EXPECT_TRUE(info->effective_target()->_is_equivalent(there));
    EXPECT_TRUE(info->target()->_is_equivalent(calls));
  };
  client.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::LOCATION_FORWARD);
    EXPECT_TRUE(info->forward_reference()->_is_equivalent(there));
  };
  EXPECT_EQ(calls->greet("x"), "Hello, x!");
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request greet", "B send_request greet", "A receive_other greet",
                          "A send_request greet", "B send_request greet", "B receive_reply greet",
                          "A receive_reply greet"));
  EXPECT_EQ(calls->name(), "other");
}

TEST_F(ClientInterceptors, RepeatAFailedRequestElsewhere) {
  const ServantRef other = CORBA::make_reference<Servant>("other");
  const ObjectRef there = client.orb.orb->string_to_object(server.serve(other));
  client.client_a->on["receive_exception"] = [&](const ClientInfo&) { throw pi::ForwardRequest(there); };
  server.root->deactivate_object(server.root->servant_to_id(servant));
  EXPECT_EQ(calls->name(), "other");
}

TEST_F(ClientInterceptors, GiveUpARequestThatTheyForwardForever) {
  client.client_a->on["send_request"] = [&](const ClientInfo&) { throw pi::ForwardRequest(calls); };
  EXPECT_EQ(raised([&] { calls->twice(1); }), "TRANSIENT 32");
}

TEST_F(ClientInterceptors, CannotForwardToNil) {
  client.client_a->on["send_request"] = [&](const ClientInfo&) { throw pi::ForwardRequest(); };
  EXPECT_EQ(raised([&] { calls->twice(1); }), "INV_OBJREF 110");
}

TEST_F(ClientInterceptors, SeeThatAServantForwardsTheRequest) {
  class Mover final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
   public:
    explicit Mover(ObjectRef to) : to_(std::move(to)) {}
    std::int32_t twice(std::int32_t) override { throw PortableServer::ForwardRequest(to_); }

   private:
    const ObjectRef to_;
  };
  const auto mover = CORBA::make_reference<Mover>(server.root->servant_to_reference(servant));
  server.root->activate_object(mover);
  const CallsRef moved =
      client.orb.unchecked(server.orb->object_to_string(server.root->servant_to_reference(mover)));
  client.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::LOCATION_FORWARD);
    EXPECT_TRUE(info->forward_reference()->_is_equivalent(calls));
  };
  EXPECT_EQ(moved->twice(4), 8);
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request twice", "B send_request twice", "B receive_other twice",
                          "A receive_other twice", "A send_request twice", "B send_request twice",
                          "B receive_reply twice", "A receive_reply twice"));
}

TEST_F(ClientInterceptors, SeeThatARequestIsSentAgain) {
  int connections = 0;
  RawServer raw([&](RawPeer& peer) {
    const auto request = peer.receives();
    if (!request) return;
    if (++connections == 1) {
      const auto close = orbweaver::giop::close_connection({1, 2});
      return peer.sends({close.begin(), close.end()});
    }
    Message answer = reply((*request)[12]);
    peer.sends(answer.ulong(6).bytes());
    peer.receives();
  });
  const CallsRef other = client.orb.unchecked(raw.reference());
  client.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::TRANSPORT_RETRY);
    EXPECT_EQ(raised([&] { info->forward_reference(); }), "BAD_INV_ORDER 14");
  };
  EXPECT_EQ(other->twice(3), 6);
  EXPECT_EQ(connections, 2);
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request twice", "B send_request twice", "B receive_other twice",
                          "A receive_other twice", "A send_request twice", "B send_request twice",
                          "B receive_reply twice", "A receive_reply twice"));
  client.orb.destroy();  // closes the connection that the raw server reads
}

TEST_F(ClientInterceptors, SeeThatThereIsNoServer) {
  server.destroy();
  EXPECT_THROW(calls->twice(1), CORBA::TRANSIENT);
  EXPECT_THAT(client.log.take(), ElementsAre("A send_request twice", "B send_request twice",
                                             "B receive_exception twice", "A receive_exception twice"));
}

TEST_F(ClientInterceptors, SeeOneWayCalls) {
  client.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::SUCCESSFUL);
    EXPECT_FALSE(info->response_expected());
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_TRANSPORT);
  };
  calls->note(1);
  EXPECT_THAT(client.log.take(), ElementsAre("A send_request note", "B send_request note",
                                             "B receive_other note", "A receive_other note"));
  CORBA::Any scope;
  scope <<= Messaging::SYNC_WITH_SERVER;
  const auto synchronous = CallsRef::adopt(OrbTest::Calls::_make(
      calls
          ->_set_policy_overrides({client.orb.orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, scope)},
                                  CORBA::SetOverrideType::ADD_OVERRIDE)
          ->_reference()));
  client.client_a->on["receive_reply"] = [&](const ClientInfo& info) {
    EXPECT_TRUE(info->response_expected());
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_SERVER);
  };
  synchronous->note(2);
  EXPECT_THAT(client.log.take(), ElementsAre("A send_request note", "B send_request note",
                                             "B receive_reply note", "A receive_reply note"));
  client.client_a->on.clear();
  EXPECT_THAT(calls->notes(), ElementsAre(1, 2));
}

TEST_F(ClientInterceptors, SeeLargeCalls) {
  client.client_a->on["send_request"] = [&](const ClientInfo& info) {
    info->add_request_service_context(IOP::ServiceContext(0x4f570001, OctetSeq(3)), false);
  };
  const OctetSeq data(1 << 20, 7);
  EXPECT_EQ(calls->echo(data), data);
  const std::vector<double> samples(100'000, 0.5);
  EXPECT_EQ(calls->sum(samples), 50'000);
}

TEST_F(ClientInterceptors, HaveInfosOfOneRequestOnly) {
  ClientInfo kept;
  client.client_a->on["send_request"] = [&](const ClientInfo& info) { kept = info; };
  calls->twice(1);
  EXPECT_EQ(raised([&] { kept->operation(); }), "BAD_INV_ORDER 14");
  EXPECT_EQ(raised([&] { kept->target(); }), "BAD_INV_ORDER 14");
}

TEST_F(ClientInterceptors, AddContextsOnceOfEachKind) {
  client.client_a->on["send_request"] = [&](const ClientInfo& info) {
    info->add_request_service_context(IOP::ServiceContext(77, {1}), false);
    EXPECT_EQ(raised([&] { info->add_request_service_context(IOP::ServiceContext(77, {2}), false); }),
              "BAD_INV_ORDER 15");
    info->add_request_service_context(IOP::ServiceContext(77, {3}), true);
  };
  client.client_b->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->get_request_service_context(77).context_data(), OctetSeq{3});
    EXPECT_EQ(raised([&] { info->get_request_service_context(78); }), "BAD_PARAM 26");
  };
  calls->twice(1);
  EXPECT_EQ(client.log.size(), 4u);
}

/// Calls each function of the info at each point, and compares with the table of the standard.
TEST_F(ClientInterceptors, RaiseBadInvOrderAtOtherPoints) {
  using Function = std::function<void(pi::ClientRequestInfo&)>;
  struct Row {
    const char* name;
    std::string valid;  // of: s (send_request), r (receive_reply), e (receive_exception), o (receive_other)
    Function call;
  };
  const std::vector<Row> table = {
      {"request_id", "sreo", [](auto& i) { i.request_id(); }},
      {"operation", "sreo", [](auto& i) { i.operation(); }},
      {"arguments", "sr", [](auto& i) { i.arguments(); }},
      {"exceptions", "sreo", [](auto& i) { i.exceptions(); }},
      {"contexts", "sreo", [](auto& i) { i.contexts(); }},
      {"operation_context", "sreo", [](auto& i) { i.operation_context(); }},
      {"result", "r", [](auto& i) { i.result(); }},
      {"response_expected", "sreo", [](auto& i) { i.response_expected(); }},
      {"sync_scope", "sreo", [](auto& i) { i.sync_scope(); }},
      {"reply_status", "reo", [](auto& i) { i.reply_status(); }},
      {"get_slot", "sreo", [](auto& i) { i.get_slot(0); }},
      {"get_request_service_context", "sreo", [](auto& i) { i.get_request_service_context(1); }},
      {"get_reply_service_context", "reo", [](auto& i) { i.get_reply_service_context(1); }},
      {"target", "sreo", [](auto& i) { i.target(); }},
      {"effective_target", "sreo", [](auto& i) { i.effective_target(); }},
      {"effective_profile", "sreo", [](auto& i) { i.effective_profile(); }},
      {"received_exception", "e", [](auto& i) { i.received_exception(); }},
      {"received_exception_id", "e", [](auto& i) { i.received_exception_id(); }},
      {"get_effective_component", "sreo", [](auto& i) { i.get_effective_component(0); }},
      {"get_effective_components", "sreo", [](auto& i) { i.get_effective_components(0); }},
      {"get_request_policy", "sreo",
       [](auto& i) { i.get_request_policy(Messaging::SYNC_SCOPE_POLICY_TYPE); }},
      {"add_request_service_context", "s",
       [](auto& i) { i.add_request_service_context(IOP::ServiceContext(99), true); }},
  };
  int points = 0;
  const auto check = [&](char point) {
    return [&, point](const ClientInfo& info) {
      ++points;
      for (const Row& row : table) {
        const std::string result = raised([&] { row.call(*info); });
        EXPECT_EQ(result != "BAD_INV_ORDER 14", row.valid.find(point) != std::string::npos)
            << row.name << " at " << point << ": " << result;
      }
    };
  };
  client.client_a->on = {{"send_request", check('s')},
                         {"receive_reply", check('r')},
                         {"receive_exception", check('e')},
                         {"receive_other", check('o')}};
  calls->twice(1);
  EXPECT_THROW(calls->greet(""), OrbTest::Refused);
  calls->note(1);
  EXPECT_EQ(points, 6);
}

TEST_F(ClientInterceptors, SayThatStubsDoNotTellArguments) {
  client.client_a->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_EQ(raised([&] { info->arguments(); }), "NO_RESOURCES 1");
    EXPECT_EQ(raised([&] { info->contexts(); }), "NO_RESOURCES 1");
  };
  calls->twice(1);
  EXPECT_EQ(client.log.size(), 4u);
}

TEST_F(ClientInterceptors, SeeOperationsOfObject) {
  client.client_a->records_operation_of_object = true;
  EXPECT_FALSE(calls->_non_existent());
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request _non_existent", "A receive_reply _non_existent"));
}

TEST_F(ClientInterceptors, AreDestroyedWithTheOrb) {
  client.orb.destroy();
  EXPECT_THAT(client.log.take(), ElementsAre("A destroy", "B destroy", "A destroy", "B destroy"));
}

TEST_F(ClientInterceptors, GetTheSlotsOfTheThread) {
  const auto current = client.current();
  current->set_slot(client.slot, any_of(1));
  client.client_a->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_EQ(number_in(info->get_slot(client.slot)), 1);
    EXPECT_EQ(number_in(current->get_slot(client.slot)), 1);
    current->set_slot(client.slot, any_of(2));  // of this interceptor
  };
  client.client_b->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_EQ(number_in(info->get_slot(client.slot)), 1);
    EXPECT_EQ(raised([&] { info->get_slot(client.slot + 1); }), "PortableInterceptor::InvalidSlot");
  };
  client.client_a->on["receive_reply"] = [&](const ClientInfo&) {
    current->set_slot(client.slot, any_of(3));
  };
  calls->twice(1);
  EXPECT_EQ(number_in(current->get_slot(client.slot)), 1);
  EXPECT_EQ(raised([&] { current->get_slot(client.slot + 1); }), "PortableInterceptor::InvalidSlot");
}

/// Calls of interceptors have interceptors, too: a slot ends the recursion.
TEST_F(ClientInterceptors, MakeCallsOfTheirOwn) {
  const auto current = client.current();
  client.client_a->on["send_request"] = [&](const ClientInfo& info) {
    if (number_in(info->get_slot(client.slot)) == 1) return;
    current->set_slot(client.slot, any_of(1));
    EXPECT_EQ(calls->twice(5), 10);
  };
  EXPECT_EQ(calls->greet("x"), "Hello, x!");
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request greet", "A send_request twice", "B send_request twice",
                          "B receive_reply twice", "A receive_reply twice", "B send_request greet",
                          "B receive_reply greet", "A receive_reply greet"));
  EXPECT_TRUE(current->get_slot(client.slot)._empty());
}

}  // namespace
}  // namespace orbtest
