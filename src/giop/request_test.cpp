#include "giop/request.h"

#include "giop/ior.h"
#include "giop/omniorb_captures.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

using namespace captures;

struct Request : ReceivedMessage {
  template <class Message>
  explicit Request(const Message& message) : ReceivedMessage(message) {
    EXPECT_EQ(header.type, MessageType::request);
    ok = decode_request(body, header.version, request);
  }
  RequestHeader request;
  bool ok;
};

TEST(GiopRequest, DecodesOmniOrbRequestsOfEveryVersion) {
  for (const char* capture : {kRepeat10, kRepeat11, kRepeat12, kRepeat12Big}) {
    SCOPED_TRACE(capture);
    Request received(capture);
    ASSERT_TRUE(received.ok);
    EXPECT_EQ(received.request.request_id, received.header.little_endian ? 8u : 5u);
    EXPECT_EQ(received.request.response_flags, response::kWithTarget);
    EXPECT_EQ(received.request.operation, "repeat");
    EXPECT_EQ(octets(received.request.target.object_key), hex(kObjectKey));
    EXPECT_TRUE(received.request.contexts.empty());
    EXPECT_EQ(received.body.get_string_view(), "hello");
    EXPECT_TRUE(received.body.ok());
    EXPECT_EQ(received.body.remaining(), 0u);
  }
}

TEST(GiopRequest, EndsAtItsHeaderWithoutArguments) {
  Request received(kPing12);
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.request.operation, "ping");
  EXPECT_EQ(received.body.remaining(), 0u);
}

TEST(GiopRequest, AlignsArgumentsOfGiop12ToEight) {
  Request received(kSum12);
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.body.offset() % 8, 0u);
  cdr::Scratch scratch;
  cdr::Decoder in(received.bytes.data(), received.bytes.size(), received.header.swaps(), &scratch);
  in.skip(received.body.offset());
  const auto values = in.get_view<double>();
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()), (std::vector<double>{1, 2, 3.5}));
}

TEST(GiopRequest, DecodesOmniOrbWideStrings) {
  Request received(kWide12);
  ASSERT_TRUE(received.ok);
  std::wstring text;
  cdr::decode(received.body, text);
  EXPECT_EQ(text, L"h\u00e9\u4e2d");
}

TEST(GiopRequest, ExpectsNoReplyToOneWays) {
  for (const char* capture : {kNote10, kNote12}) {
    Request received(capture);
    ASSERT_TRUE(received.ok);
    EXPECT_FALSE(received.request.response_expected());
    EXPECT_EQ(received.body.get<std::uint32_t>(), 77u);
  }
}

TEST(GiopRequest, CarriesContexts) {
  for (const char* capture : {kFirstRequest11, kFirstRequest12}) {
    Request received(capture);
    ASSERT_TRUE(received.ok);
    EXPECT_EQ(received.request.operation, "_non_existent");
    ASSERT_EQ(received.request.contexts.size(), 1u);
    const auto data = received.request.contexts.find(context_id::kCodeSets);
    ASSERT_TRUE(data);
    EXPECT_EQ(octets(*data), hex("01000000 01000100 09010100"));
    EXPECT_FALSE(received.request.contexts.find(context_id::kBiDirIiop));
  }
}

// Compares with the bytes that omniORB sends, except for its padding.
TEST(GiopRequest, IsEncodedAsByOmniOrb) {
  if (!kThisMachineIsLittleEndian) GTEST_SKIP() << "the captures are little-endian";
  const Octets key = hex(kObjectKey);
  EXPECT_EQ(encode_message([&](cdr::Encoder& out) {
              encode_request(out, kGiop12, 6, response::kWithTarget, key, "ping", {}, Body::empty);
            }),
            with_cleared_padding(hex(kPing12), {{42, 2}, {53, 3}}));
  EXPECT_EQ(encode_message([&](cdr::Encoder& out) {
              encode_request(out, kGiop12, 8, response::kWithTarget, key, "repeat", {}, Body::follows);
              out.put_string("hello");
            }),
            with_cleared_padding(hex(kRepeat12), {{42, 2}, {55, 1}, {60, 4}}));
  EXPECT_EQ(encode_message([&](cdr::Encoder& out) {
              encode_request(out, kGiop12, 20, response::kNone, key, "note", {}, Body::follows);
              out.put(std::uint32_t{77});
            }),
            with_cleared_padding(hex(kNote12), {{42, 2}, {53, 3}, {60, 4}}));
  const Octets sets = hex("01000000 01000100 09010100");
  const ServiceContext contexts[] = {{context_id::kCodeSets, sets}};
  EXPECT_EQ(encode_message([&](cdr::Encoder& out) {
              encode_request(out, kGiop12, 2, response::kWithTarget, key, "_non_existent", contexts,
                             Body::empty);
            }),
            with_cleared_padding(hex(kFirstRequest12), {{22, 2}, {42, 2}, {62, 2}}));
}

TEST(GiopRequest, IsEncodedAsByOmniOrbInEarlierVersions) {
  if (!kThisMachineIsLittleEndian) GTEST_SKIP() << "the captures are little-endian";
  const Octets key = hex(kObjectKey);
  const auto repeat = [&](Version version) {
    return encode_message([&](cdr::Encoder& out) {
      encode_request(out, version, 8, response::kWithTarget, key, "repeat", {}, Body::follows);
      out.put_string("hello");
    });
  };
  EXPECT_EQ(repeat(kGiop10), with_cleared_padding(hex(kRepeat10), {{21, 3}, {42, 2}, {55, 1}}));
  EXPECT_EQ(repeat(kGiop11), with_cleared_padding(hex(kRepeat11), {{21, 3}, {42, 2}, {55, 1}}));
}

TEST(GiopRequest, FitsItsBoundForAllLengths) {
  const Octets data(5);
  const ServiceContext contexts[] = {{1, data}, {2, {}}};
  for (const Version version : {kGiop10, kGiop11, kGiop12}) {
    for (std::size_t key = 0; key < 9; ++key) {
      for (std::size_t name = 0; name < 9; ++name) {
        const Octets object_key(key);
        const std::string operation(name, 'x');
        for (const std::size_t count : {0u, 1u, 2u}) {
          const auto some = std::span<const ServiceContext>(contexts).first(count);
          const Octets bytes = encode_message([&](cdr::Encoder& out) {
            encode_request(out, version, 1, 3, object_key, operation, some, Body::follows);
          });
          EXPECT_LE(bytes.size(), request_bound(object_key, operation, some));
          Request received(bytes);
          EXPECT_TRUE(received.ok);
          EXPECT_EQ(received.request.operation, operation);
          EXPECT_EQ(received.request.contexts.size(), some.size());
        }
      }
    }
  }
}

TEST(GiopRequest, ClearsPaddingInReusedStorage) {
  for (std::size_t key = 0; key < 9; ++key) {
    for (std::size_t name = 0; name < 9; ++name) {
      const Octets object_key(key, 0xaa);
      const std::string operation(name, 'x');
      const auto encode = [&](cdr::Encoder& out) {
        encode_request(out, kGiop12, 1, 3, object_key, operation, {}, Body::follows);
      };
      Octets used(request_bound(object_key, operation), 0xee);
      cdr::Encoder out(used.data(), used.size());
      encode(out);
      ASSERT_TRUE(finish_message(out));
      used.resize(out.size());
      EXPECT_EQ(used, encode_message(encode));
      std::size_t zeros = 0;
      for (std::size_t at = 28 + key; at % 4 != 0; ++at) zeros += used[at];
      EXPECT_EQ(zeros, 0u);
    }
  }
}

TEST(GiopRequest, IsEncodedEquallyByATemplate) {
  const Octets key = hex(kObjectKey);
  const Octets data = hex("0102");
  const ServiceContext contexts[] = {{3, data}};
  for (const Version version : {kGiop10, kGiop11, kGiop12}) {
    for (const Body body : {Body::empty, Body::follows}) {
      const RequestTemplate prepared(version, response::kWithServer, key, "op", contexts, body);
      const auto from_template = encode_message([&](cdr::Encoder& out) { prepared.encode(out, 0x01020304); });
      EXPECT_EQ(from_template, encode_message([&](cdr::Encoder& out) {
                  encode_request(out, version, 0x01020304, response::kWithServer, key, "op", contexts, body);
                }));
      EXPECT_EQ(from_template.size(), prepared.size());
    }
  }
}

/// A GIOP 1.2 request with this target, which starts with the discriminator.
Octets addressed(const Octets& target) {
  return encode_message([&](cdr::Encoder& out) {
    begin_message(out, kGiop12, MessageType::request);
    out.put(std::uint32_t{1});
    out.put(std::uint32_t{3});
    out.put_bytes(target.data(), target.size());
    out.put_string("op");
    out.put(std::uint32_t{0});
  });
}
template <class Write>
Octets target(AddressingDisposition addressing, Write&& write) {
  Octets bytes;
  cdr::Encoder out(bytes);
  out.put(static_cast<std::uint16_t>(addressing));
  write(out);
  out.finish();
  return bytes;
}

TEST(GiopTarget, FindsTheKeyInAProfile) {
  const Ior ior = *parse_ior(kIor);
  Request received(addressed(target(AddressingDisposition::profile, [&](cdr::Encoder& out) {
    out.put(ior.profiles[0].tag);
    out.put(static_cast<std::uint32_t>(ior.profiles[0].data.size()));
    out.put_bytes(ior.profiles[0].data.data(), ior.profiles[0].data.size());
  })));
  ASSERT_TRUE(received.ok);
  EXPECT_EQ(received.request.target.addressing, AddressingDisposition::profile);
  EXPECT_FALSE(received.request.target.needs_key);
  EXPECT_EQ(octets(received.request.target.object_key), hex(kObjectKey));
  EXPECT_EQ(received.request.operation, "op");
}

TEST(GiopTarget, FindsTheKeyInTheSelectedProfile) {
  Ior ior = *parse_ior(kIor);
  ior.profiles.insert(ior.profiles.begin(), TaggedData{77, {1, 2, 3}});
  const auto selecting = [&](std::uint32_t index) {
    return addressed(target(AddressingDisposition::reference, [&](cdr::Encoder& out) {
      out.put(index);
      encode(out, ior);
    }));
  };
  Request second(selecting(1));
  ASSERT_TRUE(second.ok);
  EXPECT_EQ(octets(second.request.target.object_key), hex(kObjectKey));
  EXPECT_EQ(second.request.operation, "op");

  Request first(selecting(0));
  ASSERT_TRUE(first.ok);
  EXPECT_TRUE(first.request.target.needs_key);

  Request beyond(selecting(2));
  EXPECT_FALSE(beyond.ok);
  EXPECT_EQ(beyond.body.fault(), cdr::Fault::bad_reference);
}

TEST(GiopTarget, NeedsAKeyForAnUnknownProfile) {
  Request received(addressed(target(AddressingDisposition::profile, [](cdr::Encoder& out) {
    out.put(std::uint32_t{3});
    out.put(std::uint32_t{0});
  })));
  ASSERT_TRUE(received.ok);
  EXPECT_TRUE(received.request.target.needs_key);
}

TEST(GiopTarget, RejectsAnUnknownAddressingDisposition) {
  Request received(addressed(target(static_cast<AddressingDisposition>(3), [](cdr::Encoder&) {})));
  EXPECT_FALSE(received.ok);
  EXPECT_EQ(malformed("request header", received.body).message,
            "request header: invalid union discriminator at byte 22");
}

TEST(GiopRequest, RejectsTruncatedHeaders) {
  for (const char* capture : {kFirstRequest11, kFirstRequest12, kPing12, kRepeat10}) {
    const Octets whole = hex(capture);
    MessageHeader header;
    ASSERT_TRUE(read_header(whole, header));
    RequestHeader request;
    cdr::Decoder all = open_body(whole, header);
    ASSERT_TRUE(decode_request(all, header.version, request));
    for (std::size_t n = kHeaderBytes; n < all.offset(); ++n) {
      cdr::Decoder in = open_body(Bytes(whole).first(n), header);
      EXPECT_FALSE(decode_request(in, header.version, request)) << n;
    }
  }
}

}  // namespace
}  // namespace orbweaver::giop::testing
