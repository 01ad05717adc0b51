// Small arguments whose decoding takes exponential time: they are rejected, and other clients are served.
#include <gtest/gtest.h>

#include <deque>

#include "giop/reply.h"
#include "testing/anys.h"
#include "testing/anys_servant.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace cdr = orbweaver::cdr;
namespace giop = orbweaver::giop;
namespace typecode = orbweaver::typecode;
using CORBA::TCKind;
using CORBA::TypeCode;

/// struct S_i { S_{i-1} a, b; } without octets of value, `levels` deep: 2 to the power of `levels` members.
const TypeCode& doubled(int levels) {
  // Static TypeCodes keep their wire form until the process ends, so neither is destroyed before.
  static auto& members = *new std::deque<std::array<TypeCode::Member, 2>>;
  static auto& types = *new std::deque<TypeCode>;
  const TypeCode* type = &typecode::k_null;
  for (int i = 0; i < levels; ++i) {
    const auto& both = members.emplace_back(std::array<TypeCode::Member, 2>{{{"", type}, {"", type}}});
    type = &types.emplace_back(TCKind::tk_struct, "", "", both.data(), 2);
  }
  return *type;
}

/// A server of Anys over TCP, and a client which calls it during the whole test.
class HostileValue : public ::testing::Test {
 protected:
  HostileValue() {
    server_.root->activate_object(servant_);
    const std::string text = server_.orb->object_to_string(server_.root->servant_to_reference(servant_));
    there_ = where(text);
    good_ = IDL::traits<OrbTest::Anys>::narrow(client_.orb->string_to_object(text));
    good_->held(any_of(std::int32_t{7}));
    other_ = std::thread([this] {
      while (!done_) {
        if (printed(good_->type_held()) != "long") ++wrong_;
        ++calls_;
      }
    });
  }
  ~HostileValue() override {
    const int before = calls_;
    EXPECT_TRUE(becomes_true([&] { return calls_ > before + 1; }))
        << "the server no longer serves the other client";
    done_ = true;
    other_.join();
    EXPECT_EQ(wrong_, 0);
  }

  /// The minor code of the MARSHAL in this reply; 0: another reply.
  static std::uint32_t marshal_minor(const Octets& answer) {
    giop::MessageHeader header;
    if (!giop::read_header(answer, header)) return 0;
    cdr::Decoder in = giop::open_body(answer, header);
    giop::ReplyHeader reply;
    giop::SystemException raised;
    if (!giop::decode_reply(in, header.version, reply)) return 0;
    if (reply.status != giop::ReplyStatus::system_exception || !giop::decode(in, raised)) return 0;
    return raised.repository_id == "IDL:omg.org/CORBA/MARSHAL:1.0" ? raised.minor : 0;
  }
  /// Appends an any: the TypeCode of `type`, then the octets of `value`.
  static void append_any(Message& message, const TypeCode& type, const Octets& value = {}) {
    Octets bytes;
    cdr::Encoder out(bytes);
    cdr::encode(out, orbweaver::reference_to(type));
    out.finish();
    message.align(4);
    for (const std::uint8_t octet : bytes) message.octet(octet);
    for (const std::uint8_t octet : value) message.octet(octet);
  }
  std::uint32_t refusal_of(const Message& request) {
    RawPeer raw = RawPeer::to(there_.port);
    raw.sends(request.bytes());
    const auto answer = raw.receives();
    return answer ? marshal_minor(*answer) : 0;
  }
  Message request_to(std::string_view operation) {
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return request(1, there_.key, operation, little ? Order::little : Order::big);
  }

 private:
  CORBA::servant_reference<AnysServant> servant_ = CORBA::make_reference<AnysServant>();
  TestOrb server_{Options{"-ORBListen", "tcp"}}, client_;
  Where there_;
  AnysRef good_;
  std::atomic<bool> done_{false};
  std::atomic<int> wrong_{0}, calls_{0};
  std::thread other_;
};

constexpr std::uint32_t kTooMuchWork = 0x4f57000c;

TEST_F(HostileValue, IsRejectedWhenItsTypeGrowsExponentially) {
  Message call = request_to("_set_held");
  append_any(call, doubled(90));
  EXPECT_LT(call.bytes().size(), 6000u);
  EXPECT_EQ(refusal_of(call), kTooMuchWork);
}

TEST_F(HostileValue, IsRejectedInsideAnotherAny) {
  Message call = request_to("_set_held");
  append_any(call, typecode::k_any);
  append_any(call, doubled(90));
  EXPECT_EQ(refusal_of(call), kTooMuchWork);
}

TEST_F(HostileValue, IsRejectedInsideASequence) {
  Message call = request_to("reversed");
  call.ulong(2);
  append_any(call, typecode::k_octet, {7});
  append_any(call, doubled(90));
  EXPECT_EQ(refusal_of(call), kTooMuchWork);
}

TEST_F(HostileValue, IsRejectedInsideARecursiveStruct) {
  Message call = request_to("same");
  call.text("root").align(4);
  append_any(call, doubled(90));
  EXPECT_EQ(refusal_of(call), kTooMuchWork);
}

}  // namespace
}  // namespace orbtest
