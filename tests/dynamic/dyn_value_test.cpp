// DynAnys of value types and value boxes as they are received, with null, and with typed values (CORBA 3.3
// part 1, 13.2.10 to 13.2.12). Unless a test says so, no
// factory is registered: TypeCodes suffice.
#include <algorithm>
#include <functional>
#include <iterator>
#include <random>

#include "dyn_values.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using DynamicAny::DynUnion;
using ::testing::ElementsAre;

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

}  // namespace
}  // namespace dynany
