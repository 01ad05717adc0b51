// DynAnys by the rules of CORBA 3.3 part 1, 13, for all kinds of types: initial values, current positions,
// components, copies, comparisons and errors.
#include <limits>

#include "dyn_anys.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using DynamicAny::DynUnion;
using ::testing::ElementsAre;

TEST(DynAnyFactory, IsAnInitialReferenceOfEveryOrb) {
  EXPECT_THAT(orb().list_initial_services(), ::testing::Contains("DynAnyFactory"));
  int argc = 0;
  const auto other = CORBA::ORB_init(argc, nullptr, "other");
  EXPECT_NE(other->resolve_initial_references("DynAnyFactory"), nullptr);
  EXPECT_THROW(other->register_initial_reference("DynAnyFactory", other), CORBA::ORB::InvalidName);
  other->destroy();
}

TEST(DynAnyFactory, MakesInitialValues) {
  const Ref numbers = initial<Every::Numbers>();
  EXPECT_EQ(value_of<Every::Numbers>(numbers).ll(), 0);
  EXPECT_FALSE(numbers->get_boolean());
  const Ref all = initial<Every::Everything>();
  const auto everything = value_of<Every::Everything>(all);
  EXPECT_EQ(everything.text(), "");
  EXPECT_EQ(everything.which(), Every::Kind::NONE);
  EXPECT_TRUE(everything.flags().empty());
  EXPECT_EQ(everything.grid()[2][3], 0);
  const auto dynamic = value_of<Every::Dynamic>(initial<Every::Dynamic>());
  EXPECT_TRUE(dynamic.one()._empty());
  EXPECT_TRUE(dynamic.described()->equal(CORBA::_tc_null));
  EXPECT_EQ(value_of<Every::WithReference>(initial<Every::WithReference>()).any_one(), nullptr);
  EXPECT_EQ(value_of<Every::Price>(initial<Every::Price>()).to_string(), "0.00");
  EXPECT_EQ(value_of<Every::TooMuch>(initial<Every::TooMuch>()).amount(), 0);
}

TEST(DynAnyFactory, MakesSeveralAtOnce) {
  const DynamicAny::AnySeq values{any_of(std::int32_t{1}), any_of(std::string("x"))};
  const DynamicAny::DynAnySeq made = factory().create_multiple_dyn_anys(values, false);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[1]->get_string(), "x");
  const DynamicAny::AnySeq again = factory().create_multiple_anys(made);
  std::int32_t one = 0;
  EXPECT_TRUE(again.at(0) >>= one);
  EXPECT_EQ(one, 1);
  EXPECT_THROW(factory().create_multiple_anys({nullptr}), CORBA::BAD_PARAM);
  EXPECT_EQ(factory().create_dyn_any_without_truncation(values[0])->get_long(), 1);
}

TEST(DynAny, HasTheInterfaceOfItsKind) {
  EXPECT_NE(as<DynStruct>(initial<Every::Pair>()), nullptr);
  EXPECT_NE(as<DynStruct>(initial<Every::TooMuch>()), nullptr);
  EXPECT_NE(as<DynUnion>(initial<Every::ByKind>()), nullptr);
  EXPECT_NE(as<DynSequence>(initial<Every::Forest>()), nullptr);
  EXPECT_NE(as<DynamicAny::DynArray>(initial(Every::_tc_Matrix)), nullptr);
  EXPECT_NE(as<DynamicAny::DynEnum>(initial<Every::Kind>()), nullptr);
  EXPECT_NE(as<DynamicAny::DynFixed>(initial<Every::Price>()), nullptr);
  EXPECT_EQ(as<DynStruct>(initial<Every::Forest>()), nullptr);
  EXPECT_EQ(as<DynSequence>(initial(Every::_tc_Matrix)), nullptr);
}

TEST(DynAny, MovesItsCurrentPosition) {
  const Ref pair = dyn(Every::Pair(1, 2));
  EXPECT_EQ(pair->component_count(), 2u);
  EXPECT_EQ(pair->get_double(), 1);
  EXPECT_TRUE(pair->next());
  EXPECT_EQ(pair->get_double(), 2);
  EXPECT_FALSE(pair->next());
  EXPECT_EQ(pair->current_component(), nullptr);
  EXPECT_THROW(pair->get_double(), DynAny::InvalidValue);
  EXPECT_THROW(pair->insert_double(1), DynAny::InvalidValue);
  EXPECT_TRUE(pair->next());
  EXPECT_EQ(pair->get_double(), 1);
  EXPECT_TRUE(pair->seek(1));
  EXPECT_FALSE(pair->seek(2));
  EXPECT_EQ(pair->current_component(), nullptr);
  EXPECT_FALSE(pair->seek(-1));
  pair->rewind();
  EXPECT_EQ(pair->get_double(), 1);
}

TEST(DynAny, OfABasicTypeHasNoComponents) {
  for (const Ref& each : {initial(CORBA::_tc_long), initial<Every::Kind>(), initial<Every::Price>()}) {
    EXPECT_EQ(each->component_count(), 0u);
    EXPECT_FALSE(each->seek(0));
    EXPECT_FALSE(each->next());
    EXPECT_THROW(each->current_component(), DynAny::TypeMismatch);
  }
}

TEST(DynAny, InsertsAndExtractsItsOwnTypeOnly) {
  const Ref number = initial(CORBA::_tc_long);
  number->insert_long(-5);
  EXPECT_EQ(number->get_long(), -5);
  EXPECT_THROW(number->insert_ulong(5), DynAny::TypeMismatch);
  EXPECT_THROW(number->get_longlong(), DynAny::TypeMismatch);
  EXPECT_THROW(number->insert_reference(nullptr), DynAny::TypeMismatch);
  EXPECT_THROW(number->get_any(), DynAny::TypeMismatch);
  EXPECT_THROW(number->get_long_seq(), DynAny::TypeMismatch);
  EXPECT_THROW(initial<Every::Kind>()->insert_ulong(1), DynAny::TypeMismatch);
  EXPECT_EQ(value_of<std::int32_t>(number), -5);
}

TEST(DynAny, InsertsIntoItsCurrentComponent) {
  const Ref all = initial<Every::Everything>();
  EXPECT_THROW(all->insert_boolean(true), DynAny::TypeMismatch) << "the first member has members itself";
  all->next();
  all->insert_string("text");
  EXPECT_EQ(all->get_string(), "text") << "the position is unchanged";
  EXPECT_THROW(all->insert_long(1), DynAny::TypeMismatch);
  EXPECT_EQ(value_of<Every::Everything>(all).text(), "text");
}

TEST(DynAny, RejectsStringsLongerThanTheirBound) {
  const Ref all = initial<Every::Everything>();
  all->seek(3);
  all->insert_string("12345");
  EXPECT_THROW(all->insert_string("123456"), DynAny::InvalidValue);
  all->seek(4);
  EXPECT_THROW(all->insert_wstring(L"1234567"), DynAny::InvalidValue);
  EXPECT_EQ(value_of<Every::Everything>(all).bounded(), "12345");
}

TEST(DynAny, ChangesWithItsComponents) {
  const Ref all = initial<Every::Everything>();
  const Ref numbers = at(all, 0), letter = at(numbers, 1);
  letter->insert_char('q');
  EXPECT_EQ(value_of<Every::Everything>(all).all().letter(), 'q');
  const Ref grid = at(all, 5), row = at(grid, 2);
  row->seek(3);
  row->insert_long(9);
  EXPECT_EQ(value_of<Every::Everything>(all).grid()[2][3], 9);
  EXPECT_EQ(value_of<Every::Everything>(all).grid()[2][2], 0);
  EXPECT_EQ(value_of<Every::Matrix>(grid)[2][3], 9);
}

TEST(DynAny, ReturnsTheSameComponentAgain) {
  const Ref all = initial<Every::Everything>();
  const Ref numbers = all->current_component();
  numbers->seek(4);
  EXPECT_EQ(all->current_component(), numbers);
  // Its position lasts as long as it is the current one, also without a reference of the program.
  const Ref tree = dyn(Every::Tree("a", {Every::Tree("b", {}), Every::Tree("c", {})}));
  tree->seek(1);
  tree->current_component()->next();
  EXPECT_EQ(tree->current_component()->current_component()->get_string(), "c");
}

TEST(DynAny, ComponentsFollowAssignments) {
  const Ref tree = dyn(Every::Tree("a", {Every::Tree("b", {}), Every::Tree("c", {})}));
  const Ref kids = at(tree, 1), first = at(kids, 0), second = at(kids, 1);
  second->insert_string("changed");
  Any any;
  any <<= Every::Tree("x", {Every::Tree("y", {})});
  tree->from_any(any);
  EXPECT_EQ(first->get_string(), "y");
  EXPECT_EQ(kids->component_count(), 1u);
  EXPECT_THROW(second->get_string(), CORBA::OBJECT_NOT_EXIST);
  first->insert_string("z");
  EXPECT_EQ(value_of<Every::Tree>(tree).kids()[0].name(), "z");
  EXPECT_EQ(tree->get_string(), "x") << "the position is 0 again";
}

TEST(DynAny, AssignsEquivalentTypesOnly) {
  const Ref alias = initial(Every::_tc_Value), plain = initial(CORBA::_tc_any);
  plain->insert_any(any_of(std::int32_t{4}));
  alias->assign(plain);
  EXPECT_EQ(alias->get_dyn_any()->get_long(), 4);
  EXPECT_EQ(alias->to_any().type()->kind(), TCKind::tk_alias) << "the type stays";
  EXPECT_THROW(alias->assign(initial(CORBA::_tc_long)), DynAny::TypeMismatch);
  EXPECT_THROW(alias->from_any(any_of(std::string())), DynAny::TypeMismatch);
  EXPECT_THROW(alias->assign(nullptr), CORBA::BAD_PARAM);
}

TEST(DynAny, ComparesTypesAndValues) {
  EXPECT_TRUE(dyn(Every::Pair(1, 2))->equal(dyn(Every::Pair(1, 2))));
  EXPECT_FALSE(dyn(Every::Pair(1, 2))->equal(dyn(Every::Pair(1, 3))));
  EXPECT_FALSE(initial(CORBA::_tc_long)->equal(initial(CORBA::_tc_ulong)));
  EXPECT_TRUE(dyn(0.0)->equal(dyn(-0.0)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(dyn(nan)->equal(dyn(nan)));
  const Every::Forest none, some{Every::Tree("a", {})};
  EXPECT_FALSE(dyn(none)->equal(dyn(some)));
  EXPECT_TRUE(dyn(Every::Values{any_of(some)})->equal(dyn(Every::Values{any_of(some)})));
  EXPECT_FALSE(dyn(Every::Values{any_of(some)})->equal(dyn(Every::Values{any_of(none)})));
  EXPECT_TRUE(dyn(Every::Price("1.50"))->equal(dyn(Every::Price("1.50"))));
  EXPECT_FALSE(dyn(Every::Price("1.50"))->equal(dyn(Every::Price("-1.50"))));
  EXPECT_THROW(dyn(nan)->equal(nullptr), CORBA::BAD_PARAM);
}

TEST(DynAny, ComparesReferencesByTheirObjects) {
  const auto reference = [](const char* text) {
    const Ref made = initial(CORBA::_tc_Object);
    made->insert_reference(orb().string_to_object(text));
    return made;
  };
  const Ref one = reference("corbaloc::host:1/key");
  EXPECT_TRUE(one->equal(reference("corbaloc::host:1/key")));
  EXPECT_FALSE(one->equal(reference("corbaloc::host:1/other")));
  EXPECT_FALSE(one->equal(initial(CORBA::_tc_Object)));
  EXPECT_TRUE(one->copy()->get_reference()->_is_equivalent(one->get_reference()));
}

TEST(DynAny, CopiesAreIndependent) {
  const Ref original = dyn(Every::Pair(1, 2)), copy = original->copy();
  original->insert_double(5);
  EXPECT_EQ(copy->get_double(), 1);
  original->seek(1);
  EXPECT_EQ(original->copy()->get_double(), 5) << "a copy begins at its first component";
}

TEST(DynAny, DoesNotExistAfterItHasBeenDestroyed) {
  const Ref tree = dyn(Every::Tree("a", {Every::Tree("b", {})}));
  const Ref kids = at(tree, 1), kid = at(kids, 0), copy = kid->copy();
  kids->destroy();
  EXPECT_EQ(kid->get_string(), "b") << "the destruction of a component has no effect";
  tree->destroy();
  EXPECT_THROW(tree->destroy(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(tree->type(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(tree->to_any(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(tree->seek(0), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(as<DynSequence>(kids)->get_length(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(kid->get_string(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(kid->next(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(copy->assign(kid), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(copy->equal(kid), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(copy->get_string(), "b");
}

TEST(DynAny, ComponentsOutliveAWholeThatIsReleased) {
  Ref tree = dyn(Every::Tree("a", {Every::Tree("b", {})}));
  const Ref kids = at(tree, 1);
  tree = nullptr;
  at(kids, 0)->insert_string("c");
  EXPECT_EQ(value_of<Every::Forest>(kids)[0].name(), "c");
  kids->destroy();
  EXPECT_THROW(kids->to_any(), CORBA::OBJECT_NOT_EXIST);
}

TEST(DynAny, ReadsAndWritesSequencesOfBasicTypes) {
  const Ref octets = initial<std::vector<std::uint8_t>>();
  octets->insert_octet_seq({1, 2, 3});
  EXPECT_EQ(octets->component_count(), 3u);
  EXPECT_EQ(octets->get_octet(), 1);
  EXPECT_THAT(octets->get_octet_seq(), ElementsAre(1, 2, 3));
  EXPECT_THROW(octets->insert_char_seq({'a'}), DynAny::TypeMismatch);
  const Ref all = initial<Every::Everything>();
  all->seek(9);
  all->insert_boolean_seq({true, false});
  EXPECT_THAT(all->get_boolean_seq(), ElementsAre(true, false));
  all->seek(11);
  EXPECT_THROW(all->insert_boolean_seq({true}), DynAny::InvalidValue) << "an array of two";
  all->insert_boolean_seq({false, true});
  EXPECT_THAT(value_of<Every::Everything>(all).pair(), ElementsAre(false, true));
  EXPECT_THROW(all->get_octet_seq(), DynAny::TypeMismatch);
  all->seek(-1);
  EXPECT_THROW(all->get_octet_seq(), DynAny::InvalidValue);
  const Ref nested = initial<Every::Nested>();
  as<DynSequence>(nested)->set_length(1);
  nested->insert_octet_seq({1, 2, 3, 4});
  EXPECT_THROW(nested->insert_octet_seq({1, 2, 3, 4, 5}), DynAny::InvalidValue) << "bounded";
  const Ref wide = initial<std::vector<wchar_t>>(), wider = initial<std::vector<long double>>();
  wide->insert_wchar_seq({L'a', L'\u20ac', wchar_t{0x1f600}});
  EXPECT_THAT(wide->get_wchar_seq(), ElementsAre(L'a', L'\u20ac', wchar_t{0x1f600}));
  wider->insert_longdouble_seq({1.25L, -2.5L});
  EXPECT_THAT(wider->get_longdouble_seq(), ElementsAre(1.25L, -2.5L));
  EXPECT_EQ(at(wider, 1)->get_longdouble(), -2.5L);
}

}  // namespace
}  // namespace dynany
