// DynAnys of values of derived, abstract, truncated and custom types. Unless a test says so, no
// factory is registered: TypeCodes suffice.
#include <orbweaver/typecode_members.h>

#include "dyn_values.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using orbweaver::cdr::testing::encoded;
using ::testing::ElementsAre;

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

}  // namespace
}  // namespace dynany
