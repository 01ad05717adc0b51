// DynAnys of values whose references to each other are malformed, long chains, cycles of types, and limits.
#include <orbweaver/typecode_members.h>

#include "../values/values.h"
#include "dyn_anys.h"

namespace dynany {
namespace {

using DynamicAny::DynSequence;
using DynamicAny::DynValue;
using orbweaver::cdr::testing::encoded;
using valuetest::node;
using valuetest::NodeRef;

/// A box of anys that hold such boxes, the innermost one a number.
class NestedBoxes {
 public:
  NestedBoxes(int levels, double innermost) : innermost_(innermost) { put_box(levels); }
  /// The first holds a box, to which the others refer.
  static constexpr int kAnysInBox = 8;
  Any any() {
    out_.finish();
    return any_with(type_, std::move(octets_));
  }

 private:
  std::size_t put_box(int levels) {
    out_.align(4);
    const std::size_t at = out_.size();
    out_.put(std::uint32_t{0x7fffff02});  // a value with one id
    out_.put_string("IDL:Boxes:1.0");
    out_.put(std::uint32_t{levels == 0 ? 1u : kAnysInBox});
    std::size_t first = 0;
    for (int i = 0; i < (levels == 0 ? 1 : kAnysInBox); ++i) {
      orbweaver::cdr::encode(out_, levels == 0 ? CORBA::_tc_double : type_);
      if (levels == 0) {
        out_.put(innermost_);
      } else if (i == 0) {
        first = put_box(levels - 1);
      } else {
        out_.put(std::uint32_t{0xffffffff});  // an indirection
        out_.put(static_cast<std::int32_t>(first) - static_cast<std::int32_t>(out_.size()));
      }
    }
    return at;
  }

  const TypeRef type_ =
      orb().create_value_box_tc("IDL:Boxes:1.0", "Boxes", orb().create_sequence_tc(0, CORBA::_tc_any));
  const double innermost_;
  std::vector<std::uint8_t> octets_;
  orbweaver::cdr::Encoder out_{octets_};
};

/// Nodes that each refer to the one before, as a sequence.
struct Chain {
  explicit Chain(int length) {
    Values::Nodes nodes;
    for (int i = 0; i < length; ++i) {
      nodes.push_back(node(i));
      if (i > 0) nodes.back()->next(nodes[nodes.size() - 2]);
    }
    any <<= nodes;
    for (const NodeRef& each : nodes) each->next(nullptr);
  }
  Any any;
};

TEST(DynValueLimits, MalformedValuesAreRejected) {
  const TypeRef type =
      orb().create_value_tc("IDL:B:1.0", "B", 0, nullptr,
                            {CORBA::ValueMember("next", "", "", "", orb().create_recursive_tc("IDL:B:1.0"),
                                                nullptr, CORBA::PUBLIC_MEMBER)});
  constexpr std::uint32_t kId = 0x7fffff02, kChunkedId = 0x7fffff0a, kIndirection = 0xffffffff;
  const std::string id = "IDL:B:1.0";
  EXPECT_EQ(factory().create_dyn_any(any_with(type, encoded(kId, id, 0u)))->component_count(), 1u);
  for (const std::vector<std::uint8_t>& octets : {
           encoded(kId), encoded(kId, id), encoded(kChunkedId, id, 4u, 0u),  // without an end tag
           encoded(kIndirection, std::int32_t{-4}),                          // to itself
           encoded(kIndirection, std::int32_t{-16}),                         // before the beginning
           encoded(kId, std::string("IDL:X:1.0"), 0u),                       // an unknown type
           encoded(kId, id, kIndirection, std::int32_t{-8}),                 // to no value
           encoded(0x7fffff10u, 0u),                                         // no tag
       }) {
    SCOPED_TRACE(::testing::PrintToString(octets));
    EXPECT_THROW(factory().create_dyn_any(any_with(type, octets)), CORBA::MARSHAL);
    EXPECT_THROW(initial(type)->from_any(any_with(type, octets)), DynAny::InvalidValue);
  }
}

// A value of the base in a place of the derived type.
TEST(DynValueLimits, ValuesOfOtherTypesAreRejected) {
  const Any base = any_of(IDL::traits<Values::Base>::make_reference());
  EXPECT_THROW(factory().create_dyn_any(any_with(Values::_tc_Derived, octets_of(base))), CORBA::MARSHAL);
  EXPECT_EQ(factory().create_dyn_any(any_with(Values::_tc_Base, octets_of(base)))->component_count(), 3u);
}

/// The value type IDL:X:1.0 with these members.
TypeRef x_of(const std::vector<std::pair<std::string, TypeRef>>& members) {
  CORBA::ValueMemberSeq list;
  for (const auto& [name, type] : members)
    list.emplace_back(name, "", "", "", type, nullptr, CORBA::PUBLIC_MEMBER);
  return orb().create_value_tc("IDL:X:1.0", "X", 0, nullptr, list);
}

// Values of an any whose TypeCode has the same id have the components that the DynAny's TypeCode describes.
TEST(DynValueLimits, OtherTypesOfOneIdAreReadByTheTypeOfTheDynAny) {
  const TypeRef type = x_of({{"a", CORBA::_tc_long}, {"s", CORBA::_tc_string}});
  const std::string id = "IDL:X:1.0";
  constexpr std::uint32_t kId = 0x7fffff02;
  const std::uint8_t octet = 1;
  const Any other = any_with(x_of({{"x", CORBA::_tc_octet}}), encoded(kId, id, octet));
  const Ref value = initial(type);
  EXPECT_THROW(value->from_any(other), DynAny::InvalidValue);
  EXPECT_THROW(value->assign(factory().create_dyn_any(other)), DynAny::TypeMismatch);
  EXPECT_TRUE(as<DynValue>(value)->is_null());
  const Any renamed = any_with(x_of({{"", CORBA::_tc_long}, {"", CORBA::_tc_string}}),
                               encoded(kId, id, std::int32_t{5}, std::string("five")));
  value->from_any(renamed);
  EXPECT_EQ(as<DynValue>(value)->get_members()[1].id(), "s");
  value->assign(factory().create_dyn_any(renamed));
  EXPECT_EQ(as<DynValue>(value)->get_members()[1].id(), "s");
  EXPECT_EQ(at(value, 1)->get_string(), "five");
  EXPECT_EQ(octets_of(value->to_any()), octets_of(renamed));
  const auto nodes = as<DynSequence>(initial(orb().create_sequence_tc(0, type)));
  nodes->assign(factory().create_dyn_any(
      any_with(orb().create_sequence_tc(0, x_of({{"", CORBA::_tc_long}, {"", CORBA::_tc_string}})),
               encoded(1u, kId, id, std::int32_t{5}, std::string("five")))));
  EXPECT_EQ(as<DynValue>(at(nodes, 0))->get_members()[1].id(), "s");
}

TEST(DynValueLimits, BoxesAndValueTypesOfOneIdDiffer) {
  const std::string id = "IDL:X:1.0";
  constexpr std::uint32_t kId = 0x7fffff02;
  const std::uint8_t octet = 1;
  const Any value = any_with(x_of({{"x", CORBA::_tc_octet}}), encoded(kId, id, octet));
  const Any of_octet =
      any_with(orb().create_value_box_tc(id, "X", CORBA::_tc_octet), encoded(kId, id, octet));
  const Ref box = initial(orb().create_value_box_tc(id, "X", CORBA::_tc_string));
  EXPECT_THROW(box->from_any(value), DynAny::TypeMismatch);
  EXPECT_THROW(box->assign(factory().create_dyn_any(value)), DynAny::TypeMismatch);
  EXPECT_THROW(initial(value.type())->from_any(of_octet), DynAny::TypeMismatch);
  EXPECT_THROW(box->from_any(of_octet), DynAny::InvalidValue);
  EXPECT_THROW(box->assign(factory().create_dyn_any(of_octet)), DynAny::TypeMismatch);
}

TEST(DynValueLimits, LongChainsAreReadComparedAndFreed) {
  constexpr int kLength = 60000;
  const Chain chain(kLength);
  const Ref nodes = factory().create_dyn_any(chain.any), copy = nodes->copy();
  EXPECT_TRUE(nodes->equal(copy));
  const Ref last = at(nodes, kLength - 1);
  EXPECT_TRUE(last->equal(at(copy, kLength - 1)));
  at(copy, 0)->insert_long(-1);
  EXPECT_FALSE(last->equal(at(copy, kLength - 1)));
  EXPECT_THROW(last->to_any(), CORBA::MARSHAL) << "as many levels";
  const Ref last_copy = last->copy();
  EXPECT_TRUE(last_copy->equal(last));
  EXPECT_EQ(octets_of(nodes->to_any()), octets_of(chain.any));
  nodes->from_any(any_of(Values::Nodes{}));
  EXPECT_EQ(last->get_long(), kLength - 1);
}

TEST(DynValueLimits, ChainsAreTraversed1024ValuesDeep) {
  const NodeRef first = node(0);
  NodeRef each = first;
  for (int i = 1; i < 1000; ++i) {
    each->next(node(i));
    each = each->next();
  }
  Ref part = dyn(first);
  const Ref whole = part;
  for (int i = 0; i < 999; ++i) part = at(part, 2);
  EXPECT_EQ(part->get_long(), 999);
  part->insert_long(-1);
  const Ref again = factory().create_dyn_any(whole->to_any());
  part = again;
  for (int i = 0; i < 999; ++i) part = at(part, 2);
  EXPECT_EQ(part->get_long(), -1);
}

// As they are read: each value counts the sequences around it, of the values that contain it, too.
TEST(DynValueLimits, ValuesInSequencesAreWritten256Deep) {
  Values::Nodes nodes;
  for (int i = 0; i < 300; ++i) {
    nodes.push_back(node(i));
    if (i > 0) nodes.back()->children({nodes[nodes.size() - 2]});
  }
  const Ref all = dyn(nodes);
  EXPECT_EQ(octets_of(all->to_any()), octets_of(any_of(nodes)));
  EXPECT_EQ(factory().create_dyn_any(at(all, 255)->to_any())->get_long(), 255);
  EXPECT_THROW(at(all, 257)->to_any(), CORBA::MARSHAL);
  EXPECT_THROW(as<DynSequence>(all)->get_elements(), CORBA::MARSHAL);
  const Ref last = at(all, 299);
  Ref part = last;
  for (int i = 0; i < 299; ++i) part = at(at(part, 4), 0);
  part->insert_long(-1);
  EXPECT_THROW(last->to_any(), CORBA::MARSHAL) << "changed";
}

TEST(DynValueLimits, RecursiveValuesAreNested2048Deep) {
  Ref part = initial(Values::_tc_Node);
  const Ref whole = part;
  std::uint32_t minor = 0;
  int levels = 0;
  try {
    for (; levels < 3000; ++levels) {
      as<DynValue>(part)->set_to_value();
      part = at(part, 2);
    }
  } catch (const CORBA::IMP_LIMIT& e) {
    minor = e.minor();
  }
  EXPECT_EQ(minor, 0x4f5700e5u);
  EXPECT_EQ(levels, 2048);
  EXPECT_THROW(whole->to_any(), CORBA::MARSHAL) << "values are nested 1024 deep";
  EXPECT_TRUE(whole->equal(whole->copy()));
}

// A component refers to the values of the whole; a copy of it, to its own.
TEST(DynValueLimits, CopiesOfComponentsCopyTheirValuesOnly) {
  Values::Nodes nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(node(i));
  const Ref all = dyn(nodes);
  const auto elements = as<DynSequence>(all)->get_elements();
  ASSERT_EQ(elements.size(), 1000u);
  EXPECT_EQ(octets_of(elements[500]), octets_of(any_of(nodes[500])));
  EXPECT_EQ(octets_of(at(all, 7)->copy()->to_any()), octets_of(any_of(nodes[7])));
}

// Changes that cannot be kept are not lost without a message.
TEST(DynValueLimits, ChangesThatAreTooLargeToBeKeptRaise) {
  const NodeRef shared = node(1);
  const NodeRef a = node(2), b = node(3);
  a->next(shared);
  b->next(shared);
  Ref nodes = dyn(Values::Nodes{a, b});
  const Ref second = at(nodes, 1);
  {
    const Ref children = at(at(at(nodes, 0), 2), 4);
    as<DynSequence>(children)->set_length(20000000);
  }
  nodes = nullptr;
  EXPECT_TRUE(second->seek(2));
  EXPECT_THROW(second->current_component(), CORBA::IMP_LIMIT);
  EXPECT_THROW(second->to_any(), CORBA::IMP_LIMIT);
}

TEST(DynValueLimits, ManyAssignmentsLeaveNothing) {
  const Ref pair = initial<Values::Pair>();
  const Ref n = dyn(node(1));
  for (int i = 0; i < 1000; ++i) {
    as<DynamicAny::DynStruct>(pair)->set_members_as_dyn_any({{"left", n}, {"right", n}});
    at(pair, 0)->assign(n);
  }
  EXPECT_EQ(at(pair, 1)->get_long(), 1);
}

TEST(DynValueLimits, AnysWithValuesNestedTooDeepAreNotCompared) {
  const NodeRef n = node(1);
  Any shared = any_of(Values::Pair(n, n)), twice = any_of(Values::Pair(node(1), node(1)));
  const auto nest = [&](int levels) {
    for (int i = 0; i < levels; ++i) {
      shared = any_of(std::vector<Any>{shared});
      twice = any_of(std::vector<Any>{twice});
    }
  };
  nest(10);
  EXPECT_TRUE(factory().create_dyn_any(shared)->equal(factory().create_dyn_any(twice)));
  nest(10);
  EXPECT_TRUE(factory().create_dyn_any(shared)->equal(factory().create_dyn_any(shared)));
  EXPECT_THROW(factory().create_dyn_any(shared)->equal(factory().create_dyn_any(twice)), CORBA::IMP_LIMIT);
}

// Each any is read with all that its values share with others: eight times as often with each level.
TEST(DynValueLimits, AnysThatShareValuesAreNotComparedForEver) {
  const auto equal = [](int levels) {
    return factory()
        .create_dyn_any(NestedBoxes(levels, 0.0).any())
        ->equal(factory().create_dyn_any(NestedBoxes(levels, -0.0).any()));
  };
  EXPECT_TRUE(equal(1));
  EXPECT_TRUE(equal(2));
  EXPECT_THROW(equal(6), CORBA::IMP_LIMIT);
}

// One value of a megabyte, to which 200 elements refer.
TEST(DynValueLimits, ListsOfComponentsThatShareValuesAreLimited) {
  Values::Nodes nodes(200, node(1));
  nodes.front()->name(std::string(1u << 20, 'x'));
  const Ref all = dyn(nodes);
  EXPECT_THROW(as<DynSequence>(all)->get_elements(), CORBA::IMP_LIMIT);
  EXPECT_EQ(as<DynSequence>(all)->get_elements_as_dyn_any().size(), 200u);
  const Values::Nodes few(nodes.begin(), nodes.begin() + 50);
  EXPECT_EQ(as<DynSequence>(dyn(few))->get_elements().size(), 50u);
}

}  // namespace
}  // namespace dynany
