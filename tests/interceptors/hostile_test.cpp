// Service contexts as raw bytes: of all versions of GIOP, and hostile ones.
#include "giop/reply.h"
#include "giop/service_context.h"
#include "interceptors/testing/intercepted_orb.h"
#include "testing/raw_peer.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using Contexts = std::vector<std::pair<std::uint32_t, Octets>>;

/// A request for the sum of two numbers, whose service contexts are `contexts`, with this count.
Octets request_with(const Octets& key, const Contexts& contexts, std::uint32_t count,
                    std::uint8_t minor_version, Order order) {
  Message m(giop::MessageType::request, order, minor_version);
  const auto put_contexts = [&] {
    m.ulong(count);
    for (const auto& [id, data] : contexts) m.ulong(id).octets(data);
  };
  if (minor_version < 2) {
    put_contexts();
    m.ulong(5).octet(1);
    if (minor_version == 1) m.octet(0).octet(0).octet(0);
    m.octets(key).text("sum").octets({});  // principal
    return m.ulong(2).real(0.5).real(0.25).bytes();
  }
  m.ulong(5).octet(3).octet(0).octet(0).octet(0).ushort(0).octets(key).text("sum");
  put_contexts();
  return m.align(8).ulong(2).real(0.5).real(0.25).bytes();
}

/// What a reply of each version contains.
struct DecodedReply {
  giop::ReplyStatus status;
  std::optional<Octets> context;
  double value;
};
DecodedReply decoded(const Octets& message, std::uint32_t context) {
  giop::MessageHeader header;
  EXPECT_TRUE(giop::read_header(message, header));
  orbweaver::cdr::Decoder in = giop::open_body(message, header);
  giop::ReplyHeader reply;
  EXPECT_TRUE(giop::decode_reply(in, header.version, reply));
  const auto data = reply.contexts.find(context);
  DecodedReply found{reply.status, std::nullopt, 0};
  if (data) found.context = Octets(data->begin(), data->end());
  if (reply.status == giop::ReplyStatus::no_exception) found.value = in.get<double>();
  EXPECT_TRUE(in.ok());
  return found;
}

struct RawContexts : ::testing::Test {
  RecordedOrb server{{"-ORBListen", "tcp"}};
  ServantRef servant = CORBA::make_reference<Servant>();
  Where target = where(server.orb.serve(servant));
};

TEST_F(RawContexts, OfEachVersionAndByteOrderAreReadAndSent) {
  Octets received;
  std::size_t answer_bytes = 0;
  server.server_a->on["receive_contexts"] = [&](const ServerInfo& info) {
    received = info->get_request_service_context(0x4f570010).context_data();
  };
  server.server_a->on["send_reply"] = [&](const ServerInfo& info) {
    info->add_reply_service_context(IOP::ServiceContext(0x4f570011, Octets(answer_bytes, 9)), false);
  };
  for (std::uint8_t minor = 0; minor <= 2; ++minor) {
    for (const Order order : {Order::little, Order::big}) {
      // The results are aligned whatever precedes them.
      for (answer_bytes = 0; answer_bytes < 9; ++answer_bytes) {
        RawPeer peer = RawPeer::to(target.port);
        peer.sends(request_with(target.key, {{7, {}}, {0x4f570010, {1, 2, 3, 4, 5}}}, 2, minor, order));
        const auto reply = peer.receives();
        ASSERT_TRUE(reply);
        EXPECT_EQ(received, (Octets{1, 2, 3, 4, 5}));
        const DecodedReply found = decoded(*reply, 0x4f570011);
        EXPECT_EQ(found.value, 0.75);
        EXPECT_EQ(found.context, Octets(answer_bytes, 9));
      }
    }
  }
}

TEST_F(RawContexts, ThatAreMalformedCloseTheConnection) {
  for (std::uint8_t minor = 0; minor <= 2; ++minor) {
    for (const std::uint32_t count : {1000u, 0x10000u, 0x7fffffffu, 0xffffffffu}) {
      RawPeer peer = RawPeer::to(target.port);
      peer.sends(request_with(target.key, {{7, {1}}}, count, minor, Order::little));
      EXPECT_TRUE(peer.is_closed()) << int{minor} << " " << count;
    }
  }
  TestOrb client;
  EXPECT_EQ(client.unchecked(server.orb.reference(server.orb.root, servant))->twice(4), 8);
}

TEST_F(RawContexts, InLargeNumbersAreFound) {
  Contexts many(20'000, {7, {1}});
  many.push_back({8, {2}});
  server.server_a->on["receive_request"] = [&](const ServerInfo& info) {
    EXPECT_EQ(info->get_request_service_context(8).context_data(), Octets{2});
    EXPECT_EQ(raised([&] { info->get_request_service_context(9); }), "BAD_PARAM 26");
  };
  RawPeer peer = RawPeer::to(target.port);
  peer.sends(request_with(target.key, many, static_cast<std::uint32_t>(many.size()), 2, Order::little));
  const auto reply = peer.receives();
  ASSERT_TRUE(reply);
  EXPECT_EQ(decoded(*reply, 1).value, 0.75);
}

TEST(RawReply, GivesItsContextsToTheClient) {
  RecordedOrb client{{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"}};
  int replies = 0;
  RawServer raw([&](RawPeer& peer) {
    while (const auto request = peer.receives()) {
      Message answer(giop::MessageType::reply, Order::big);
      // The second reply has a context that is longer than the message.
      answer.ulong((*request)[12]).ulong(0).ulong(1).ulong(77);
      ++replies == 1 ? answer.octets({1, 2, 3}) : answer.ulong(0x7fffffff);
      answer.align(8).ulong(6);
      peer.sends(answer.bytes());
    }
  });
  client.client_a->on["receive_reply"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->get_reply_service_context(77).context_data(), (Octets{1, 2, 3}));
  };
  const CallsRef calls = client.orb.unchecked(raw.reference());
  EXPECT_EQ(calls->twice(3), 6);
  EXPECT_THROW(calls->twice(3), CORBA::SystemException);
  EXPECT_EQ(client.log.take().back(), "A receive_exception twice");
  client.orb.destroy();  // closes the connection that the raw server reads
}

}  // namespace
}  // namespace orbtest
