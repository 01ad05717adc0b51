// Anys and TypeCodes on their way to a workshop of another ORB and back.
#include <gmock/gmock.h>

#include <sstream>

#include "orbweaver_workshop.h"

namespace interop {
namespace {

using testing::HasSubstr;

template <class T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}
template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

struct WeSendAnys : testing::Test {
  OurWorkshop::WorkshopRef workshop = workshop_under_test();
  void SetUp() override { ASSERT_TRUE(workshop) << "the reference is of something else"; }

  template <class T>
  void comes_back(const T& value) {
    T found{};
    const CORBA::Any any = workshop->remake(any_of(value));
    ASSERT_TRUE(any >>= found) << any.type();
    std::ostringstream sent, seen;
    orbweaver::print(sent, value);
    orbweaver::print(seen, found);
    EXPECT_EQ(seen.str(), sent.str());
  }
};

Interop::Tree tree() {
  const Interop::Tree leaf("leaf", any_of(Interop::Colour::blue), {});
  return {"root", any_of(leaf), {leaf, Interop::Tree("branch", any_of(2.5), {leaf, leaf})}};
}

TEST_F(WeSendAnys, OfBasicTypes) {
  comes_back(true);
  comes_back('x');
  comes_back(std::uint8_t{200});
  comes_back(std::int16_t{-2});
  comes_back(std::uint32_t{4'000'000'000});
  comes_back(std::int64_t{-5'000'000'000});
  comes_back(1.5F);
  comes_back(2.25);
  comes_back(std::string("some text"));
  comes_back(std::vector<double>(1000, 0.5));
  EXPECT_TRUE(workshop->remake(CORBA::Any())._empty());
}

TEST_F(WeSendAnys, OfStructsSequencesUnionsAndEnums) {
  Interop::Record record;
  record.label("x");
  record.path({{1, 2}});
  record.few({1, 2, 3});
  comes_back(record);
  comes_back(Interop::Names{"one", "", "three"});
  comes_back(Interop::Track{{1, 2}, {3, 4}});
  comes_back(Interop::Colour::green);
  Interop::Shape shape;
  shape.corner({1, 2});
  comes_back(shape);
  shape.labels({"a", "b"});
  comes_back(shape);
  shape.sides(7);
  comes_back(shape);
}

TEST_F(WeSendAnys, OfRecursiveTypes) {
  comes_back(tree());
  comes_back(Interop::Forest{tree(), tree()});
  CORBA::Any named = any_of(Interop::Forest{tree()});
  named.type(Interop::_tc_Forest);
  const CORBA::Any back = workshop->remake(named);
  EXPECT_TRUE(back.type()->equivalent(Interop::_tc_Forest));
  Interop::Forest found;
  EXPECT_TRUE(back >>= found);
}

TEST_F(WeSendAnys, OfAnys) { comes_back(any_of(any_of(tree()))); }

TEST_F(WeSendAnys, OfReferencesAndTypeCodes) {
  Interop::Workshop::_ref_type found;
  ASSERT_TRUE(workshop->remake(any_of(workshop)) >>= found);
  EXPECT_EQ(found->name(), "peer");
  CORBA::typecode_reference type;
  ASSERT_TRUE(workshop->remake(any_of(Interop::_tc_Tree)) >>= type);
  EXPECT_TRUE(type->equal(Interop::_tc_Tree));
}

TEST_F(WeSendAnys, WhoseTypesAreUnderstood) {
  EXPECT_TRUE(workshop->type_of(any_of(tree()))->equal(Interop::_tc_Tree));
  EXPECT_TRUE(workshop->type_of(any_of(std::int16_t{1}))->equal(CORBA::_tc_short));
  EXPECT_EQ(workshop->type_of(CORBA::Any())->kind(), CORBA::TCKind::tk_null);
}

TEST_F(WeSendAnys, AndTypeCodesAlone) {
  using namespace Interop;
  for (const auto& type : {_tc_Colour, _tc_Point, _tc_Doubles, _tc_Grid, _tc_FewLongs, _tc_Record, _tc_Records, _tc_Tree,
                           _tc_Forest, _tc_Shape, _tc_Refused, _tc_Named, _tc_Workshop, CORBA::_tc_any,
                           CORBA::_tc_wstring, CORBA::_tc_TypeCode}) {
    const CORBA::typecode_reference back = workshop->echo_type(type);
    EXPECT_TRUE(back->equal(type)) << printed(type) << " came back as " << printed(back);
  }
}

}  // namespace
}  // namespace interop
