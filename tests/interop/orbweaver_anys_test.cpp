// Anys and TypeCodes that Orbweaver sends to a workshop of another ORB and receives back.
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

struct OrbweaverSendsAnys : testing::Test {
  OrbweaverWorkshop::WorkshopRef workshop = workshop_under_test();
  void SetUp() override { ASSERT_TRUE(workshop) << "the reference is not of a workshop"; }

  template <class T>
  void expect_returned(const T& value) {
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

TEST_F(OrbweaverSendsAnys, OfBasicTypes) {
  expect_returned(true);
  expect_returned('x');
  expect_returned(std::uint8_t{200});
  expect_returned(std::int16_t{-2});
  expect_returned(std::uint32_t{4'000'000'000});
  expect_returned(std::int64_t{-5'000'000'000});
  expect_returned(1.5F);
  expect_returned(2.25);
  expect_returned(std::string("some text"));
  expect_returned(std::vector<double>(1000, 0.5));
  EXPECT_TRUE(workshop->remake(CORBA::Any())._empty());
}

TEST_F(OrbweaverSendsAnys, OfStructsSequencesUnionsAndEnums) {
  Interop::Record record;
  record.label("x");
  record.path({{1, 2}});
  record.few({1, 2, 3});
  expect_returned(record);
  expect_returned(Interop::Names{"one", "", "three"});
  expect_returned(Interop::Track{{1, 2}, {3, 4}});
  expect_returned(Interop::Colour::green);
  Interop::Shape shape;
  shape.corner({1, 2});
  expect_returned(shape);
  shape.labels({"a", "b"});
  expect_returned(shape);
  shape.sides(7);
  expect_returned(shape);
}

TEST_F(OrbweaverSendsAnys, OfRecursiveTypes) {
  expect_returned(tree());
  expect_returned(Interop::Forest{tree(), tree()});
  CORBA::Any named = any_of(Interop::Forest{tree()});
  named.type(Interop::_tc_Forest);
  const CORBA::Any back = workshop->remake(named);
  EXPECT_TRUE(back.type()->equivalent(Interop::_tc_Forest));
  Interop::Forest found;
  EXPECT_TRUE(back >>= found);
}

TEST_F(OrbweaverSendsAnys, OfAnys) { expect_returned(any_of(any_of(tree()))); }

TEST_F(OrbweaverSendsAnys, OfReferencesAndTypeCodes) {
  Interop::Workshop::_ref_type found;
  ASSERT_TRUE(workshop->remake(any_of(workshop)) >>= found);
  EXPECT_EQ(found->name(), "peer");
  CORBA::typecode_reference type;
  ASSERT_TRUE(workshop->remake(any_of(Interop::_tc_Tree)) >>= type);
  EXPECT_TRUE(type->equal(Interop::_tc_Tree));
}

TEST_F(OrbweaverSendsAnys, WithTypeCodesThatThePeerDecodes) {
  EXPECT_TRUE(workshop->type_of(any_of(tree()))->equal(Interop::_tc_Tree));
  EXPECT_TRUE(workshop->type_of(any_of(std::int16_t{1}))->equal(CORBA::_tc_short));
  EXPECT_EQ(workshop->type_of(CORBA::Any())->kind(), CORBA::TCKind::tk_null);
}

TEST_F(OrbweaverSendsAnys, AndTypeCodes) {
  using namespace Interop;
  for (const auto& type : {_tc_Colour, _tc_Point, _tc_Doubles, _tc_Grid, _tc_FewLongs, _tc_Record,
                           _tc_Records, _tc_Tree, _tc_Forest, _tc_Shape, _tc_Refused, _tc_Named, _tc_Workshop,
                           CORBA::_tc_any, CORBA::_tc_wstring, CORBA::_tc_TypeCode}) {
    const CORBA::typecode_reference back = workshop->echo_type(type);
    EXPECT_TRUE(back->equal(type)) << printed(type) << " came back as " << printed(back);
  }
}

}  // namespace
}  // namespace interop
