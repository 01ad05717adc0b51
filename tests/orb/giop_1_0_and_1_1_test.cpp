// Wide characters in GIOP 1.1, in the encoding that JacORB uses, and their rejection in GIOP 1.0, which has
// none (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7).
#include <gtest/gtest.h>

#include <future>

#include "giop/ior.h"
#include "giop/reply.h"
#include "testing/anys.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"
#include "wideS.h"

namespace orbtest {
namespace {

namespace cdr = orbweaver::cdr;
namespace giop = orbweaver::giop;
using WidesRef = IDL::traits<OrbTest::Wides>::ref_type;

class WidesServant final : public virtual CORBA::servant_traits<OrbTest::Wides>::base_type {
 public:
  std::wstring join(wchar_t first, const std::wstring& rest, OrbTest::WideChoice& choice,
                    wchar_t& last) override {
    if (first == L'!') throw OrbTest::TooWide(first, rest);
    if (choice._d() == L'b') choice.text(choice.text() + L'.');
    last = rest.empty() ? first : rest.back();
    return first + rest;
  }
  CORBA::Any pass(const CORBA::Any& value) override { return value; }
  std::wstring named(std::int32_t number) override { return std::to_wstring(number); }
};

Message& put_wide(Message& message, const std::u16string& text) {
  message.ulong(static_cast<std::uint32_t>(text.size() + 1));
  for (const char16_t unit : text) message.ushort(unit);
  return message.ushort(0);
}

/// A request of GIOP 1.0 or 1.1 up to its arguments. `code_sets`: with the service context of JacORB's first
/// request.
Message old_request(std::uint8_t minor, const Octets& key, const char* operation, Order order,
                    bool code_sets = false) {
  Message message(giop::MessageType::request, order, minor);
  message.ulong(code_sets ? 1 : 0);
  if (code_sets) message.ulong(1).octets({0, 0, 0, 0, 0x05, 0x01, 0x00, 0x01, 0x00, 0x01, 0x01, 0x09});
  message.ulong(5).octet(1);
  if (minor > 0) message.octet(0).octet(0).octet(0);
  return message.octets(key).text(operation).ulong(0);
}
Message old_reply(std::uint8_t minor, std::uint32_t id, std::uint32_t status, Order order) {
  Message message(giop::MessageType::reply, order, minor);
  return message.ulong(0).ulong(id).ulong(status);
}

void append_in_giop_1_1(Message& message, const CORBA::Any& any) {
  const std::size_t before = message.bytes().size() % 8;  // alignment counts from the message's first byte
  Octets bytes;
  cdr::Encoder out(bytes);
  out.wchar_encoding(cdr::WcharEncoding::giop_1_1);
  for (std::size_t i = 0; i < before; ++i) out.put(std::uint8_t{0});
  cdr::encode(out, any);
  out.finish();
  for (std::size_t i = before; i < bytes.size(); ++i) message.octet(bytes[i]);
}

class OldGiopServer : public ::testing::Test {
 protected:
  OldGiopServer() {
    broker_.root->activate_object(servant_);
    there = where(broker_.orb->object_to_string(broker_.root->servant_to_reference(servant_)));
  }
  std::optional<Octets> answer_to(const Message& request) {
    RawPeer raw = RawPeer::to(there.port);
    raw.sends(request.bytes());
    return raw.receives();
  }
  /// The minor code of the MARSHAL raised by `request`; 0: another reply or none.
  std::uint32_t refusal_of(const Message& request) {
    const auto answer = answer_to(request);
    giop::MessageHeader header;
    if (!answer || !giop::read_header(*answer, header)) return 0;
    cdr::Decoder in = giop::open_body(*answer, header);
    giop::ReplyHeader reply;
    giop::SystemException raised;
    if (!giop::decode_reply(in, header.version, reply) || !giop::decode(in, raised)) return 0;
    return raised.repository_id == "IDL:omg.org/CORBA/MARSHAL:1.0" ? raised.minor : 0;
  }
  void shut_down() { broker_.destroy(); }
  Where there;

 private:
  CORBA::servant_reference<WidesServant> servant_ = CORBA::make_reference<WidesServant>();
  TestOrb broker_{Options{"-ORBListen", "tcp"}};
};

TEST_F(OldGiopServer, ExchangesWideCharactersInGiop11) {
  for (const Order order : {Order::big, Order::little}) {
    Message call = old_request(1, there.key, "join", order, order == Order::big);
    put_wide(call.ushort('h'), u"\u00e9\u4e2d");
    put_wide(call.ushort('b'), u"text");
    const auto answer = answer_to(call);
    ASSERT_TRUE(answer);
    Message expected = old_reply(1, 5, 0, kHere);
    put_wide(expected, u"h\u00e9\u4e2d");
    put_wide(expected.ushort('b'), u"text.").ushort(0x4e2d);
    EXPECT_EQ(*answer, expected.bytes());
  }
}

TEST_F(OldGiopServer, RaisesExceptionsWithWideMembersInGiop11) {
  Message call = old_request(1, there.key, "join", Order::big);
  put_wide(call.ushort('!'), u"why");
  call.ushort('c').ushort('x');  // the default case
  const auto answer = answer_to(call);
  ASSERT_TRUE(answer);
  Message expected = old_reply(1, 5, 1, kHere);
  put_wide(expected.text("IDL:OrbTest/TooWide:1.0").ushort('!'), u"why");
  EXPECT_EQ(*answer, expected.bytes());
}

TEST_F(OldGiopServer, ExchangesAnysWithWideCharactersInGiop11) {
  Message call = old_request(1, there.key, "pass", Order::big);
  put_wide(call.ulong(27).ulong(0), u"ab");  // tk_wstring, unbounded
  const auto answer = answer_to(call);
  ASSERT_TRUE(answer);
  Message expected = old_reply(1, 5, 0, kHere);
  put_wide(expected.ulong(27).ulong(0), u"ab");
  EXPECT_EQ(*answer, expected.bytes());
}

TEST_F(OldGiopServer, ExchangesAnysOfUnionsOverWideCharactersInGiop11) {
  OrbTest::WideChoice choice;
  choice.text(L"one case of it");
  Message call = old_request(1, there.key, "pass", kHere), expected = old_reply(1, 5, 0, kHere);
  append_in_giop_1_1(call, any_of(choice));
  append_in_giop_1_1(expected, any_of(choice));
  const auto answer = answer_to(call);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, expected.bytes());
}

TEST_F(OldGiopServer, RejectsWideCharactersInGiop10) {
  Message call = old_request(0, there.key, "join", Order::big);
  put_wide(call.ushort('h'), u"ello");
  EXPECT_EQ(refusal_of(call), 0x4f4d0005u);
  Message any = old_request(0, there.key, "pass", Order::big);
  put_wide(any.ulong(27).ulong(0), u"ab");
  EXPECT_EQ(refusal_of(any), 0x4f4d0005u);
  EXPECT_EQ(refusal_of(old_request(0, there.key, "named", Order::big).ulong(7)), 0x4f4d0006u);
}

TEST_F(OldGiopServer, SendsCloseConnectionInTheVersionOfEachClient) {
  std::vector<RawPeer> peers;
  for (std::uint8_t minor = 0; minor <= 2; ++minor) {
    peers.push_back(RawPeer::to(there.port));
    peers.back().sends(minor == 2 ? request(5, there.key, "_non_existent").bytes()
                                  : old_request(minor, there.key, "_non_existent", kHere).bytes());
    ASSERT_TRUE(peers.back().receives());
  }
  shut_down();
  for (std::uint8_t minor = 0; minor <= 2; ++minor) {
    const auto last = peers[minor].receives();
    ASSERT_TRUE(last) << "GIOP 1." << int{minor};
    EXPECT_EQ(*last, Message(giop::MessageType::close_connection, kHere, minor).bytes());
  }
}

TEST_F(OldGiopServer, SendsMessageErrorInTheVersionOfItsClient) {
  Message reply = old_reply(0, 5, 0, kHere);  // only servers send replies
  const auto answer = answer_to(reply);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, Message(giop::MessageType::message_error, kHere, 0).bytes());
}

/// A client of an object whose reference has IIOP 1.0 or 1.1. The server sends the reply that the test
/// builds.
class OldGiopClient : public ::testing::Test {
 protected:
  WidesRef object(std::uint8_t minor, std::function<Message(std::uint32_t id)> reply) {
    server_.emplace([this, reply = std::move(reply)](RawPeer& peer) {
      while (const auto request = peer.receives()) {
        giop::MessageHeader header;
        giop::read_header(*request, header);
        if (header.type != giop::MessageType::request) return;
        std::uint32_t id;
        std::memcpy(&id, request->data() + 16, 4);  // no contexts: the reference names no code sets
        if (!arrived_) received_.set_value(*request);
        arrived_ = true;
        peer.sends(reply(id).bytes());
      }
    });
    const auto ior = giop::parse_ior(server_->reference());
    giop::IiopProfile profile = *giop::decode_iiop_profile(ior->profiles.at(0).data);
    profile.version = {1, minor};
    const giop::TaggedData tagged{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)};
    const giop::Ior old{"IDL:OrbTest/Wides:1.0", {tagged}};
    return IDL::traits<OrbTest::Wides>::narrow(broker_.orb->string_to_object(giop::stringify(old)));
  }
  /// The first request.
  Octets received() {
    auto future = received_.get_future();
    if (future.wait_for(kHangTimeout) != std::future_status::ready) return {};
    return future.get();
  }

  /// Closes the client's connection; the server waits for that.
  void TearDown() override { broker_.destroy(); }

 private:
  std::promise<Octets> received_;
  bool arrived_ = false;
  std::optional<RawServer> server_;
  TestOrb broker_;
};

TEST_F(OldGiopClient, ExchangesWideCharactersInGiop11) {
  const WidesRef wides = object(1, [](std::uint32_t id) {
    Message reply = old_reply(1, id, 0, Order::big);
    put_wide(reply, u"h\u00e9");
    return put_wide(reply.ushort('b'), u"back").ushort(0xe9);
  });
  OrbTest::WideChoice choice;
  choice.text(L"text");
  wchar_t last = 0;
  EXPECT_EQ(wides->join(L'h', L"\u00e9", choice, last), L"h\u00e9");
  EXPECT_EQ(choice.text(), L"back");
  EXPECT_EQ(last, L'\u00e9');
  const Octets sent = received();
  std::uint32_t id = 0;
  ASSERT_GT(sent.size(), 20u);
  std::memcpy(&id, sent.data() + 16, 4);
  Message expected(giop::MessageType::request, kHere, 1);
  expected.ulong(0).ulong(id).octet(1).octet(0).octet(0).octet(0).octets({1, 2, 3}).text("join").ulong(0);
  put_wide(expected.ushort('h'), u"\u00e9");
  put_wide(expected.ushort('b'), u"text");
  EXPECT_EQ(sent, expected.bytes());
}

TEST_F(OldGiopClient, DecodesExceptionsWithWideMembersInGiop11) {
  const WidesRef wides = object(1, [](std::uint32_t id) {
    Message reply = old_reply(1, id, 1, Order::big);
    return put_wide(reply.text("IDL:OrbTest/TooWide:1.0").ushort('!'), u"why");
  });
  OrbTest::WideChoice choice;
  wchar_t last = 0;
  try {
    wides->join(L'!', L"", choice, last);
    FAIL() << "did not raise";
  } catch (const OrbTest::TooWide& e) {
    EXPECT_EQ(e.which(), L'!');
    EXPECT_EQ(e.why(), L"why");
  }
}

TEST_F(OldGiopClient, SendsAnysWithWideStringsInGiop11) {
  const WidesRef wides = object(1, [](std::uint32_t id) {
    Message reply = old_reply(1, id, 0, Order::big);
    return put_wide(reply.ulong(27).ulong(0), u"back");
  });
  std::wstring found;
  EXPECT_TRUE(wides->pass(any_of(std::vector<std::wstring>(50, L"even"))) >>= found);
  EXPECT_EQ(found, L"back");
}

TEST_F(OldGiopClient, SendsNoWideCharactersInGiop10) {
  const WidesRef wides = object(0, [](std::uint32_t id) {
    return old_reply(0, id, 0, Order::big).ulong(3).ulong(9);  // an any of a long
  });
  OrbTest::WideChoice choice;
  wchar_t last = 0;
  const auto call = [&] { wides->join(L'h', L"", choice, last); };
  EXPECT_NE(raised_by<CORBA::MARSHAL>(call, 0x4f4d0005).find("GIOP 1.0"), std::string::npos);
  std::int32_t number = 0;
  EXPECT_TRUE(wides->pass(any_of(std::int32_t{9})) >>= number);
  EXPECT_EQ(number, 9);
  const Octets sent = received();
  EXPECT_NE(std::string(sent.begin(), sent.end()).find("pass"), std::string::npos)
      << "another request was sent first";
}

TEST_F(OldGiopClient, RejectsWideResultsInGiop10) {
  const WidesRef wides = object(0, [](std::uint32_t id) {
    Message reply = old_reply(0, id, 0, Order::big);
    return put_wide(reply, u"seven");
  });
  const auto call = [&] { wides->named(7); };
  EXPECT_NE(raised_by<CORBA::MARSHAL>(call, 0x4f4d0006).find("GIOP 1.0"), std::string::npos);
}

}  // namespace
}  // namespace orbtest
