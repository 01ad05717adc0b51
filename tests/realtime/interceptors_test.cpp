// Priorities in an ORB with portable interceptors.
#include "interceptors/testing/intercepted_orb.h"
#include "realtime/testing/raw_messages.h"
#include "realtime/testing/real_time_orb.h"

namespace orbtest {
namespace {

using giop::context_id::kRtPriority;
using ::testing::ElementsAre;

TEST(InterceptedPriorities, ArePropagatedAndReturned) {
  RecordedOrb server(Options{"-ORBListen", "tcp:127.0.0.1:0"}),
      client(Options{"-ORBTransportPreference", "tcp"});
  const auto rt = [](RecordedOrb& of) {
    return IDL::traits<RTCORBA::RTORB>::narrow(of.orb.orb->resolve_initial_references("RTORB"));
  };
  const auto current =
      IDL::traits<RTCORBA::Current>::narrow(client.orb.orb->resolve_initial_references("RTCurrent"));
  const auto server_rt = rt(server);
  const auto servant = CORBA::make_reference<PriorityServant>(current);
  const auto pool = server_rt->create_threadpool(0, 1, 0, 5, false, 0, 0);
  const auto model = server_rt->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 2000);
  for (const CORBA::PolicyList& policies :
       {CORBA::PolicyList{model}, CORBA::PolicyList{model, server_rt->create_threadpool_policy(pool)}}) {
    const PoaRef poa = make_poa(server.orb.root, std::to_string(policies.size()), policies);
    const ObjectRef made = poa->id_to_reference(poa->activate_object(
        policies.size() == 1 ? servant : CORBA::make_reference<PriorityServant>(current)));
    const CallsRef calls = client.orb.unchecked(server.orb.orb->object_to_string(made));
    Octets returned;
    client.client_a->on["receive_reply"] = [&](ClientInfo info) {
      returned = info->get_reply_service_context(kRtPriority).context_data();
    };
    std::thread([&] {
      current->the_priority(300);
      EXPECT_EQ(calls->twice(1), 2);
    }).join();
    EXPECT_THAT(returned, ElementsAre(1, 0, 0x2c, 0x01));
  }
  EXPECT_EQ(servant->take_priority(), 300);
}

TEST(InterceptedPriorities, LetClientsAnnounceTheirBands) {
  RecordedOrb server(Options{"-ORBListen", "tcp:127.0.0.1:0"});
  RealTimeOrb client(Options{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"});
  const auto rt = IDL::traits<RTCORBA::RTORB>::narrow(server.orb.orb->resolve_initial_references("RTORB"));
  const PoaRef poa = make_poa(server.orb.root, "banded",
                              {rt->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, 2000),
                               rt->create_priority_banded_connection_policy({{100, 300}})});
  const auto servant = CORBA::make_reference<PriorityServant>(client.current);
  const std::string reference =
      server.orb.orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
  RawPeer peer = RawPeer::to(where(reference).port);
  const auto call = [&](const Contexts& contexts, const char* operation) {
    peer.sends(request_with(where(reference).key, contexts, 2, operation));
    const auto reply = reply_of(peer.receives());
    return reply ? reply->status : giop::ReplyStatus::location_forward;
  };
  EXPECT_EQ(call({{giop::context_id::kRtPriorityRange, {1, 0, 100, 0, 0x2c, 0x01}}}, "_bind_priority_band"),
            giop::ReplyStatus::no_exception);
  EXPECT_EQ(call({}, "_bind_priority_band"), giop::ReplyStatus::system_exception);
  EXPECT_EQ(servant->take_priority(), kNone) << "not executed by the servant";
  EXPECT_EQ(call({}, "twice"), giop::ReplyStatus::no_exception);
}

}  // namespace
}  // namespace orbtest
