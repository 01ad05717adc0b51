// DynAnys of values that several places share, that contain themselves, and their ends.
#include "dyn_values.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using WeakRef = CORBA::weak_object_reference<DynAny>;

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
