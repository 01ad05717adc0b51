// The interfaces of DynAnys of one kind (CORBA 3.3 part 1, 13.2.4 to 13.2.12).
#include <orbweaver/typecode_members.h>

#include "dyn_anys.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using DynamicAny::DynUnion;
using ::testing::ElementsAre;

TEST(DynFixed, ReadsAndWritesText) {
  const auto price = as<DynamicAny::DynFixed>(initial<Every::Price>());
  EXPECT_TRUE(price->set_value("-12.50d"));
  EXPECT_EQ(price->get_value(), "-12.50");
  EXPECT_FALSE(price->set_value("1.239"));
  EXPECT_EQ(price->get_value(), "1.23");
  EXPECT_TRUE(price->set_value("+1.2300"));
  EXPECT_THROW(price->set_value("1000"), DynAny::InvalidValue);
  EXPECT_THROW(price->set_value("one"), DynAny::TypeMismatch);
  EXPECT_EQ(price->get_value(), "1.23");
}

TEST(DynEnum, ReadsAndWritesNamesAndPositions) {
  const auto kind = as<DynamicAny::DynEnum>(initial<Every::Kind>());
  EXPECT_EQ(kind->get_as_string(), "NONE");
  kind->set_as_string("MANY");
  EXPECT_EQ(kind->get_as_ulong(), 2u);
  kind->set_as_ulong(1);
  EXPECT_EQ(value_of<Every::Kind>(kind), Every::Kind::SOME);
  EXPECT_THROW(kind->set_as_ulong(3), DynAny::InvalidValue);
  EXPECT_THROW(kind->set_as_string("none"), DynAny::InvalidValue);
  EXPECT_EQ(kind->get_as_string(), "SOME");
}

TEST(DynStruct, NamesItsMembers) {
  const auto tree = as<DynStruct>(dyn(Every::Tree("a", {})));
  EXPECT_EQ(tree->current_member_name(), "name");
  EXPECT_EQ(tree->current_member_kind(), TCKind::tk_string);
  tree->next();
  EXPECT_EQ(tree->current_member_name(), "kids");
  EXPECT_EQ(tree->current_member_kind(), TCKind::tk_sequence);
  tree->next();
  EXPECT_THROW(tree->current_member_name(), DynAny::InvalidValue);
  EXPECT_THROW(tree->current_member_kind(), DynAny::InvalidValue);
  const auto empty = as<DynStruct>(initial<Every::Empty>());
  EXPECT_THROW(empty->current_member_name(), DynAny::TypeMismatch);
  EXPECT_THROW(empty->current_component(), DynAny::TypeMismatch);
  EXPECT_TRUE(empty->get_members().empty());
}

TEST(DynStruct, SetsAllMembersOrNone) {
  const auto pair = as<DynStruct>(dyn(Every::Pair(1, 2)));
  DynamicAny::NameValuePairSeq members = pair->get_members();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].id(), "im");
  members[0].id("");
  members[0].value(any_of(3.0));
  members[1].value(any_of(4.0));
  pair->seek(1);
  pair->set_members(members);
  EXPECT_EQ(pair->get_double(), 3) << "the position is 0";
  EXPECT_EQ(value_of<Every::Pair>(pair).im(), 4);
  members[1].value(any_of(std::int32_t{4}));
  members[0].value(any_of(9.0));
  EXPECT_THROW(pair->set_members(members), DynAny::TypeMismatch);
  members[1] = {"re", any_of(4.0)};
  EXPECT_THROW(pair->set_members(members), DynAny::TypeMismatch);
  members.pop_back();
  EXPECT_THROW(pair->set_members(members), DynAny::InvalidValue);
  EXPECT_EQ(pair->get_double(), 3);
}

TEST(DynStruct, SetsItsMembersToCopiesOfDynAnys) {
  const auto pair = as<DynStruct>(initial<Every::Pair>());
  const Ref real = dyn(7.0);
  pair->set_members_as_dyn_any({{"re", real}, {"", dyn(8.0)}});
  real->insert_double(1);
  EXPECT_EQ(value_of<Every::Pair>(pair).re(), 7);
  EXPECT_EQ(value_of<Every::Pair>(pair).im(), 8);
  EXPECT_THROW(pair->set_members_as_dyn_any({{"re", real}, {"im", nullptr}}), CORBA::BAD_PARAM);
  const DynamicAny::NameDynAnyPairSeq members = pair->get_members_as_dyn_any();
  members.at(1).value()->insert_double(2);
  EXPECT_EQ(value_of<Every::Pair>(pair).im(), 2) << "these are the components";
}

TEST(DynStruct, ExceptionsHaveTheirRepositoryId) {
  const Ref raised = dyn(Every::TooMuch(5, Every::Kind::SOME, {"a", "b"}));
  raised->insert_long(6);
  const auto again = value_of<Every::TooMuch>(raised);
  EXPECT_EQ(again.amount(), 6);
  EXPECT_THAT(again.words(), ElementsAre("a", "b"));
}

TEST(DynSequence, ChangesItsLength) {
  const auto values = as<DynSequence>(initial<std::vector<std::int16_t>>());
  EXPECT_EQ(values->current_component(), nullptr);
  values->set_length(2);
  EXPECT_EQ(values->get_short(), 0) << "the first new element is the current one";
  values->insert_short(1);
  values->next();
  values->insert_short(2);
  values->set_length(4);
  EXPECT_EQ(values->get_short(), 2) << "the position is unchanged";
  values->seek(3);
  const Ref last = values->current_component();
  values->set_length(1);
  EXPECT_EQ(values->current_component(), nullptr);
  EXPECT_THROW(last->get_short(), CORBA::OBJECT_NOT_EXIST);
  values->set_length(3);
  EXPECT_EQ(values->get_short(), 0) << "the current one is the first new element";
  EXPECT_THAT(value_of<std::vector<std::int16_t>>(values), ElementsAre(1, 0, 0));
  values->set_length(0);
  EXPECT_FALSE(values->next());
  EXPECT_EQ(values->get_length(), 0u);
  EXPECT_THROW(as<DynSequence>(initial<Every::Nested>())->set_length(3), DynAny::InvalidValue);
}

TEST(DynSequence, KeepsElementsOfALongerValue) {
  const Ref trees = dyn(Every::Forest{Every::Tree("a", {}), Every::Tree("b", {}), Every::Tree("c", {})});
  as<DynSequence>(trees)->set_length(2);
  as<DynSequence>(trees)->set_length(4);
  at(at(trees, 3), 0)->insert_string("d");
  const auto forest = value_of<Every::Forest>(trees);
  ASSERT_EQ(forest.size(), 4u);
  EXPECT_EQ(forest[1].name(), "b");
  EXPECT_EQ(forest[2].name(), "") << "the third element is a new one";
  EXPECT_EQ(forest[3].name(), "d");
}

TEST(DynSequence, SetsItsElements) {
  const auto nested = as<DynSequence>(initial<Every::Nested>());
  using Octets = IDL::bounded_vector<std::uint8_t, 4>;
  nested->set_elements({any_of(Octets{1}), any_of(Octets{2, 3})});
  EXPECT_EQ(nested->get_length(), 2u);
  EXPECT_EQ(value_of<Octets>(nested->current_component()), Octets{1});
  EXPECT_THROW(nested->set_elements({any_of(Octets{}), any_of(Octets{}), any_of(Octets{})}),
               DynAny::InvalidValue);
  EXPECT_THROW(nested->set_elements({any_of(std::vector<std::uint8_t>{})}), DynAny::TypeMismatch);
  const DynamicAny::DynAnySeq elements = nested->get_elements_as_dyn_any();
  nested->set_elements_as_dyn_any({elements[1], elements[0]});
  EXPECT_EQ(value_of<Every::Nested>(nested), (Every::Nested{Octets{2, 3}, Octets{1}}));
  EXPECT_EQ(nested->get_elements().size(), 2u);
  nested->set_elements({});
  EXPECT_EQ(nested->current_component(), nullptr);
}

TEST(DynArray, SetsAllItsElements) {
  const Ref grid = initial(Every::_tc_Matrix);
  const Ref row = at(grid, 1);
  const auto cells = as<DynamicAny::DynArray>(row);
  DynamicAny::AnySeq elements = cells->get_elements();
  ASSERT_EQ(elements.size(), 4u);
  elements[2] = any_of(std::int32_t{6});
  cells->seek(3);
  cells->set_elements(elements);
  EXPECT_EQ(cells->get_long(), 0) << "the position is 0";
  EXPECT_EQ(value_of<Every::Matrix>(grid)[1][2], 6);
  elements.pop_back();
  EXPECT_THROW(cells->set_elements(elements), DynAny::InvalidValue);
}

TEST(DynUnion, FollowsItsDiscriminator) {
  const auto either = as<DynUnion>(initial<Every::ByKind>());
  EXPECT_EQ(either->member_name(), "count");
  EXPECT_EQ(either->component_count(), 2u);
  EXPECT_EQ(either->discriminator_kind(), TCKind::tk_enum);
  const Ref count = either->member();
  count->insert_long(3);
  const auto kind = as<DynamicAny::DynEnum>(either->get_discriminator());
  kind->set_as_string("SOME");
  EXPECT_THROW(count->get_long(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(either->member_kind(), TCKind::tk_string);
  either->member()->insert_string("words");
  kind->set_as_string("MANY");
  EXPECT_EQ(either->member()->get_string(), "words") << "another label of the same member";
  EXPECT_EQ(value_of<Every::ByKind>(either)._d(), Every::Kind::MANY);
  kind->set_as_string("NONE");
  EXPECT_EQ(value_of<Every::ByKind>(either).count(), 0);
}

TEST(DynUnion, SetsItsDiscriminator) {
  const auto either = as<DynUnion>(initial<Every::ByNumber>());
  EXPECT_EQ(either->get_discriminator()->get_long(), 1);
  either->set_discriminator(dyn(std::int32_t{-5}));
  EXPECT_EQ(either->member_name(), "bytes");
  EXPECT_EQ(as<DynSequence>(either->current_component())->get_length(), 0u) << "the position is 1";
  EXPECT_FALSE(either->is_set_to_default_member());
  EXPECT_THROW(either->set_discriminator(dyn(std::int16_t{1})), DynAny::TypeMismatch);
  EXPECT_THROW(either->set_discriminator(nullptr), CORBA::BAD_PARAM);
  either->set_to_default_member();
  EXPECT_TRUE(either->is_set_to_default_member());
  EXPECT_EQ(either->get_long(), 0) << "the discriminator is current";
  EXPECT_EQ(either->member_name(), "rest");
  EXPECT_THROW(either->set_to_no_active_member(), DynAny::TypeMismatch);
  EXPECT_FALSE(either->has_no_active_member());
}

TEST(DynUnion, MayHaveNoActiveMember) {
  const auto maybe = as<DynUnion>(initial<Every::ByTruth>());
  EXPECT_EQ(maybe->member_name(), "value");
  maybe->member()->insert_double(2);
  maybe->set_to_no_active_member();
  EXPECT_TRUE(maybe->has_no_active_member());
  EXPECT_EQ(maybe->component_count(), 1u);
  EXPECT_FALSE(maybe->get_boolean());
  EXPECT_FALSE(maybe->next());
  EXPECT_THROW(maybe->member(), DynAny::InvalidValue);
  EXPECT_THROW(maybe->member_name(), DynAny::InvalidValue);
  EXPECT_THROW(maybe->set_to_default_member(), DynAny::TypeMismatch);
  EXPECT_FALSE(value_of<Every::ByTruth>(maybe)._d());
  maybe->rewind();
  maybe->insert_boolean(true);
  EXPECT_EQ(value_of<Every::ByTruth>(maybe).value(), 0);
}

TEST(DynUnion, KeepsItsMemberThroughAssignmentsOfTheSameCase) {
  Every::ByKind one, other;
  one.words("a");
  other.words("b");
  other._d(Every::Kind::MANY);
  const auto either = as<DynUnion>(dyn(one));
  const Ref words = either->member();
  either->assign(dyn(other));
  EXPECT_EQ(words->get_string(), "b");
  words->insert_string("c");
  EXPECT_EQ(value_of<Every::ByKind>(either).words(), "c");
}

// Value types of which the program knows the TypeCode only (dyn_value_test.cpp has others).
struct DynValues : ::testing::Test {
  static CORBA::ValueMemberSeq member(const char* name, const TypeRef& type) {
    return {CORBA::ValueMember(name, "", "", "", type, nullptr, CORBA::PUBLIC_MEMBER)};
  }
  TypeRef base = orb().create_value_tc("IDL:Test/Base:1.0", "Base", 0, nullptr, member("x", CORBA::_tc_long));
  TypeRef derived =
      orb().create_value_tc("IDL:Test/Derived:1.0", "Derived", 0, base, member("y", CORBA::_tc_string));
};

TEST_F(DynValues, AreInitiallyNull) {
  const auto value = as<DynamicAny::DynValue>(initial(derived));
  EXPECT_TRUE(value->is_null());
  EXPECT_EQ(value->component_count(), 0u);
  EXPECT_THROW(value->get_members(), DynAny::InvalidValue);
  EXPECT_THROW(value->current_member_name(), DynAny::InvalidValue);
  EXPECT_EQ(value->current_component(), nullptr);
  EXPECT_EQ(octets_of(value->to_any()), std::vector<std::uint8_t>(4));
  EXPECT_TRUE(as<DynamicAny::DynValue>(value->copy())->is_null());
}

TEST_F(DynValues, HaveTheMembersOfTheirBasesFirst) {
  const auto value = as<DynamicAny::DynValue>(initial(derived));
  value->set_to_value();
  EXPECT_FALSE(value->is_null());
  EXPECT_EQ(value->current_member_name(), "x");
  value->insert_long(4);
  value->set_to_value();
  EXPECT_EQ(value->get_long(), 4) << "no effect";
  value->set_members({{"x", any_of(std::int32_t{5})}, {"y", any_of(std::string("z"))}});
  EXPECT_EQ(value->get_long(), 5);
  EXPECT_EQ(value->get_members_as_dyn_any().at(1).value()->get_string(), "z");
  EXPECT_EQ(octets_of(factory().create_dyn_any(value->to_any())->to_any()), octets_of(value->to_any()));
  value->set_to_null();
  EXPECT_TRUE(value->is_null());
}

TEST_F(DynValues, BoxesHaveOneComponent) {
  const auto box = as<DynamicAny::DynValueBox>(
      initial(orb().create_value_box_tc("IDL:Test/Box:1.0", "Box", CORBA::_tc_short)));
  EXPECT_TRUE(box->is_null());
  EXPECT_THROW(box->get_boxed_value(), DynAny::InvalidValue);
  EXPECT_THROW(box->get_boxed_value_as_dyn_any(), DynAny::InvalidValue);
  EXPECT_THROW(box->set_boxed_value(any_of(std::int32_t{1})), DynAny::TypeMismatch);
  box->set_boxed_value(any_of(std::int16_t{1}));
  EXPECT_EQ(box->get_short(), 1);
  box->set_boxed_value_as_dyn_any(dyn(std::int16_t{2}));
  EXPECT_EQ(box->get_boxed_value_as_dyn_any()->get_short(), 2);
  box->set_to_null();
  EXPECT_EQ(box->component_count(), 0u);
}

}  // namespace
}  // namespace dynany
