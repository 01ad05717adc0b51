// DynAnys of value types and value boxes (CORBA 3.3 part 1, 13.2.10 to 13.2.12). Unless a test says so, no
// factory is registered: TypeCodes suffice.
#include <orbweaver/typecode_members.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>

#include "../values/values.h"
#include "dyn_anys.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using DynamicAny::DynUnion;
using DynamicAny::DynValue;
using DynamicAny::DynValueBox;
using orbweaver::cdr::testing::encoded;
using ::testing::ElementsAre;
using valuetest::node;
using valuetest::NodeRef;
using WeakRef = CORBA::weak_object_reference<DynAny>;

/// Breaks the cycles of a node at the end.
struct Cyclic {
  explicit Cyclic(NodeRef n) : first(std::move(n)) {}
  ~Cyclic() {
    first->next(nullptr);
    first->children({});
  }
  Cyclic(const Cyclic&) = delete;
  Cyclic& operator=(const Cyclic&) = delete;
  const NodeRef first;
};

IDL::traits<Values::MostDerived>::ref_type most_derived(const NodeRef& first = nullptr) {
  return IDL::traits<Values::MostDerived>::make_reference(
      std::uint8_t{1}, 2.5, CORBA::make_reference<Values::Text>("t"), std::uint8_t{3}, 4.0L,
      Values::Samples{5.0, 5.5}, first, L"wide");
}

/// Calls `visit` once for the DynAny and for each of its components at every depth.
void traverse(const Ref& whole, const std::function<void(const Ref&)>& visit) {
  std::vector<Ref> work{whole}, seen{whole};
  while (!work.empty()) {
    const Ref each = work.back();
    work.pop_back();
    visit(each);
    const std::uint32_t n = each->component_count();
    for (std::uint32_t i = 0; i < n; ++i) {
      const Ref component = at(each, static_cast<std::int32_t>(i));
      if (std::find(seen.begin(), seen.end(), component) != seen.end()) continue;
      seen.push_back(component);
      work.push_back(component);
    }
  }
}

std::vector<std::string> member_names(const Ref& value) {
  std::vector<std::string> names;
  for (const auto& each : as<DynValue>(value)->get_members()) names.push_back(each.id());
  return names;
}

// ---- values as they are received ----

TEST(DynValue, HasTheMembersOfItsBasesFirst) {
  const Ref value = dyn(most_derived(node(7)));
  const auto members = as<DynValue>(value);
  ASSERT_NE(members, nullptr);
  EXPECT_FALSE(members->is_null());
  EXPECT_EQ(value->component_count(), 8u);
  EXPECT_THAT(member_names(value), ElementsAre("o", "d", "caption", "p", "q", "values", "first", "wide"));
  EXPECT_EQ(members->current_member_name(), "o");
  EXPECT_EQ(value->get_octet(), 1);
  EXPECT_TRUE(value->next());
  EXPECT_EQ(value->get_double(), 2.5);
  EXPECT_EQ(members->current_member_kind(), TCKind::tk_double);
  value->seek(4);
  EXPECT_EQ(value->get_longdouble(), 4.0L);
  value->next();
  EXPECT_THAT(value->get_double_seq(), ElementsAre(5.0, 5.5));
  EXPECT_EQ(at(value, 6)->get_long(), 7);
  value->next();
  EXPECT_EQ(value->get_wstring(), L"wide");
  EXPECT_FALSE(value->next());
  EXPECT_THROW(members->current_member_name(), DynAny::InvalidValue);
}

TEST(DynValue, HasAnEmptyState) {
  const Ref value = dyn(IDL::traits<Values::Empty>::make_reference());
  EXPECT_EQ(value->component_count(), 0u);
  EXPECT_FALSE(as<DynValue>(value)->is_null());
  EXPECT_THROW(as<DynValue>(value)->current_member_name(), DynAny::TypeMismatch);
  EXPECT_TRUE(as<DynValue>(value)->get_members().empty());
  as<DynValue>(value)->set_members({});
  EXPECT_FALSE(value->equal(initial(Values::_tc_Empty)));
}

TEST(DynValueBox, HasTheBoxedValue) {
  const Ref box = dyn(CORBA::make_reference<Values::LongBox>(5));
  EXPECT_FALSE(as<DynValueBox>(box)->is_null());
  EXPECT_EQ(box->component_count(), 1u);
  EXPECT_EQ(box->get_long(), 5);
  box->insert_long(6);
  EXPECT_EQ(value_of<IDL::traits<Values::LongBox>::ref_type>(box)->_value(), 6);
  const Ref text = dyn(CORBA::make_reference<Values::Text>("words"));
  EXPECT_EQ(text->current_component()->get_string(), "words");
  const Ref samples = dyn(CORBA::make_reference<Values::SampleBox>(Values::Samples{1, 2}));
  EXPECT_THAT(samples->get_double_seq(), ElementsAre(1, 2));
  as<DynSequence>(samples->current_component())->set_length(3);
  samples->current_component()->seek(2);
  samples->current_component()->insert_double(3);
  EXPECT_EQ(value_of<IDL::traits<Values::SampleBox>::ref_type>(samples)->_value(),
            (Values::Samples{1, 2, 3}));
  const Ref shape = dyn(
      CORBA::make_reference<Values::ShapeBox>(Values::ShapeBox::Shape(Values::Colour::green, {1.5, 2.5})));
  EXPECT_EQ(as<DynStruct>(shape->current_component())->current_member_name(), "filling");
  EXPECT_EQ(as<DynamicAny::DynEnum>(at(shape->current_component(), 0))->get_as_string(), "green");
}

/// Anys with values of all kinds, that need no factory.
std::vector<Any> values_of_all_kinds() {
  const NodeRef n = node(1, "one");
  const Cyclic broken(n);
  n->children({n, node(2, "two"), nullptr});
  n->children().push_back(n->children()[1]);
  Values::Either either;
  either.one(n);
  Values::Either named;
  named.other(CORBA::make_reference<valuetest::GaugeValue>());
  const auto most = most_derived(n);
  std::vector<Any> all{
      any_of(n),
      any_of(most),
      any_of(IDL::traits<Values::Base>::ref_type(most)),
      any_of(std::vector<IDL::traits<Values::Base>::ref_type>{
          most, IDL::traits<Values::Derived>::make_reference(), nullptr, most,
          IDL::traits<Values::Sealed>::make_reference(std::uint8_t{1}, 1.0, most->caption(), any_of(n))}),
      any_of(Values::Nodes{n, node(3), nullptr, n}),
      any_of(Values::Pair(n, n->children()[1])),
      any_of(Values::Spent("why", n, n)),
      any_of(either),
      any_of(named),
      any_of(CORBA::make_reference<Values::LongBox>(5)),
      any_of(CORBA::make_reference<Values::AnyBox>(any_of(n))),
      any_of(CORBA::make_reference<Values::AnyBox>(any_of(std::string("x")))),
      any_of(CORBA::make_reference<CORBA::StringValue>("text")),
      any_of(std::vector<Any>{any_of(n), any_of(std::int32_t{1}), any_of(Values::Pair(n, nullptr))}),
      any_of(NodeRef()),
  };
  Any nested;
  nested <<= any_of(any_of(most));
  all.push_back(nested);
  return all;
}

TEST(DynValue, IsEncodedAsItWasReceived) {
  for (const Any& any : values_of_all_kinds()) {
    SCOPED_TRACE(any);
    const Ref whole = factory().create_dyn_any(any);
    EXPECT_EQ(octets_of(whole->to_any()), octets_of(any));
    EXPECT_TRUE(whole->to_any().type()->equal(any.type()));
    EXPECT_TRUE(whole->equal(whole->copy()));
    EXPECT_EQ(octets_of(whole->copy()->to_any()), octets_of(any));
    const Ref assigned = initial(any.type());
    assigned->assign(whole);
    EXPECT_EQ(octets_of(assigned->to_any()), octets_of(any));
    assigned->from_any(any);
    EXPECT_EQ(octets_of(assigned->to_any()), octets_of(any));
    EXPECT_TRUE(assigned->equal(whole));
  }
}

// Each scalar is written again, so that all that contains it is encoded again.
TEST(DynValue, IsEncodedAlikeAfterItsPartsHaveBeenSet) {
  for (const Any& any : values_of_all_kinds()) {
    SCOPED_TRACE(any);
    const Ref whole = factory().create_dyn_any(any), before = whole->copy();
    std::size_t scalars = 0;
    traverse(whole, [&](const Ref& each) {
      if (kind_of(each->type()) == TCKind::tk_value || kind_of(each->type()) == TCKind::tk_value_box) return;
      if (kind_of(each->type()) == TCKind::tk_abstract_interface) return;
      if (kind_of(each->type()) == TCKind::tk_any) return each->insert_any(each->get_any());
      if (each->component_count() == 0 && kind_of(each->type()) != TCKind::tk_sequence) {
        rebuild(each, each);
        ++scalars;
      }
    });
    EXPECT_EQ(octets_of(whole->to_any()), octets_of(any)) << scalars << " scalars";
    EXPECT_TRUE(whole->equal(before));
    EXPECT_EQ(octets_of(whole->copy()->to_any()), octets_of(any));
  }
}

// What is accepted of octets that a peer has changed is encoded as an equal value.
TEST(DynValue, OfChangedOctetsIsRejectedOrConsistent) {
  std::minstd_rand random(1);
  std::size_t accepted = 0, rejected = 0;
  for (const Any& any : values_of_all_kinds()) {
    for (int i = 0; i < 400; ++i) {
      std::vector<std::uint8_t> octets = octets_of(any);
      for (std::uint32_t changes = static_cast<std::uint32_t>(random() % 3); changes < 3; ++changes) {
        constexpr std::uint8_t kSpecial[] = {0, 1, 2, 4, 0x7f, 0xff};
        octets[random() % octets.size()] = kSpecial[random() % std::size(kSpecial)];
      }
      try {
        const Ref whole = factory().create_dyn_any(any_with(any.type(), octets));
        std::size_t visited = 0;
        traverse(whole, [&](const Ref&) { ++visited; });
        EXPECT_GT(visited, 0u);
        const Ref again = factory().create_dyn_any(whole->to_any());
        EXPECT_TRUE(again->equal(whole)) << ::testing::PrintToString(octets);
        EXPECT_TRUE(whole->copy()->equal(again));
        ++accepted;
      } catch (const CORBA::MARSHAL&) {
        ++rejected;
      }
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 100u);
}

// ---- sharing ----

TEST(DynValue, IsOneDynAnyInAllPlaces) {
  const NodeRef n = node(1, "one");
  const Ref pair = dyn(Values::Pair(n, n));
  const Ref left = at(pair, 0), right = at(pair, 1);
  EXPECT_EQ(left, right);
  left->insert_long(5);
  EXPECT_EQ(right->get_long(), 5);
  const valuetest::AllFactories factories;
  const auto changed = value_of<Values::Pair>(pair);
  EXPECT_EQ(changed.left(), changed.right());
  EXPECT_EQ(changed.right()->number(), 5);
  left->from_any(any_of(node(6, "six")));
  const auto replaced = value_of<Values::Pair>(pair);
  EXPECT_EQ(replaced.right()->name(), "six");
  EXPECT_EQ(replaced.left(), replaced.right()) << "still one";
  as<DynValue>(right)->set_to_null();
  EXPECT_EQ(value_of<Values::Pair>(pair).left(), nullptr);
  EXPECT_EQ(value_of<Values::Pair>(pair).right(), nullptr);
  as<DynValue>(left)->set_to_value();
  EXPECT_EQ(value_of<Values::Pair>(pair).right()->number(), 0);
}

TEST(DynValue, BecomesAValueThatContainsItself) {
  const NodeRef n = node(1), cyclic = node(2);
  cyclic->next(cyclic);
  const Cyclic broken(cyclic);
  const Ref pair = dyn(Values::Pair(n, n)), left = at(pair, 0);
  left->from_any(any_of(cyclic));
  EXPECT_EQ(at(left, 2), left);
  EXPECT_EQ(at(pair, 1), left);
  left->rewind();
  left->insert_long(3);
  EXPECT_EQ(at(left, 2)->component_count(), 5u);
  cyclic->number(3);
  EXPECT_EQ(octets_of(left->to_any()), octets_of(any_of(cyclic)));
  EXPECT_EQ(octets_of(pair->to_any()), octets_of(any_of(Values::Pair(cyclic, cyclic))));
}

TEST(DynValue, KeepsChangesForOtherPlaces) {
  const NodeRef shared = node(1);
  const NodeRef a = node(2), b = node(3);
  a->next(shared);
  b->next(shared);
  const Ref nodes = dyn(Values::Nodes{a, b});
  {
    const Ref through_a = at(at(nodes, 0), 2);
    through_a->insert_long(9);
  }
  as<DynSequence>(nodes)->seek(1);
  EXPECT_EQ(at(nodes->current_component(), 2)->get_long(), 9);
  // The first element, and with it the DynAny of the shared value, is part of the sequence no more.
  nodes->rewind();
  as<DynSequence>(nodes)->set_elements_as_dyn_any({at(nodes, 1)});
  EXPECT_EQ(at(at(nodes, 0), 2)->get_long(), 9);
}

TEST(DynValue, KeepsChangesOfAValueThatIsReleased) {
  NodeRef shared = node(1);
  const NodeRef a = node(2), b = node(3);
  a->next(shared);
  b->next(shared);
  Ref nodes = dyn(Values::Nodes{a, b});
  const Ref second = at(nodes, 1);
  at(at(nodes, 0), 2)->insert_long(9);  // the DynAny of the value is a component of the first element
  nodes = nullptr;
  EXPECT_EQ(at(second, 2)->get_long(), 9);
}

TEST(DynValue, OfACycleIsFreed) {
  const NodeRef n = node(1, "one"), m = node(2, "two");
  const Cyclic first(n), second(m);
  n->next(m);
  m->next(n);
  WeakRef alive_one, alive_two;
  {
    const Ref one = dyn(n), two = at(one, 2);
    EXPECT_EQ(at(two, 2), one);
    EXPECT_EQ(at(one, 2), two);
    two->seek(1);
    two->insert_string("2");
    at(two, 2)->seek(1);
    at(two, 2)->insert_string("1");
    EXPECT_EQ(one->get_string(), "1");
    const valuetest::AllFactories factories;
    const auto again = value_of<NodeRef>(one);
    EXPECT_EQ(again->next()->next(), again);
    EXPECT_EQ(again->next()->name(), "2");
    again->next(nullptr);
    EXPECT_TRUE(one->copy()->equal(one));
    alive_one = one;
    alive_two = two;
    EXPECT_FALSE(alive_two.expired());
  }
  EXPECT_TRUE(alive_one.expired());
  EXPECT_TRUE(alive_two.expired());
}

TEST(DynValue, SharesWhatIsSetTogether) {
  const Ref pair = initial<Values::Pair>();
  const Ref n = dyn(node(4, "four"));
  as<DynStruct>(pair)->set_members_as_dyn_any({{"left", n}, {"right", n}});
  n->insert_long(5);
  EXPECT_EQ(at(pair, 0), at(pair, 1));
  EXPECT_EQ(at(pair, 0)->get_long(), 4) << "a copy";
  as<DynStruct>(pair)->set_members(as<DynStruct>(pair)->get_members());
  EXPECT_NE(at(pair, 0), at(pair, 1)) << "each any has values of its own";
  const Ref nodes = initial(Values::_tc_Nodes);
  as<DynSequence>(nodes)->set_elements_as_dyn_any({n, initial(Values::_tc_Node), n});
  EXPECT_EQ(at(nodes, 0), at(nodes, 2));
  EXPECT_TRUE(as<DynValue>(at(nodes, 1))->is_null());
}

TEST(DynValue, ComponentsStayConnectedWhileAnotherIsCurrent) {
  const NodeRef n = node(1);
  n->next(node(2));
  const Ref value = dyn(n);
  const Ref number = at(at(value, 2), 0);
  value->seek(0);
  const Ref name = [&] {
    value->seek(2);
    return at(value->current_component(), 1);
  }();
  name->insert_string("x");
  value->seek(0);
  name->insert_string("y");
  EXPECT_EQ(at(at(value, 2), 1)->get_string(), "y");
}

// ---- null ----

TEST(DynValue, IsMadeFromNull) {
  const Ref pair = initial<Values::Pair>();
  const Ref left = at(pair, 0);
  ASSERT_TRUE(as<DynValue>(left)->is_null());
  EXPECT_EQ(left->component_count(), 0u);
  as<DynValue>(left)->set_to_value();
  left->insert_long(3);
  left->next();
  left->insert_string("three");
  const valuetest::AllFactories factories;
  const auto made = value_of<Values::Pair>(pair);
  ASSERT_NE(made.left(), nullptr);
  EXPECT_EQ(made.left()->name(), "three");
  EXPECT_EQ(made.right(), nullptr);
  EXPECT_EQ(at(pair, 0), left);
  as<DynValue>(left)->set_to_null();
  EXPECT_EQ(left->current_component(), nullptr);
  EXPECT_EQ(value_of<Values::Pair>(pair).left(), nullptr);
}

TEST(DynValue, ABuiltValueIsThatOfGeneratedCode) {
  const Ref value = initial(Values::_tc_MostDerived);
  as<DynValue>(value)->set_to_value();
  value->insert_octet(1);
  value->next();
  value->insert_double(2.5);
  as<DynValueBox>(at(value, 2))->set_boxed_value(any_of(std::string("t")));
  as<DynValue>(value)->seek(3);
  value->insert_octet(3);
  value->next();
  value->insert_longdouble(4);
  value->next();
  value->insert_double_seq({5.0, 5.5});
  value->seek(7);
  value->insert_wstring(L"wide");
  EXPECT_EQ(octets_of(value->to_any()), octets_of(any_of(most_derived())));
  EXPECT_TRUE(value->equal(dyn(most_derived())));
}

TEST(DynValue, SetsAllMembersOrNone) {
  const Ref value = dyn(node(1, "one"));
  auto members = as<DynValue>(value)->get_members();
  members[0].value(any_of(std::int32_t{8}));
  members[2].value(any_of(node(9)));
  value->seek(1);
  as<DynValue>(value)->set_members(members);
  EXPECT_EQ(value->get_long(), 8) << "the position is 0";
  EXPECT_EQ(at(value, 2)->get_long(), 9);
  members[1].value(any_of(std::int32_t{8}));
  members[0].value(any_of(std::int32_t{7}));
  EXPECT_THROW(as<DynValue>(value)->set_members(members), DynAny::TypeMismatch);
  members.pop_back();
  EXPECT_THROW(as<DynValue>(value)->set_members(members), DynAny::InvalidValue);
  value->rewind();
  EXPECT_EQ(value->get_long(), 8);
  const Ref null = initial(Values::_tc_Node);
  EXPECT_THROW(as<DynValue>(null)->get_members_as_dyn_any(), DynAny::InvalidValue);
  as<DynValue>(null)->set_members_as_dyn_any(as<DynValue>(value)->get_members_as_dyn_any());
  EXPECT_TRUE(null->equal(value));
}

TEST(DynValueBox, SetsTheBoxedValue) {
  const auto box = as<DynValueBox>(initial(Values::_tc_LongBox));
  box->set_boxed_value(any_of(std::int32_t{1}));
  const Ref within = box->get_boxed_value_as_dyn_any();
  box->set_boxed_value_as_dyn_any(dyn(std::int32_t{2}));
  EXPECT_EQ(within->get_long(), 2) << "components follow";
  EXPECT_EQ(value_of<IDL::traits<Values::LongBox>::ref_type>(box)->_value(), 2);
  EXPECT_THROW(box->set_boxed_value(any_of(1.0)), DynAny::TypeMismatch);
  EXPECT_THROW(box->set_boxed_value_as_dyn_any(nullptr), CORBA::BAD_PARAM);
  box->set_to_null();
  EXPECT_THROW(box->get_boxed_value(), DynAny::InvalidValue);
  EXPECT_THROW(within->get_long(), CORBA::OBJECT_NOT_EXIST);
}

// ---- derived, abstract, truncated and custom types ----

TEST(DynValue, MayBeOfADerivedType) {
  using Bases = std::vector<IDL::traits<Values::Base>::ref_type>;
  const Ref bases = dyn(Bases{most_derived(), nullptr});
  const Ref first = at(bases, 0), second = at(bases, 1);
  EXPECT_TRUE(first->type()->equal(Values::_tc_MostDerived));
  EXPECT_TRUE(second->type()->equal(Values::_tc_Base));
  as<DynSequence>(bases)->set_elements(as<DynSequence>(bases)->get_elements());
  EXPECT_EQ(octets_of(bases->to_any()), octets_of(any_of(Bases{most_derived(), nullptr})));
  EXPECT_THROW(as<DynSequence>(bases)->set_elements({any_of(node(1))}), DynAny::TypeMismatch);
  EXPECT_THROW(as<DynSequence>(bases)->set_elements_as_dyn_any({dyn(std::int32_t{1})}), DynAny::TypeMismatch);
  // A place that is null takes values of derived types, too.
  const Ref null = at(bases, 1);
  null->from_any(any_of(IDL::traits<Values::Derived>::make_reference()));
  EXPECT_EQ(null->component_count(), 7u);
  EXPECT_THROW(at(bases, 0)->assign(initial(Values::_tc_Base)), DynAny::TypeMismatch)
      << "a value of a derived type";
}

TEST(DynValue, OfAnAbstractTypeIsAssigned) {
  const Ref values = initial(orb().create_sequence_tc(0, CORBA::_tc_ValueBase));
  as<DynSequence>(values)->set_length(1);
  const auto value = as<DynValue>(at(values, 0));
  EXPECT_TRUE(value->is_null());
  EXPECT_THROW(value->set_to_value(), DynAny::TypeMismatch);
  EXPECT_TRUE(value->is_null());
  value->from_any(any_of(node(3)));
  EXPECT_EQ(value->get_long(), 3);
  std::vector<IDL::traits<CORBA::ValueBase>::ref_type> typed{node(3)};
  EXPECT_EQ(octets_of(values->to_any()), octets_of(any_of(typed)));
  EXPECT_THROW(value->from_any(any_of(std::int32_t{1})), DynAny::TypeMismatch);
}

// A value of the unknown type IDL:U:1.0, which may be truncated to IDL:B:1.0 { octet x; }.
TEST(DynValue, IsTruncatedToAKnownType) {
  const TypeRef base = orb().create_value_tc(
      "IDL:B:1.0", "B", 0, nullptr,
      {CORBA::ValueMember("x", "", "", "", CORBA::_tc_octet, nullptr, CORBA::PUBLIC_MEMBER)});
  const std::string u = "IDL:U:1.0", b = "IDL:B:1.0";
  const std::uint8_t x = 0x2a, beyond = 0x2b;
  const Any any = any_with(base, encoded(0x7fffff0eu, 2u, u, b, 2u, x, beyond, std::int32_t{-1}));
  const Ref value = factory().create_dyn_any(any);
  EXPECT_EQ(value->component_count(), 1u);
  EXPECT_EQ(value->get_octet(), 0x2a);
  EXPECT_EQ(octets_of(value->to_any()), encoded(0x7fffff0au, b, 1u, x, std::int32_t{-1}));
  EXPECT_THROW(factory().create_dyn_any_without_truncation(any), DynamicAny::MustTruncate);
  EXPECT_THROW(factory().create_multiple_dyn_anys({any}, false), DynamicAny::MustTruncate);
  EXPECT_EQ(factory().create_multiple_dyn_anys({any, any}, true).size(), 2u);
  EXPECT_EQ(factory().create_dyn_any_without_truncation(value->to_any())->get_octet(), 0x2a);
}

TEST(DynValue, OfACustomTypeHasNoComponents) {
  const valuetest::AllFactories factories;
  const auto packed = CORBA::make_reference<valuetest::PackedValue>();
  packed->values({1.5});
  packed->first(node(3, "three"));
  const Any any = any_of(IDL::traits<Values::Holder>::make_reference(packed, 9));
  const Ref holder = factory().create_dyn_any(any);
  EXPECT_EQ(octets_of(holder->to_any()), octets_of(any));
  const auto content = as<DynValue>(at(holder, 0));
  EXPECT_FALSE(content->is_null());
  EXPECT_EQ(content->component_count(), 0u);
  EXPECT_THROW(content->current_component(), DynAny::TypeMismatch);
  EXPECT_THROW(content->current_member_name(), DynAny::TypeMismatch);
  holder->seek(1);
  holder->insert_long(10);
  const auto changed = value_of<IDL::traits<Values::Holder>::ref_type>(holder);
  EXPECT_EQ(changed->behind(), 10);
  EXPECT_EQ(changed->content()->first()->name(), "three");
  EXPECT_TRUE(content->equal(dyn(IDL::traits<Values::Packed>::ref_type(packed))));
  packed->values({2.5});
  EXPECT_FALSE(content->equal(dyn(IDL::traits<Values::Packed>::ref_type(packed))));
  EXPECT_TRUE(holder->copy()->equal(holder));
  const auto got = Values::Packed::_downcast(content->get_val());
  ASSERT_NE(got, nullptr);
  EXPECT_THAT(got->values(), ElementsAre(1.5));
  content->set_to_null();
  EXPECT_EQ(value_of<IDL::traits<Values::Holder>::ref_type>(holder)->content(), nullptr);
  content->set_to_value();
  EXPECT_FALSE(content->is_null());
  orbweaver::unregister_value_factory("IDL:Values/Packed:1.0");
  content->set_to_null();
  EXPECT_THROW(content->set_to_value(), CORBA::MARSHAL);
  EXPECT_TRUE(content->is_null());
  EXPECT_THROW(factory().create_dyn_any(any), CORBA::MARSHAL);
}

TEST(DynValue, HasTheComponentsOfItsPresentType) {
  using Base = IDL::traits<Values::Base>::ref_type;
  const Ref value = initial(Values::_tc_Base);
  value->from_any(any_of(Base(IDL::traits<Values::Derived>::make_reference())));
  const Ref common = at(value, 0), other = at(value, 3);
  common->insert_octet(5);
  other->insert_octet(9);
  const Any sealed = any_of(Base(
      IDL::traits<Values::Sealed>::make_reference(std::uint8_t{1}, 1.0, nullptr, any_of(std::int32_t{7}))));
  value->from_any(sealed);
  EXPECT_EQ(at(value, 0), common);
  EXPECT_EQ(common->get_octet(), 1);
  EXPECT_THROW(other->get_octet(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_TRUE(at(value, 3)->get_any().type()->equal(CORBA::_tc_long));
  EXPECT_EQ(octets_of(value->to_any()), octets_of(sealed));
}

TEST(DynValue, OfAnAbstractTypeMayBeABox) {
  const Ref value = initial(CORBA::_tc_ValueBase);
  const auto box = CORBA::make_reference<Values::ColourBox>(Values::Colour::green);
  value->from_any(any_of(box));
  EXPECT_EQ(value->component_count(), 0u);
  EXPECT_EQ(octets_of(value->to_any()), octets_of(any_of(box)));
}

TEST(DynValue, OfACustomTypeThatIsNullHasNoMembers) {
  const valuetest::AllFactories factories;
  const auto value = as<DynValue>(initial(Values::_tc_Packed));
  EXPECT_THROW(value->current_member_name(), DynAny::TypeMismatch);
  EXPECT_THROW(value->set_members({{"values", any_of(Values::Samples{})}, {"first", any_of(NodeRef())}}),
               DynAny::InvalidValue);
  EXPECT_TRUE(value->is_null());
  value->set_members({});
  EXPECT_FALSE(value->is_null());
  EXPECT_EQ(value->component_count(), 0u);
}

TEST(DynValue, HasABaseThatIsAnAlias) {
  const auto type = [](const std::string& name, const TypeRef& base) {
    return orb().create_value_tc(
        "IDL:" + name + ":1.0", name, 0, base,
        {CORBA::ValueMember("of" + name, "", "", "", CORBA::_tc_octet, nullptr, CORBA::PUBLIC_MEMBER)});
  };
  const TypeRef base = type("B", nullptr), derived = type("D", orb().create_alias_tc("IDL:A:1.0", "A", base));
  const std::uint8_t of_base = 1, of_derived = 2;
  const Any any = any_with(derived, encoded(0x7fffff02u, std::string("IDL:D:1.0"), of_base, of_derived));
  const Ref value = initial(base);
  value->from_any(any);
  EXPECT_THAT(member_names(value), ElementsAre("ofB", "ofD"));
  EXPECT_EQ(octets_of(value->to_any()), octets_of(any));
}

// ---- typed values ----

TEST(DynValue, TakesAndReturnsTypedValues) {
  const Ref pair = initial<Values::Pair>();
  const NodeRef n = node(1, "one");
  n->next(n);
  const Cyclic broken(n);
  pair->insert_val(n);
  EXPECT_EQ(at(at(pair, 0), 2), at(pair, 0));
  EXPECT_THROW(pair->get_val(), CORBA::MARSHAL) << "there is no factory";
  const valuetest::AllFactories factories;
  const auto got = Values::Node::_downcast(pair->get_val());
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(got->next(), got);
  got->next(nullptr);
  EXPECT_THROW(pair->insert_val(most_derived()), DynAny::TypeMismatch);
  pair->insert_val(nullptr);
  EXPECT_TRUE(as<DynValue>(at(pair, 0))->is_null());
  EXPECT_EQ(pair->get_val(), nullptr);
  EXPECT_THROW(initial<Every::Pair>()->get_val(), DynAny::TypeMismatch);
  EXPECT_THROW(initial(CORBA::_tc_long)->insert_val(n), DynAny::TypeMismatch);
  pair->seek(-1);
  EXPECT_THROW(pair->get_val(), DynAny::InvalidValue);
  const Ref base = initial(Values::_tc_Base);
  base->insert_val(most_derived());
  EXPECT_EQ(base->component_count(), 8u);
  const Ref box = initial(Values::_tc_Text);
  box->insert_val(CORBA::make_reference<Values::Text>("boxed"));
  EXPECT_EQ(box->get_string(), "boxed");
  EXPECT_EQ(Values::Text::_downcast(box->get_val())->_value(), "boxed");
}

TEST(DynAny, TakesAndReturnsAbstractInterfaces) {
  const Ref either = initial<Values::Either>();
  as<DynUnion>(either)->set_discriminator(dyn(false));
  EXPECT_EQ(either->get_abstract(), nullptr);
  const auto gauge = CORBA::make_reference<valuetest::GaugeValue>();
  gauge->caption("c");
  either->insert_abstract(gauge);
  Values::Either typed;
  typed.other(gauge);
  EXPECT_EQ(octets_of(either->to_any()), octets_of(any_of(typed)));
  EXPECT_TRUE(either->equal(either->copy()));
  EXPECT_FALSE(either->equal(initial<Values::Either>()));
  const valuetest::AllFactories factories;
  const auto got = either->get_abstract();
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(got->_to_object(), nullptr);
  EXPECT_EQ(IDL::traits<Values::Gauge>::narrow(got->_to_value())->caption(), "c");
  either->insert_abstract(nullptr);
  EXPECT_EQ(either->get_abstract(), nullptr);
  EXPECT_THROW(initial(CORBA::_tc_long)->insert_abstract(gauge), DynAny::TypeMismatch);
  EXPECT_THROW(initial(CORBA::_tc_Object)->get_abstract(), DynAny::TypeMismatch);
}

// ---- comparisons ----

TEST(DynValue, IsComparedByItsComponents) {
  EXPECT_TRUE(dyn(node(1, "a"))->equal(dyn(node(1, "a"))));
  EXPECT_FALSE(dyn(node(1, "a"))->equal(dyn(node(1, "b"))));
  EXPECT_FALSE(dyn(node(1, "a"))->equal(initial(Values::_tc_Node)));
  EXPECT_FALSE(dyn(most_derived())->equal(dyn(most_derived(node(1)))));
  const NodeRef n = node(1);
  EXPECT_TRUE(dyn(Values::Pair(n, n))->equal(dyn(Values::Pair(node(1), node(1))))) << "sharing is no part";
  EXPECT_FALSE(dyn(Values::Pair(n, n))->equal(dyn(Values::Pair(node(1), node(2)))));
  using Bases = std::vector<IDL::traits<Values::Base>::ref_type>;
  EXPECT_FALSE(dyn(Bases{IDL::traits<Values::Base>::make_reference()})
                   ->equal(dyn(Bases{IDL::traits<Values::Derived>::make_reference()})));
  const Ref changed = dyn(Values::Pair(n, n)), other = changed->copy();
  at(changed, 0)->insert_long(2);
  EXPECT_FALSE(changed->equal(other));
  at(other, 1)->insert_long(2);
  EXPECT_TRUE(changed->equal(other));
  EXPECT_TRUE(dyn(std::vector<Any>{any_of(n)})->equal(dyn(std::vector<Any>{any_of(node(1))})));
  EXPECT_FALSE(dyn(std::vector<Any>{any_of(n)})->equal(dyn(std::vector<Any>{any_of(node(2))})));
}

/// A ring of equal nodes.
struct Ring {
  explicit Ring(int length) : nodes(static_cast<std::size_t>(length)) {
    for (NodeRef& each : nodes) each = node(1);
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i]->next(nodes[(i + 1) % nodes.size()]);
  }
  ~Ring() {
    for (const NodeRef& each : nodes) each->next(nullptr);
  }
  Values::Nodes nodes;
};

TEST(DynValue, OfRingsOfDifferentLengthsAreEqual) {
  const Ring three(3), four(4), five(5);
  EXPECT_TRUE(dyn(three.nodes[0])->equal(dyn(four.nodes[0])));
  five.nodes[4]->number(2);
  EXPECT_FALSE(dyn(three.nodes[0])->equal(dyn(five.nodes[0])));
}

// ---- the ends of DynAnys ----

TEST(DynValue, DoesNotExistAfterTheWholeHasBeenDestroyed) {
  const NodeRef n = node(1), m = node(2);
  n->next(m);
  const Ref pair = dyn(Values::Pair(n, m));
  const Ref left = at(pair, 0), right = at(pair, 1), number = at(right, 0), copy = right->copy();
  right->destroy();
  EXPECT_EQ(number->get_long(), 2) << "the destruction of a component has no effect";
  pair->destroy();
  EXPECT_THROW(left->get_long(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(as<DynValue>(right)->is_null(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(as<DynValue>(right)->set_to_value(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(number->get_long(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(copy->get_long(), 2);
}

// A component whose own parent has been released is destroyed with the values that are its components.
TEST(DynValue, IsDestroyedWithTheSequenceThatContainsIt) {
  const NodeRef n = node(1);
  n->children({node(2)});
  const Ref pair = dyn(Values::Pair(n, nullptr));
  Ref left = as<DynStruct>(pair)->get_members_as_dyn_any()[0].value();
  const Ref children = as<DynValue>(left)->get_members_as_dyn_any()[4].value();
  Ref child = as<DynSequence>(children)->get_elements_as_dyn_any()[0];
  left = nullptr;
  pair->destroy();
  EXPECT_THROW(child->get_long(), CORBA::OBJECT_NOT_EXIST);
  child = nullptr;
  EXPECT_THROW(as<DynSequence>(children)->get_elements_as_dyn_any(), CORBA::OBJECT_NOT_EXIST);
}

TEST(DynValue, OutlivesAWholeThatIsReleasedOrReplaced) {
  const NodeRef n = node(1);
  n->next(node(2));
  Ref pair = dyn(Values::Pair(n, nullptr));
  const Ref left = at(pair, 0), next = at(left, 2);
  next->insert_long(7);
  pair->from_any(any_of(Values::Pair()));
  EXPECT_TRUE(as<DynValue>(at(pair, 0))->is_null());
  EXPECT_FALSE(as<DynValue>(left)->is_null()) << "it is a value of its own now";
  left->rewind();
  left->insert_long(3);
  EXPECT_TRUE(as<DynValue>(at(pair, 0))->is_null());
  pair = nullptr;
  const valuetest::AllFactories factories;
  EXPECT_EQ(value_of<NodeRef>(left)->next()->number(), 7);
  left->destroy();
  EXPECT_THROW(left->get_long(), CORBA::OBJECT_NOT_EXIST);
}

}  // namespace
}  // namespace dynany
