#include "giop/reply.h"

#include "giop/ior.h"
#include "giop/locate.h"
#include "giop/omniorb_captures.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

using namespace captures;

struct Reply : ReceivedMessage {
  template <class Message>
  explicit Reply(const Message& message) : ReceivedMessage(message) {
    EXPECT_EQ(header.type, MessageType::reply);
    ok = decode_reply(body, header.version, reply);
  }
  ReplyHeader reply;
  bool ok;
};

TEST(GiopReply, DecodesOmniOrbData) {
  for (const char* capture : {kRepeatReply10, kRepeatReply12}) {
    Reply received(capture);
    ASSERT_TRUE(received.ok);
    EXPECT_EQ(received.reply.request_id, 8u);
    EXPECT_EQ(received.reply.status, ReplyStatus::no_exception);
    EXPECT_EQ(received.body.get_string_view(), "hello");
  }
  Reply sum(kSumReply12);
  ASSERT_TRUE(sum.ok);
  EXPECT_EQ(sum.body.get<double>(), 6.5);
  Reply empty(kPingReply12);
  ASSERT_TRUE(empty.ok);
  EXPECT_EQ(empty.body.remaining(), 0u);
}

TEST(GiopReply, CarriesUserExceptions) {
  Reply received(kRefusedReply12);
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.reply.status, ReplyStatus::user_exception);
  EXPECT_EQ(received.body.get_string_view(), "IDL:Test/Refused:1.0");
  EXPECT_EQ(received.body.get_string_view(), "not today");
  EXPECT_EQ(received.body.get<std::int32_t>(), 9);
}

TEST(GiopReply, CarriesSystemExceptions) {
  Reply received(kFailedReply12);
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.reply.status, ReplyStatus::system_exception);
  SystemException exception;
  ASSERT_TRUE(decode(received.body, exception));
  EXPECT_EQ(exception.repository_id, "IDL:omg.org/CORBA/NO_RESOURCES:1.0");
  EXPECT_EQ(exception.minor, 42u);
  EXPECT_EQ(exception.completed, Completed::no);
}

TEST(GiopReply, CarriesAForwardReference) {
  Reply received(kForward12);
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.reply.status, ReplyStatus::location_forward);
  Ior ior;
  ASSERT_TRUE(decode(received.body, ior));
  EXPECT_EQ(ior, *parse_ior(kIor));
}

TEST(GiopReply, IsEncodedAsByOmniOrb) {
  if (!kThisMachineIsLittleEndian) GTEST_SKIP() << "the captures are little-endian";
  EXPECT_EQ(encode_message([](cdr::Encoder& out) {
              encode_reply(out, kGiop12, 6, ReplyStatus::no_exception, {}, Body::empty);
            }),
            hex(kPingReply12));
  EXPECT_EQ(encode_message([](cdr::Encoder& out) {
              encode_reply(out, kGiop12, 10, ReplyStatus::no_exception, {}, Body::follows);
              out.put(6.5);
            }),
            hex(kSumReply12));
  EXPECT_EQ(encode_message([](cdr::Encoder& out) {
              encode_reply(out, kGiop10, 8, ReplyStatus::no_exception, {}, Body::follows);
              out.put_string("hello");
            }),
            hex(kRepeatReply10));
  EXPECT_EQ(encode_message([](cdr::Encoder& out) {
              encode_reply(out, kGiop12, 18, ReplyStatus::system_exception, {}, Body::follows);
              encode(out, SystemException{"IDL:omg.org/CORBA/NO_RESOURCES:1.0", 42, Completed::no});
            }),
            with_cleared_padding(hex(kFailedReply12), {{63, 1}}));
}

TEST(GiopReply, FitsItsBoundWithContexts) {
  const Octets data = hex("010203");
  const ServiceContext contexts[] = {{14, data}, {1, {}}};
  for (const Version version : {kGiop10, kGiop11, kGiop12}) {
    const Octets bytes = encode_message([&](cdr::Encoder& out) {
      encode_reply(out, version, 3, ReplyStatus::user_exception, contexts, Body::follows);
    });
    EXPECT_LE(bytes.size(), reply_bound(contexts));
    Reply received(bytes);
    ASSERT_TRUE(received.ok);
    std::vector<std::uint32_t> ids;
    for (const ServiceContext& context : received.reply.contexts) ids.push_back(context.id);
    EXPECT_EQ(ids, (std::vector<std::uint32_t>{14, 1}));
    EXPECT_EQ(octets(*received.reply.contexts.find(14)), data);
  }
}

TEST(GiopReply, RejectsAnUnknownStatus) {
  Reply received12("47494f5001020101 0c000000 06000000 06000000 00000000");
  EXPECT_FALSE(received12.ok);
  EXPECT_EQ(received12.body.fault(), cdr::Fault::bad_enum);
  Reply received10("47494f5001000101 0c000000 00000000 06000000 04000000");
  EXPECT_FALSE(received10.ok);
}

TEST(GiopReply, CarriesAnAddressingDisposition) {
  const Octets bytes = encode_message([](cdr::Encoder& out) {
    encode_reply(out, kGiop12, 1, ReplyStatus::needs_addressing_mode, {}, Body::follows);
    encode(out, AddressingDisposition::key);
  });
  Reply received(bytes);
  AddressingDisposition wanted = AddressingDisposition::reference;
  ASSERT_TRUE(received.ok && decode(received.body, wanted));
  EXPECT_EQ(wanted, AddressingDisposition::key);
}

TEST(GiopLocate, RoundTripsOmniOrbRequests) {
  for (const char* capture : {kLocate10, kLocate12}) {
    ReceivedMessage received(capture);
    LocateRequest request;
    ASSERT_TRUE(decode_locate_request(received.body, received.header.version, request));
    EXPECT_EQ(request.request_id, 4u);
    EXPECT_EQ(octets(request.target.object_key), hex(kObjectKey));
    if (kThisMachineIsLittleEndian) {
      EXPECT_EQ(encode_message([&](cdr::Encoder& out) {
                  encode_locate_request(out, received.header.version, 4, hex(kObjectKey));
                }),
                received.bytes);
    }
    EXPECT_LE(received.bytes.size(), locate_request_bound(hex(kObjectKey)));
  }
}

TEST(GiopLocate, RoundTripsOmniOrbReplies) {
  ReceivedMessage received(kLocateReply12);
  LocateReply reply;
  ASSERT_TRUE(decode_locate_reply(received.body, received.header.version, reply));
  EXPECT_EQ(reply.request_id, 4u);
  EXPECT_EQ(reply.status, LocateStatus::object_here);
  if (kThisMachineIsLittleEndian) {
    EXPECT_EQ(encode_message([&](cdr::Encoder& out) { encode_locate_reply(out, kGiop12, reply); }),
              received.bytes);
  }
}

}  // namespace
}  // namespace orbweaver::giop::testing
