// Anys and TypeCodes that an omniORB client sends to a workshop and receives back.
#include <gmock/gmock.h>

#include "omniorb_workshop.h"

namespace interop {
namespace {

struct OmniOrbSendsAnys : testing::Test {
  Interop::Workshop_var workshop = workshop_under_test();

  CORBA::Any_var remade(const CORBA::Any& any) { return workshop->remake(any); }
  /// The returned value; null if it has another type. Valid until the next call, at most as long as the
  /// fixture.
  template <class T>
  const T* back(const T& value) {
    CORBA::Any any;
    any <<= value;
    any_ = workshop->remake(any);
    const T* found = nullptr;
    EXPECT_TRUE(any_.in() >>= found);
    return found;
  }

  CORBA::Any_var any_;
};

Interop::Tree tree() {
  Interop::Tree leaf, root;
  leaf.name = "leaf";
  leaf.leaf <<= Interop::blue;
  root.name = "root";
  root.leaf <<= leaf;
  root.kids.length(2);
  root.kids[0] = leaf;
  root.kids[1].name = "branch";
  root.kids[1].kids.length(1);
  root.kids[1].kids[0] = leaf;
  return root;
}

void expect_tree(const Interop::Tree* found) {
  ASSERT_NE(found, nullptr);
  EXPECT_STREQ(found->name, "root");
  const Interop::Tree* held = nullptr;
  ASSERT_TRUE(found->leaf >>= held);
  Interop::Colour colour{};
  EXPECT_TRUE(held->leaf >>= colour);
  EXPECT_EQ(colour, Interop::blue);
  ASSERT_EQ(found->kids.length(), 2u);
  ASSERT_EQ(found->kids[1].kids.length(), 1u);
  EXPECT_STREQ(found->kids[1].kids[0].name, "leaf");
}

TEST_F(OmniOrbSendsAnys, OfBasicTypes) {
  CORBA::Any any;
  any <<= CORBA::Any::from_boolean(true);
  CORBA::Boolean truth = false;
  EXPECT_TRUE(remade(any).in() >>= CORBA::Any::to_boolean(truth));
  EXPECT_TRUE(truth);
  any <<= CORBA::LongLong(-5'000'000'000);
  CORBA::LongLong number = 0;
  EXPECT_TRUE(remade(any).in() >>= number);
  EXPECT_EQ(number, -5'000'000'000);
  any <<= "some text";
  const CORBA::Any_var text = remade(any);
  const char* found = nullptr;
  ASSERT_TRUE(text.in() >>= found);
  EXPECT_STREQ(found, "some text");
  const CORBA::TypeCode_var none = remade(CORBA::Any())->type();
  EXPECT_EQ(none->kind(), CORBA::tk_null);
}

TEST_F(OmniOrbSendsAnys, OfStructsSequencesUnionsAndEnums) {
  Interop::Names names;
  names.length(2);
  names[0] = "one";
  names[1] = "";
  const Interop::Names* same = back(names);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->length(), 2u);
  EXPECT_STREQ((*same)[0], "one");

  Interop::Record record{};
  record.letter = 'q';
  record.label = "x";
  record.ratio = 0.5;
  record.valid = true;
  record.hue = Interop::green;
  record.few.length(3);
  record.few[2] = 7;
  for (auto& row : record.cells)
    for (short& cell : row) cell = 3;
  const Interop::Record* again = back(record);
  ASSERT_NE(again, nullptr);
  EXPECT_STREQ(again->label, "x");
  EXPECT_EQ(again->few[2], 7);
  EXPECT_EQ(again->cells[1][2], 3);

  Interop::Shape shape;
  shape.labels(names);
  const Interop::Shape* other = back(shape);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->_d(), Interop::green);
  EXPECT_EQ(other->labels().length(), 2u);
  shape.sides(5);
  other = back(shape);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->sides(), 5);

  CORBA::Any any;
  any <<= Interop::green;
  Interop::Colour colour{};
  EXPECT_TRUE(remade(any).in() >>= colour);
  EXPECT_EQ(colour, Interop::green);
}

TEST_F(OmniOrbSendsAnys, OfRecursiveTypes) {
  expect_tree(back(tree()));
  // A typedef that is part of the recursion.
  Interop::Forest forest;
  forest.length(1);
  forest[0] = tree();
  const Interop::Forest* same = back(forest);
  ASSERT_NE(same, nullptr);
  ASSERT_EQ(same->length(), 1u);
  expect_tree(&(*same)[0]);
}

TEST_F(OmniOrbSendsAnys, OfAnys) {
  CORBA::Any inner, outer;
  inner <<= tree();
  outer <<= inner;
  const CORBA::Any_var returned = remade(outer);
  const CORBA::Any* within = nullptr;
  ASSERT_TRUE(returned.in() >>= within);
  const Interop::Tree* found = nullptr;
  ASSERT_TRUE(*within >>= found);
  expect_tree(found);
}

TEST_F(OmniOrbSendsAnys, OfReferencesAndTypeCodes) {
  CORBA::Any any;
  any <<= workshop.in();
  const CORBA::Any_var same = remade(any);
  Interop::Workshop_ptr found = nullptr;
  ASSERT_TRUE(same.in() >>= found);
  const CORBA::String_var name = found->name();
  EXPECT_STREQ(name, "peer");
  any <<= Interop::_tc_Tree;
  const CORBA::Any_var described = remade(any);
  CORBA::TypeCode_ptr type = nullptr;
  ASSERT_TRUE(described.in() >>= type);
  EXPECT_TRUE(type->equal(Interop::_tc_Tree));
}

TEST_F(OmniOrbSendsAnys, AndTypeCodes) {
  using namespace Interop;
  for (CORBA::TypeCode_ptr type : {_tc_Colour, _tc_Point, _tc_Doubles, _tc_Grid, _tc_FewLongs, _tc_Record,
                                   _tc_Records, _tc_Tree, _tc_Forest, _tc_Shape, _tc_Refused, _tc_Named,
                                   _tc_Workshop, CORBA::_tc_any, CORBA::_tc_wstring, CORBA::_tc_TypeCode}) {
    const CORBA::TypeCode_var same = workshop->echo_type(type);
    EXPECT_TRUE(same->equal(type)) << type->kind();
    CORBA::Any any;
    any <<= type;
    const CORBA::TypeCode_var of_any = workshop->type_of(any);
    EXPECT_EQ(of_any->kind(), CORBA::tk_TypeCode);
  }
}

}  // namespace
}  // namespace interop
