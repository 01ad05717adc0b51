// Priorities in messages and references, byte by byte, as peers without this library write and read them.
#include "realtime/testing/raw_messages.h"
#include "realtime/testing/real_time_orb.h"

namespace orbtest {
namespace {

using giop::context_id::kRtPriority;
using ::testing::ElementsAre;
using ::testing::Optional;

/// A server called by a peer without an ORB.
struct RealTimeReplies : ::testing::Test {
  RealTimeOrb server{Options{"-ORBListen", "tcp:127.0.0.1:0"}};
  const PriorityServantRef servant = CORBA::make_reference<PriorityServant>(server.current);
  const std::string reference =
      server.activate(server.poa("propagating", {server.client_propagated(2000)}), servant);
  const Octets key = where(reference).key;
  RawPeer peer = RawPeer::to(where(reference).port);

  std::optional<ReceivedReply> call(const Contexts& contexts, std::uint8_t minor_version = 2,
                                    const char* operation = "twice") {
    peer.sends(request_with(key, contexts, minor_version, operation));
    return reply_of(peer.receives());
  }
};

TEST_F(RealTimeReplies, HaveThePriorityOfTheRequest) {
  for (const std::uint8_t version : Octets{2, 1, 0}) {
    SCOPED_TRACE(static_cast<int>(version));
    // As a big-endian peer writes it: the reply has this machine's byte order.
    const auto reply = call({{kRtPriority, {0, 0, 0x01, 0x2c}}}, version);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->result, 42);
    EXPECT_THAT(reply->contexts, ElementsAre(std::pair(kRtPriority, Octets{1, 0, 0x2c, 0x01})));
    EXPECT_EQ(servant->take_priority(), 300);
  }
}

TEST_F(RealTimeReplies, HaveThePriorityOfTheRequestIfItIsAboveTheCeiling) {
  const auto reply = call({{kRtPriority, {0, 0, 0x7f, 0xff}}});
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->contexts, ElementsAre(std::pair(kRtPriority, Octets{1, 0, 0xff, 0x7f})));
  EXPECT_EQ(servant->take_priority(), 2000);
}

TEST_F(RealTimeReplies, WithoutResultsHaveItToo) {
  const auto reply = call({{kRtPriority, {1, 0, 0x2c, 0x01}}}, 2, "_set_value");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, giop::ReplyStatus::no_exception);
  EXPECT_THAT(reply->contexts, ElementsAre(std::pair(kRtPriority, Octets{1, 0, 0x2c, 0x01})));
}

TEST_F(RealTimeReplies, HaveNoneIfTheRequestHasNone) {
  const auto reply = call({});
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->contexts.empty());
  EXPECT_EQ(servant->take_priority(), 2000);
}

TEST_F(RealTimeReplies, RejectAMalformedPriority) {
  for (const Octets& data :
       {Octets{}, Octets{1}, Octets{1, 0, 5}, Octets{2, 0, 5, 0}, Octets{1, 0, 0xff, 0xff}}) {
    const auto reply = call({{kRtPriority, data}});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, giop::ReplyStatus::system_exception);
    EXPECT_EQ(servant->take_priority(), kNone) << "not executed";
  }
  EXPECT_EQ(call({})->result, 42) << "over the same connection";
}

TEST_F(RealTimeReplies, OfDeclaredPrioritiesHaveNone) {
  const std::string declared =
      server.activate(server.poa("declaring", {server.server_declared(300)}), servant);
  peer.sends(request_with(where(declared).key, {{kRtPriority, {1, 0, 5, 0}}}));
  const auto reply = reply_of(peer.receives());
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->contexts.empty());
  EXPECT_EQ(servant->take_priority(), 300);
}

/// A client that calls a peer without an ORB, which replies as TAO does: with the context of the request.
struct RealTimeRequests : ::testing::Test {
  /// The contexts of the requests that `calls` makes.
  std::vector<Contexts> sent(const std::vector<giop::PolicyValue>& policies,
                             const std::function<void(CallsRef)>& calls) {
    std::vector<Contexts> all;
    {
      RawServer server([&](RawPeer& peer) {
        while (const auto message = peer.receives()) {
          giop::MessageHeader header;
          giop::RequestHeader request;
          if (!giop::read_header(*message, header) || header.type != giop::MessageType::request) break;
          orbweaver::cdr::Decoder in = giop::open_body(*message, header);
          if (!giop::decode_request(in, header.version, request)) break;
          all.push_back(copied(request.contexts));
          if (!request.response_expected()) continue;
          std::vector<giop::ServiceContext> contexts;
          for (const giop::ServiceContext& each : request.contexts) contexts.push_back(each);
          Octets reply;
          orbweaver::cdr::Encoder out(reply);
          giop::encode_reply(out, header.version, request.request_id, giop::ReplyStatus::no_exception,
                             contexts, giop::Body::follows);
          out.put(std::int32_t{42});
          EXPECT_TRUE(giop::finish_message(out));
          reply.resize(out.size());
          peer.sends(reply);
        }
      });
      calls(client.unchecked(with_policies(server.reference(), policies)));
      client.destroy();
    }
    return all;
  }

  RealTimeOrb client{Options{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"}};
};

TEST_F(RealTimeRequests, CarryThePriorityOfTheThread) {
  const auto contexts = sent({{40, {1, 0, 0, 0, 0, 0, 0, 0, 5, 0}}}, [&](const CallsRef& calls) {
    at_priority(client, 300, [&] {
      EXPECT_EQ(calls->twice(21), 42);
      calls->note(1);
      client.current->the_priority(5);
      EXPECT_EQ(calls->twice(21), 42);
    });
    at_priority(client, kNone, [&] { EXPECT_EQ(calls->twice(21), 42); });
  });
  const Contexts at_300 = {{kRtPriority, {1, 0, 0x2c, 0x01}}}, at_5 = {{kRtPriority, {1, 0, 5, 0}}};
  EXPECT_THAT(contexts, ElementsAre(at_300, at_300, at_5, Contexts{}));
}

TEST_F(RealTimeRequests, CarryNothingIfTheServerDeclaresPriorities) {
  const auto contexts = sent({{40, {1, 0, 0, 0, 1, 0, 0, 0, 5, 0}}}, [&](const CallsRef& calls) {
    at_priority(client, 300, [&] { EXPECT_EQ(calls->twice(21), 42); });
  });
  EXPECT_THAT(contexts, ElementsAre(Contexts{}));
}

TEST_F(RealTimeRequests, CarryNothingForAMalformedModel) {
  const auto contexts = sent({{40, {1, 0, 0, 0, 9, 0, 0, 0, 5, 0}}, {41, {}}}, [&](const CallsRef& calls) {
    at_priority(client, 300, [&] { EXPECT_EQ(calls->twice(21), 42); });
  });
  EXPECT_THAT(contexts, ElementsAre(Contexts{}));
}

TEST_F(RealTimeRequests, AreTheSameInAProgramWithoutPriorities) {
  TestOrb plain(Options{"-ORBTransportPreference", "tcp"});
  const auto contexts = sent({{40, {1, 0, 0, 0, 0, 0, 0, 0, 5, 0}}}, [&](const CallsRef& calls) {
    EXPECT_EQ(plain.unchecked(client.orb->object_to_string(calls))->twice(21), 42);
    plain.destroy();
  });
  EXPECT_THAT(contexts, ElementsAre(Contexts{}));
}

/// The component TAG_POLICIES of the first profile.
std::optional<Octets> policies_of(const std::string& reference) {
  const auto ior = giop::parse_ior(reference);
  const auto profile = giop::decode_iiop_profile(ior->profiles.front().data);
  const auto* const component = giop::find(profile->components, giop::component_tag::kPolicies);
  return component == nullptr ? std::nullopt : std::optional(component->data);
}

TEST(RealTimeReferences, ContainThePolicies) {
  RealTimeOrb orb;
  const auto reference = [&](const CORBA::PolicyList& policies) {
    static int count = 0;
    const auto poa = orb.poa("poa " + std::to_string(++count), policies);
    return orb.orb->object_to_string(poa->create_reference("IDL:X:1.0"));
  };
  const Octets model = {1,  0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0,  // one policy, of type 40
                        10, 0, 0, 0, 1, 0, 0, 0, 0,  0, 0, 0, 7, 0};
  EXPECT_THAT(policies_of(reference({orb.client_propagated(7)})), Optional(model));
  Octets declared = model;
  declared[20] = 1;  // SERVER_DECLARED
  EXPECT_THAT(policies_of(reference({orb.server_declared(7)})), Optional(declared));
  EXPECT_EQ(policies_of(reference({})), std::nullopt);
  const auto bands = orb.rt->create_priority_banded_connection_policy({{0, 99}, {100, 200}});
  const Octets both = {1, 0, 0, 0, 2, 0, 0, 0, 40, 0, 0,  0, 10,  0, 0,   0, 1, 0,
                       0, 0, 0, 0, 0, 0, 7, 0, 0,  0, 45, 0, 0,   0, 16,  0, 0, 0,  // and of type 45
                       1, 0, 0, 0, 2, 0, 0, 0, 0,  0, 99, 0, 100, 0, 200, 0};
  EXPECT_THAT(policies_of(reference({orb.client_propagated(7), bands})), Optional(both));
}

}  // namespace
}  // namespace orbtest
