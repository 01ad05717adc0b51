// ORB initializers, policy factories, slots, codecs.
#include <orbweaver/messaging.h>

#include "base/log.h"
#include "interceptors/testing/intercepted_orb.h"

namespace orbtest {
namespace {

using ::testing::ElementsAre;

constexpr CORBA::PolicyType kPolicyType = 0x12345001;

class NumberPolicy final : public virtual CORBA::Policy {
 public:
  explicit NumberPolicy(std::int32_t number) : number_(number) {}
  CORBA::PolicyType policy_type() const override { return kPolicyType; }
  std::int32_t number() const { return number_; }

 private:
  const std::int32_t number_;
};

class NumberFactory final : public virtual pi::PolicyFactory {
 public:
  CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType, const CORBA::Any& value) override {
    if (number_in(value) < 0) throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE, "negative");
    return CORBA::make_reference<NumberPolicy>(number_in(value));
  }
};

std::int32_t number_in_policy(const CORBA::object_reference<CORBA::Policy>& policy) {
  const auto* const number = dynamic_cast<const NumberPolicy*>(policy.get());
  return number == nullptr ? -1 : number->number();
}

TEST(OrbInitializer, IsCalledBeforeAndAfterTheOrbIsInitialised) {
  std::vector<std::string> calls;
  InitInfo kept;
  InterceptedOrb orb(
      [&](const InitInfo& info) {
        calls.push_back("pre_init " + info->orb_id());
        EXPECT_THAT(info->arguments(), ::testing::Contains("-ORBListen"));
        EXPECT_EQ(raised([&] { info->resolve_initial_references("RootPOA"); }), "BAD_INV_ORDER 14");
        EXPECT_TRUE(info->codec_factory());
        kept = info;
      },
      {"-ORBListen", "inproc"},
      [&](const InitInfo& info) {
        calls.push_back("post_init " + info->orb_id());
        EXPECT_TRUE(info->resolve_initial_references("RootPOA"));
        EXPECT_EQ(raised([&] { info->resolve_initial_references("Nothing"); }),
                  "PortableInterceptor::ORBInitInfo::InvalidName");
        const auto current = IDL::traits<pi::Current>::narrow(info->resolve_initial_references("PICurrent"));
        EXPECT_EQ(raised([&] { current->get_slot(0); }), "BAD_INV_ORDER 14");
      });
  EXPECT_THAT(calls, ElementsAre("pre_init " + orb.orb->id(), "post_init " + orb.orb->id()));
  EXPECT_EQ(raised([&] { kept->orb_id(); }), "OBJECT_NOT_EXIST 80");
  EXPECT_EQ(raised([&] { kept->allocate_slot_id(); }), "OBJECT_NOT_EXIST 80");
}

TEST(OrbInitializer, RegistersInitialReferences) {
  const ObjectRef object = CORBA::make_reference<NumberPolicy>(1);
  InterceptedOrb orb([&](const InitInfo& info) {
    info->register_initial_reference("Number", object);
    EXPECT_EQ(raised([&] { info->register_initial_reference("Number", object); }),
              "PortableInterceptor::ORBInitInfo::InvalidName");
    EXPECT_EQ(raised([&] { info->register_initial_reference("Nil", nullptr); }), "BAD_PARAM 27");
  });
  EXPECT_EQ(orb.orb->resolve_initial_references("Number"), object);
}

TEST(OrbInitializer, RejectsTwoInterceptorsOfOneName) {
  Log log;
  InterceptedOrb orb([&](const InitInfo& info) {
    const auto add = [&](const char* name) {
      info->add_client_request_interceptor(CORBA::make_reference<ClientRecorder>(log, name));
      info->add_server_request_interceptor(CORBA::make_reference<ServerRecorder>(log, name));
    };
    add("A");
    add("");
    add("");
    try {
      add("A");
      ADD_FAILURE();
    } catch (const pi::ORBInitInfo::DuplicateName& e) {
      EXPECT_EQ(e.name(), "A");
    }
    EXPECT_EQ(raised([&] { info->add_client_request_interceptor(nullptr); }), "BAD_PARAM 64");
    EXPECT_EQ(raised([&] { info->add_ior_interceptor(nullptr); }), "BAD_PARAM 64");
  });
  EXPECT_EQ(raised([] { pi::register_orb_initializer(nullptr); }), "BAD_PARAM 64");
}

TEST(OrbInitializer, MakesOrbInitFailByAnException) {
  EXPECT_EQ(raised([] { InterceptedOrb orb([](const InitInfo&) { throw CORBA::INITIALIZE(3); }); }),
            "INITIALIZE 3");
  InterceptedOrb next({});
  EXPECT_TRUE(next.orb);
}

TEST(OrbInitializer, UsesTheNewOrbInPostInit) {
  const ServantRef servant = CORBA::make_reference<Servant>();
  InterceptedOrb orb({}, {}, [&](const InitInfo& info) {
    const auto root = IDL::traits<PortableServer::POA>::narrow(info->resolve_initial_references("RootPOA"));
    root->activate_object(servant);
    root->the_POAManager()->activate();
    EXPECT_EQ(IDL::traits<OrbTest::Calls>::narrow(root->servant_to_reference(servant))->twice(2), 4);
  });
  TestOrb client;
  EXPECT_EQ(client.at(orb.reference(orb.root, servant))->twice(3), 6);
}

TEST(PolicyFactory, CreatesPoliciesThatReferencesThreadsAndPoasAccept) {
  RecordedOrb orb({}, [](const InitInfo& info) {
    const auto factory = CORBA::make_reference<NumberFactory>();
    info->register_policy_factory(kPolicyType, factory);
    EXPECT_EQ(raised([&] { info->register_policy_factory(kPolicyType, factory); }), "BAD_INV_ORDER 16");
    EXPECT_EQ(raised([&] { info->register_policy_factory(Messaging::SYNC_SCOPE_POLICY_TYPE, factory); }),
              "BAD_INV_ORDER 16");
  });
  const auto policy = [&](std::int32_t number) {
    return orb.orb.orb->create_policy(kPolicyType, any_of(number));
  };
  EXPECT_EQ(raised([&] { policy(-5); }), "CORBA::PolicyError");
  EXPECT_EQ(number_in_policy(policy(5)), 5);

  const PoaRef poa = make_poa(orb.orb.root, "numbered", {policy(7)});
  const ServantRef servant = CORBA::make_reference<Servant>();
  const ObjectRef object = poa->id_to_reference(poa->activate_object(servant));
  const auto call = [&] { CallsRef::adopt(OrbTest::Calls::_make(object->_reference()))->twice(1); };
  int requests = 0;
  orb.server_a->on["receive_contexts"] = orb.server_a->on["send_reply"] = [&](const ServerInfo& info) {
    EXPECT_EQ(number_in_policy(info->get_server_policy(kPolicyType)), 7);
    ++requests;
  };
  orb.client_a->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_FALSE(info->get_request_policy(kPolicyType));
  };
  call();
  IDL::traits<CORBA::PolicyCurrent>::narrow(orb.orb.orb->resolve_initial_references("PolicyCurrent"))
      ->set_policy_overrides({policy(8)}, CORBA::SetOverrideType::ADD_OVERRIDE);
  orb.client_a->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_EQ(number_in_policy(info->get_request_policy(kPolicyType)), 8);
  };
  call();
  EXPECT_EQ(requests, 4);
  EXPECT_EQ(number_in_policy(object->_set_policy_overrides({policy(9)}, CORBA::SetOverrideType::SET_OVERRIDE)
                                 ->_get_policy(kPolicyType)),
            9);
}

struct Codecs : ::testing::Test {
  InterceptedOrb orb{{}, {"-ORBListen", "inproc,tcp"}};
  CORBA::object_reference<IOP::CodecFactory> factory =
      IDL::traits<IOP::CodecFactory>::narrow(orb.orb->resolve_initial_references("CodecFactory"));
  CORBA::object_reference<IOP::Codec> codec =
      factory->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 2));
};

TEST_F(Codecs, EncodeAnysAndValues) {
  CORBA::Any any;
  any <<= 2.5;
  const OctetSeq whole = codec->encode(any), value = codec->encode_value(any);
  EXPECT_EQ(value.size(), 16u);  // byte order, padding, the double
  double decoded = 0;
  EXPECT_TRUE(codec->decode(whole) >>= decoded);
  EXPECT_EQ(decoded, 2.5);
  decoded = 0;
  EXPECT_TRUE(codec->decode_value(value, CORBA::_tc_double) >>= decoded);
  EXPECT_EQ(decoded, 2.5);
}

TEST_F(Codecs, DecodeBigEndianData) {
  std::int32_t decoded = 0;
  EXPECT_TRUE(codec->decode_value({0, 0, 0, 0, 0, 0, 1, 2}, CORBA::_tc_long) >>= decoded);
  EXPECT_EQ(decoded, 0x102);
}

TEST_F(Codecs, KeepReferences) {
  const ServantRef servant = CORBA::make_reference<Servant>();
  CORBA::Any any;
  any <<= ObjectRef(orb.at(orb.serve(servant)));
  ObjectRef decoded;
  EXPECT_TRUE(codec->decode(codec->encode(any)) >>= decoded);
  EXPECT_EQ(IDL::traits<OrbTest::Calls>::narrow(decoded)->twice(3), 6);
}

TEST_F(Codecs, RejectMalformedData) {
  CORBA::Any any;
  any <<= std::string("text");
  const OctetSeq whole = codec->encode(any), value = codec->encode_value(any);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const OctetSeq part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(raised([&] { codec->decode(part); }), "IOP::Codec::FormatMismatch") << n;
  }
  EXPECT_EQ(raised([&] { codec->decode_value({}, CORBA::_tc_string); }), "IOP::Codec::FormatMismatch");
  EXPECT_EQ(raised([&] {
              codec->decode_value({2, 0, 0, 0}, CORBA::_tc_string);
            }),
            "IOP::Codec::FormatMismatch");
  EXPECT_EQ(raised([&] {
              codec->decode_value({1, 0, 0, 0, 255, 255, 255, 255}, CORBA::_tc_string);
            }),
            "IOP::Codec::TypeMismatch");
}

TEST_F(Codecs, HaveTheVersionsOfGiop) {
  CORBA::Any wide;
  wide <<= std::wstring(L"\u00e4");
  const auto of = [&](std::uint8_t minor) {
    return factory->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, minor));
  };
  EXPECT_EQ(raised([&] { of(0)->encode_value(wide); }), "IOP::Codec::InvalidTypeForEncoding");
  EXPECT_NE(of(1)->encode_value(wide), of(2)->encode_value(wide));
  EXPECT_EQ(raised([&] { of(3); }), "IOP::CodecFactory::UnknownEncoding");
  EXPECT_EQ(raised([&] { factory->create_codec(IOP::Encoding(1, 1, 2)); }),
            "IOP::CodecFactory::UnknownEncoding");
}

}  // namespace
}  // namespace orbtest
