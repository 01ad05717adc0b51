// Anys and TypeCodes as arguments, results, attributes, members and exceptions, over every transport.
#include <gtest/gtest.h>

#include <optional>

#include "testing/anys.h"
#include "testing/anys_servant.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

class AnyArguments : public ::testing::TestWithParam<std::string> {
 protected:
  AnyArguments() {
    server_.emplace(Options{"-ORBListen", "inproc,shm,unix,mqueue,tcp,udp"});
    if (GetParam() != "direct") client_.emplace(Options{"-ORBTransportPreference", GetParam()});
    server_->root->activate_object(servant_);
    const std::string text = server_->orb->object_to_string(server_->root->servant_to_reference(servant_));
    anys = IDL::traits<OrbTest::Anys>::narrow((client_ ? client_ : server_)->orb->string_to_object(text));
  }

  AnysRef anys;

 private:
  CORBA::servant_reference<AnysServant> servant_ = CORBA::make_reference<AnysServant>();
  std::optional<TestOrb> server_, client_;
};

TEST_P(AnyArguments, PassAsInOutAndInoutParameters) {
  CORBA::Any b = any_of(std::string("was b"));
  CORBA::typecode_reference type;
  const CORBA::Any was = anys->turn(any_of(OrbTest::Point(1, 2)), b, type);
  EXPECT_EQ(printed(was), "string(\"was b\")");
  EXPECT_EQ(printed(b), "Point{x: 1, y: 2}");
  EXPECT_TRUE(type->equal(OrbTest::_tc_Point));
  OrbTest::Point point;
  EXPECT_TRUE(b >>= point);
  EXPECT_EQ(point.y(), 2);
}

TEST_P(AnyArguments, PassAsAttributes) {
  anys->held(any_of(OrbTest::Doubles(10'000, 0.5)));
  EXPECT_EQ(printed(anys->type_held()), "sequence<double>");
  OrbTest::Doubles found;
  EXPECT_TRUE(anys->held() >>= found);
  EXPECT_EQ(found, OrbTest::Doubles(10'000, 0.5));
  anys->held(CORBA::Any());
  EXPECT_TRUE(anys->held()._empty());
}

TEST_P(AnyArguments, PassInOneWayCalls) {
  anys->hold(any_of(std::int16_t{7}));
  EXPECT_TRUE(becomes_true([&] { return printed(anys->held()) == "short(7)"; }));
}

TEST_P(AnyArguments, PassInSequencesAndMaps) {
  const OrbTest::Values turned = anys->reversed({any_of(true), any_of(any_of(2.5)), CORBA::Any()});
  ASSERT_EQ(turned.size(), 3u);
  EXPECT_EQ(printed(turned[1]), "any(double(2.5))");
  const auto by_type = anys->by_type({any_of(true), any_of('x')});
  ASSERT_EQ(by_type.size(), 2u);
  EXPECT_EQ(printed(by_type.at("char")), "char(\"x\")");
}

TEST_P(AnyArguments, PassInRecursiveStructsAndUnions) {
  const OrbTest::Branch twig("twig", any_of(1.5F), {});
  const OrbTest::Branch tree("tree", any_of(twig), {twig, OrbTest::Branch("bare", {}, {twig})});
  OrbTest::Either which;
  which.one(any_of(tree));
  EXPECT_EQ(printed(anys->same(tree, which)), printed(tree));
  ASSERT_FALSE(which._d());
  EXPECT_TRUE(which.described()->equal(OrbTest::_tc_Branch));
  EXPECT_TRUE(
      which.described()->equivalent(which.described()->member_type(2)->content_type()->content_type()));
}

TEST_P(AnyArguments, PassInExceptions) {
  try {
    anys->refuse(any_of(OrbTest::Refused("no", 3)));
    FAIL() << "did not raise";
  } catch (const OrbTest::Odd& odd) {
    EXPECT_TRUE(odd.type()->equal(OrbTest::_tc_Refused));
    OrbTest::Refused within;
    ASSERT_TRUE(odd.given() >>= within);
    EXPECT_EQ(within.code(), 3);
  }
}

TEST_P(AnyArguments, CarryObjectReferences) {
  anys->held(any_of(anys));
  AnysRef found;
  ASSERT_TRUE(anys->held() >>= found);
  EXPECT_TRUE(found->_is_equivalent(anys));
  EXPECT_EQ(printed(found->type_held()), "Anys");
  anys->held(CORBA::Any());  // otherwise the servant keeps a reference to itself
}

TEST(TypeCodesOfTwoFiles, AreEqual) {
  EXPECT_EQ(OrbTest::_tc_Visit->member_type(0).get(), OrbTest::_tc_Track.get());
  EXPECT_EQ(OrbTest::_tc_Visit->member_type(1).get(), OrbTest::_tc_Record.get());
}

INSTANTIATE_TEST_SUITE_P(Transports, AnyArguments,
                         ::testing::Values("direct", "inproc", "shm", "unix", "mqueue", "tcp", "udp"),
                         [](const auto& transport) { return transport.param; });

}  // namespace
}  // namespace orbtest
