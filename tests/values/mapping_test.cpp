// The C++ of value types and abstract interfaces (IDL to C++11, 6.18).
#include <gmock/gmock.h>

#include <sstream>

#include "values.h"

namespace valuetest {
namespace {

template <class T>
std::string written(const T& value) {
  std::ostringstream os;
  os << IDL::traits<std::decay_t<T>>::write(value);
  return os.str();
}
template <class V>
std::string printed(const CORBA::object_reference<V>& value) {
  std::ostringstream os;
  os << IDL::traits<V>::write(value);
  return os.str();
}

struct ValueMapping : testing::Test {
  AllFactories factories;
};

TEST_F(ValueMapping, GivesABoxItsContents) {
  const auto box = CORBA::make_reference<Values::LongBox>(5);
  EXPECT_EQ(box->_value(), 5);
  box->_value() += 1;
  EXPECT_EQ(box->_value(), 6);
  box->_value(-1);
  EXPECT_EQ(IDL::traits<Values::Text>::make_reference("x")->_value(), "x");
  const auto shape =
      CORBA::make_reference<Values::ShapeBox>(Values::ShapeBox::Shape(Values::Colour::green, {1.0, 2.0}));
  EXPECT_EQ(shape->_value().corners().size(), 2u);
  EXPECT_EQ(printed(IDL::traits<Values::ShapeBox>::ref_type(shape)),
            "Values::ShapeBox{Values::ShapeBox::Shape{filling: green, corners: [1, 2]}}");
  EXPECT_EQ(
      printed(IDL::traits<CORBA::StringValue>::ref_type(CORBA::make_reference<CORBA::StringValue>("a"))),
      "CORBA::StringValue{\"a\"}");
}

TEST_F(ValueMapping, MakesAValueOfItsMembersThoseOfBasesFirst) {
  const auto d = IDL::traits<Values::Derived>::make_reference(std::uint8_t{1}, 2.5, nullptr, std::uint8_t{3},
                                                              4.0L, Values::Samples{5.0}, node(6));
  EXPECT_EQ(d->o(), 1);
  EXPECT_EQ(d->d(), 2.5);
  EXPECT_EQ(d->caption(), nullptr);
  EXPECT_EQ(d->q(), 4.0L);
  EXPECT_EQ(d->first()->number(), 6);
  d->values().push_back(7.0);
  EXPECT_EQ(d->values(), (Values::Samples{5.0, 7.0}));
  const auto empty = IDL::traits<Values::Derived>::make_reference();
  EXPECT_EQ(empty->o(), 0);
  EXPECT_EQ(empty->first(), nullptr);
}

TEST_F(ValueMapping, NarrowsToDerivedAndAbstractTypes) {
  const IDL::traits<Values::Base>::ref_type base = IDL::traits<Values::MostDerived>::make_reference();
  EXPECT_NE(IDL::traits<Values::Derived>::narrow(base), nullptr);
  EXPECT_EQ(IDL::traits<Values::Sealed>::narrow(base), nullptr);
  EXPECT_NE(Values::MostDerived::_downcast(base), nullptr);
  EXPECT_EQ(Values::Node::_downcast(nullptr), nullptr);
  const IDL::traits<Values::Countable>::ref_type countable = CORBA::make_reference<GaugeValue>();
  EXPECT_EQ(countable->count(), 0);
  const auto labelled = IDL::traits<Values::Labelled>::narrow(countable);
  ASSERT_NE(labelled, nullptr);
  labelled->label("flow");
  EXPECT_EQ(IDL::traits<Values::Named>::narrow(labelled)->called(), "gauge flow");
  EXPECT_EQ(labelled->_to_object(), nullptr);
  EXPECT_EQ(labelled->_to_value(), countable);
  static_assert(IDL::traits<Values::Countable>::is_abstract::value);
  static_assert(IDL::traits<Values::Derived>::is_truncatable::value);
  static_assert(!IDL::traits<Values::Sealed>::is_truncatable::value);
}

TEST_F(ValueMapping, CopiesDeeplyWithSharingAndCycles) {
  const NodeRef a = node(1, "a"), b = node(2, "b");
  a->next(b);
  a->children({b, a});
  b->next(a);
  const NodeRef copy = Values::Node::_downcast(a->_copy_value());
  ASSERT_NE(copy, nullptr);
  EXPECT_NE(copy, a);
  EXPECT_EQ(copy->name(), "a");
  EXPECT_NE(copy->next(), b);
  EXPECT_EQ(copy->next()->number(), 2);
  EXPECT_EQ(copy->children()[0], copy->next());
  EXPECT_EQ(copy->children()[1], copy);
  EXPECT_EQ(copy->next()->next(), copy);
  for (const NodeRef& each : {a, copy}) {  // cycles keep themselves alive
    each->next()->next(nullptr);
    each->children({});
  }
}

TEST_F(ValueMapping, PrintsEachValueOnce) {
  const NodeRef a = node(1, "a");
  a->next(node(2, "b"));
  a->next()->next(a);
  EXPECT_EQ(printed(a),
            "Values::Node{number: 1, name: \"a\", next: Values::Node{number: 2, name: \"b\", next: "
            "Values::Node{…}, other: null, children: []}, other: null, children: []}");
  a->next(nullptr);
  EXPECT_EQ(printed(NodeRef()), "null");
  EXPECT_EQ(written(Values::Pair(nullptr, nullptr)), "Values::Pair{left: null, right: null}");
}

TEST_F(ValueMapping, FindsRegisteredFactories) {
  const auto orb = CORBA::ORB_init();
  const std::string id = "IDL:Values/Empty:1.0";
  const auto first = orb->lookup_value_factory(id);
  const auto other = CORBA::make_reference<IDL::traits<Values::Empty>::factory_type>();
  EXPECT_EQ(orb->register_value_factory(id, other), first);
  EXPECT_EQ(orb->lookup_value_factory(id), other);
  EXPECT_NE(Values::Empty::_downcast(other->create_for_unmarshal()), nullptr);
  orb->unregister_value_factory(id);
  EXPECT_THROW(orb->unregister_value_factory(id), CORBA::BAD_PARAM);
  EXPECT_THROW(orb->lookup_value_factory(id), CORBA::BAD_PARAM);
  EXPECT_THROW(orb->register_value_factory(id, nullptr), CORBA::BAD_PARAM);
  EXPECT_THROW(orb->register_value_factory("", other), CORBA::BAD_PARAM);
  orb->destroy();
}

TEST_F(ValueMapping, DescribesTypesByTypeCodes) {
  const auto node_type = Values::_tc_Node;
  EXPECT_EQ(node_type->kind(), CORBA::TCKind::tk_value);
  EXPECT_EQ(node_type->member_count(), 5u);
  EXPECT_EQ(node_type->member_name(3), "other");
  EXPECT_EQ(node_type->member_visibility(3), CORBA::PRIVATE_MEMBER);
  EXPECT_TRUE(node_type->member_type(2)->equal(node_type));
  EXPECT_EQ(Values::_tc_Derived->type_modifier(), 3);
  EXPECT_TRUE(Values::_tc_Derived->concrete_base_type()->equal(Values::_tc_Base));
  EXPECT_EQ(Values::_tc_Packed->type_modifier(), 1);
  EXPECT_EQ(Values::_tc_Countable->type_modifier(), 2);
  EXPECT_EQ(Values::_tc_SampleBox->kind(), CORBA::TCKind::tk_value_box);
  EXPECT_EQ(Values::_tc_Named->kind(), CORBA::TCKind::tk_abstract_interface);
  EXPECT_EQ(CORBA::_tc_StringValue->id(), "IDL:omg.org/CORBA/StringValue:1.0");
}

}  // namespace
}  // namespace valuetest
