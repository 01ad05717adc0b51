// The number of steps of traversals of a TypeCode that a peer chooses. The tests count steps, not time.
#include <orbweaver/any.h>

#include <deque>
#include <sstream>

#include "cdr/testing.h"
#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace orbweaver::cdr::testing {
namespace {

using CORBA::Any;
using CORBA::TCKind;
using CORBA::TypeCode;
using Ref = CORBA::typecode_reference;
using typecode::Graph;
using Members = std::vector<TypeCode::Member>;

/// Makes a TypeCode that is valid as long as the process, as constants are.
const TypeCode& make(TCKind kind, const Members& members, const TypeCode* content = nullptr,
                     std::uint32_t length = 0, std::int32_t extra = 0) {
  static auto& kept = *new std::deque<Members>;  // never destroyed: nodes cache computed results
  static auto& nodes = *new std::deque<TypeCode>;
  const Members& mine = kept.emplace_back(members);
  const auto count = static_cast<std::uint32_t>(mine.size());
  return nodes.emplace_back(kind, "", "", mine.data(), count, content, length, extra);
}
const TypeCode& structure(const Members& members) { return make(TCKind::tk_struct, members); }
const TypeCode& sequence(const TypeCode& element) { return make(TCKind::tk_sequence, {}, &element); }

/// struct S_i { S_{i-1} a, b; }: 2 to the power of `levels` leaves.
const TypeCode& doubled(int levels, const TypeCode& leaf) {
  const TypeCode* type = &leaf;
  for (int i = 0; i < levels; ++i) type = &structure({{"", type}, {"", type}});
  return *type;
}
/// struct S { struct { … leaf } }
const TypeCode& wrapped(int levels, const TypeCode& leaf) {
  const TypeCode* type = &leaf;
  for (int i = 0; i < levels; ++i) type = &structure({{"", type}});
  return *type;
}

/// An any of this type, with `value` octets of 0 after its TypeCode.
Octets any_bytes(const TypeCode& type, std::size_t value) {
  Octets bytes = encoded(reference_to(type));
  bytes.resize((bytes.size() + 7) / 8 * 8 + value);
  return bytes;
}

std::uint64_t allowed(std::size_t bytes) { return limits::kFreeSteps + limits::kStepsPerByte * bytes; }

struct DecodeResult {
  Fault fault;
  std::uint64_t steps;
  Any any;
};
DecodeResult decoded_any(const Octets& bytes) {
  Decoder in(bytes.data(), bytes.size(), false);
  Any any;
  decode(in, any);
  EXPECT_LE(in.steps(), allowed(bytes.size()) + 1);
  return {in.fault(), in.steps(), any};
}

std::string printed(const Any& any) {
  std::ostringstream text;
  text << any;
  return text.str();
}

TEST(TypeCodeWalk, IsBoundedForSharedMemberTypes) {
  // First eight million steps, which would end without a limit; then cases that would not.
  ASSERT_EQ(decoded_any(any_bytes(doubled(22, typecode::k_null), 0)).fault, Fault::too_many_steps);
  const Octets empty = any_bytes(doubled(90, typecode::k_null), 0);
  EXPECT_LT(empty.size(), 6000u);
  EXPECT_EQ(decoded_any(empty).fault, Fault::too_many_steps);
  // The same with an octet in the type.
  const TypeCode& with_octet = structure({{"", &doubled(90, typecode::k_void)}, {"", &typecode::k_octet}});
  EXPECT_EQ(decoded_any(any_bytes(with_octet, 64)).fault, Fault::too_many_steps);
  // The same inside of other types.
  const TypeCode& array = make(TCKind::tk_array, {}, &with_octet, 1000);
  EXPECT_EQ(decoded_any(any_bytes(sequence(array), 64)).fault, Fault::none) << "a sequence of length 0";
  const TypeCode& choice =
      make(TCKind::tk_union, {{"", &doubled(80, typecode::k_null)}}, &typecode::k_boolean, 0, 0);
  EXPECT_EQ(decoded_any(any_bytes(choice, 8)).fault, Fault::too_many_steps);
}

TEST(TypeCodeWalk, IsBoundedInNestedAnys) {
  const Octets inner = any_bytes(doubled(22, typecode::k_null), 0);
  Octets bytes = encoded(CORBA::_tc_any, CORBA::_tc_any, CORBA::_tc_any, CORBA::_tc_any);
  bytes.insert(bytes.end(), inner.begin(), inner.end());
  EXPECT_EQ(decoded_any(bytes).fault, Fault::too_many_steps);
}

TEST(TypeCodeWalk, SharesOneBudgetPerMessage) {
  // Each any takes 16,383 steps and has about 700 bytes.
  const TypeCode& costly = doubled(13, typecode::k_null);
  Octets bytes = encoded(std::uint32_t{100});
  for (int i = 0; i < 100; ++i) {
    const Octets any = encoded(reference_to(costly));
    bytes.resize((bytes.size() + 3) / 4 * 4);
    bytes.insert(bytes.end(), any.begin(), any.end());
  }
  Decoder in(bytes.data(), bytes.size(), false);
  std::vector<Any> found;
  decode(in, found);
  EXPECT_EQ(in.fault(), Fault::too_many_steps);
  EXPECT_LE(in.steps(), allowed(bytes.size()) + 1);
}

TEST(TypeCodeWalk, CountsNoStepsForElementsWithoutOctets) {
  Octets bytes = any_bytes(sequence(doubled(80, typecode::k_null)), 8);
  std::fill_n(bytes.end() - 8, 8, std::uint8_t{0xff});
  const DecodeResult found = decoded_any(bytes);
  EXPECT_EQ(found.fault, Fault::none);
  EXPECT_LT(found.steps, 410u);
  EXPECT_LT(printed(found.any).size(), 100'000u);
}

TEST(TypeCodeWalk, AcceptsALargeValue) {
  static constexpr std::uint32_t kMany = 100'000;
  const auto fault_of_many = [](const TypeCode& element, const auto& value) {
    Octets bytes = encoded(reference_to(sequence(element)));
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const std::size_t type_bytes = bytes.size();
    bytes.resize(type_bytes + 12 * kMany + 4);
    Encoder out(bytes.data() + type_bytes, bytes.size() - type_bytes);
    encode(out, kMany);
    for (std::uint32_t i = 0; i < kMany; ++i) value(out);
    EXPECT_TRUE(out.ok());
    return decoded_any(bytes).fault;
  };
  const TypeCode& fields = structure({{"flag", &typecode::k_boolean}, {"text", &typecode::k_string}});
  EXPECT_EQ(fault_of_many(wrapped(14, fields),
                          [](Encoder& out) {
                            encode(out, true);
                            encode(out, std::string("a"));
                          }),
            Fault::none);
  const Members cases{{"", &typecode::k_octet, 0}, {"", &typecode::k_string, 1}};
  EXPECT_EQ(fault_of_many(make(TCKind::tk_union, cases, &typecode::k_octet),
                          [](Encoder& out) {
                            encode(out, std::uint8_t{0});
                            encode(out, std::uint8_t{7});
                          }),
            Fault::none);
}

TEST(TypeCodeWalk, AcceptsASmallDeepValue) {
  const DecodeResult found = decoded_any(any_bytes(wrapped(typecode::kMaxDepth, typecode::k_wstring), 8));
  EXPECT_EQ(found.fault, Fault::none);
}

TEST(AnyPrinter, IsBoundedForElementsWithoutOctets) {
  // 64 elements are printed of each array: 64 to the power of 3, which would end without a limit, and of 30.
  for (const int levels : {3, 30}) {
    const TypeCode* type = &make(TCKind::tk_array, {}, &typecode::k_octet, 0);
    for (int i = 0; i < levels; ++i) type = &make(TCKind::tk_array, {}, type, 64);
    const Octets bytes = any_bytes(structure({{"none", type}, {"o", &typecode::k_octet}}), 8);
    const DecodeResult found = decoded_any(bytes);
    ASSERT_EQ(found.fault, Fault::none);
    ASSERT_LT(printed(found.any).size(), 100'000u);
  }
}

TEST(AnyPrinter, LimitsRepeatedNames) {
  static const std::string name(20'000, 'n');
  const TypeCode& element = structure({{name.c_str(), &typecode::k_octet}});
  Octets bytes = encoded(reference_to(sequence(element)), std::vector<std::uint8_t>(60, 7));
  const std::string text = printed(decoded_any(bytes).any);
  EXPECT_LT(text.size(), limits::kMaxPrintedNameBytes + 10'000);
  EXPECT_EQ(text.substr(0, 12), "sequence<str");
  EXPECT_NE(text.find("…"), std::string::npos);
}

TEST(AnyPrinter, PrintsNestedAnys) {
  Any inner, outer;
  inner <<= std::vector<std::int32_t>{1, 2};
  for (int i = 0; i < 3; ++i) {
    outer <<= inner;
    inner = outer;
  }
  EXPECT_EQ(printed(outer), "any(any(any(sequence<long>([1, 2]))))");
  Any several;
  several <<= std::vector<Any>{inner, Any()};
  EXPECT_EQ(printed(several), "sequence<any>([any(any(any(sequence<long>([1, 2])))), null])");
}

TEST(UnionCases, AreFoundInLogarithmicTime) {
  Members cases;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    cases.push_back({"", &typecode::k_octet, (i * 7919) % 100'000 - 50'000});
  }
  cases.push_back({"", &typecode::k_string, 12, 0});      // duplicate label: the first case is selected
  cases.push_back({"other", &typecode::k_double, 0, 0});  // the default case, whose label is not used
  const TypeCode& type = make(TCKind::tk_union, cases, &typecode::k_long, 0, 100'001);
  std::uint64_t comparisons = 0;
  for (std::int64_t label = -50'000; label < 50'000; label += 100) {
    const TypeCode::Member* found = any::find_case(type, label, &comparisons);
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->label, label);
    ASSERT_EQ(found->type, &typecode::k_octet);
  }
  EXPECT_LE(comparisons, 1'000u * 18);
  EXPECT_STREQ(any::find_case(type, 50'000)->name, "other");
  const TypeCode& no_default = make(TCKind::tk_union, cases, &typecode::k_long, 0, -1);
  EXPECT_EQ(any::find_case(no_default, 50'000), nullptr);
}

/// A cycle of n types: struct S_i { sequence<S_{i+1}> next; }. `last` is the second member of the last one.
Ref circle(int n, const TypeCode& last) {
  auto graph = std::make_unique<Graph>();
  std::vector<TypeCode*> structs, sequences;
  for (int i = 0; i < n; ++i) {
    structs.push_back(&graph->make(TCKind::tk_struct));
    sequences.push_back(&graph->make(TCKind::tk_sequence));
  }
  for (int i = 0; i < n; ++i) {
    TypeCode::Member* members = graph->members(2);
    members[0] = {"next", sequences[static_cast<std::size_t>(i)]};
    members[1] = {"more", i + 1 == n ? &last : &typecode::k_long};
    Graph::members(*structs[static_cast<std::size_t>(i)], members, 2);
    Graph::content(*sequences[static_cast<std::size_t>(i)], structs[static_cast<std::size_t>((i + 1) % n)]);
  }
  const TypeCode& root = *structs[0];
  return Graph::finish(std::move(graph), root);
}

TEST(TypeCodeComparison, VisitsNoMorePairsThanTypesInCycles) {
  const Ref one = circle(300, typecode::k_long), other = circle(301, typecode::k_long);
  for (const auto compare : {typecode::compare_equal, typecode::compare_equivalent}) {
    const typecode::Comparison found = compare(*one, *other);
    EXPECT_TRUE(found.same);
    EXPECT_LE(found.pairs, 3u * (300 + 301));
    EXPECT_FALSE(compare(*one, *circle(301, typecode::k_double)).same);
    EXPECT_FALSE(compare(*circle(300, typecode::k_double), *circle(300, typecode::k_float)).same);
  }
}

TEST(TypeCodeComparison, VisitsSharedTypesOnce) {
  const Ref one = reference_to(doubled(90, typecode::k_long));
  const Ref other = reference_to(doubled(90, typecode::k_long));
  const typecode::Comparison found = typecode::compare_equal(*one, *other);
  EXPECT_TRUE(found.same);
  EXPECT_LE(found.pairs, 200u);
  EXPECT_FALSE(one->equivalent(reference_to(doubled(90, typecode::k_double))));
}

TEST(TypeCodeWire, IsLinearInSharedTypes) {
  EXPECT_LT(encoded(reference_to(doubled(90, typecode::k_long))).size(), 6000u);
  EXPECT_LT(encoded(reference_to(doubled(90, typecode::k_long))->get_compact_typecode()).size(), 6000u);
}

/// A chain of n types, each of which contains the next one, encoded without deep nesting: each refers to the
/// next by an indirection to an enclosing type. `by_value`: without sequences in between.
Ref chain(int n, bool by_value) {
  auto graph = std::make_unique<Graph>();
  const auto one_member = [&](TypeCode& type, const TypeCode& inner) {
    TypeCode::Member* members = graph->members(1);
    members[0] = {"", &inner};
    Graph::members(type, members, 1);
  };
  const auto many = [&](const TypeCode& element) -> const TypeCode& {
    TypeCode& type = graph->make(TCKind::tk_sequence);
    Graph::content(type, &element);
    return type;
  };
  const auto held = [&](const TypeCode& type) -> const TypeCode& { return by_value ? type : many(type); };
  TypeCode& root = graph->make(TCKind::tk_struct);
  TypeCode::Member* all = graph->members(static_cast<std::size_t>(n));
  const TypeCode* before = &typecode::k_octet;
  for (int i = 0; i < n; ++i) {
    TypeCode& outer = graph->make(TCKind::tk_struct);
    TypeCode& inner = graph->make(TCKind::tk_struct);
    TypeCode& link = graph->make(TCKind::tk_struct);
    one_member(inner, held(outer));
    one_member(link, held(*before));
    TypeCode::Member* members = graph->members(2);
    members[0] = {"", &many(inner)};
    members[1] = {"", &link};
    Graph::members(outer, members, 2);
    all[i] = {"", &outer};
    before = &inner;
  }
  Graph::members(root, all, static_cast<std::uint32_t>(n));
  return Graph::finish(std::move(graph), root);
}

Ref sent(const Ref& type, Fault expected) {
  const Octets bytes = encoded(type);
  Decoder in(bytes.data(), bytes.size(), false);
  Ref found;
  decode(in, found);
  EXPECT_EQ(in.fault(), expected) << describe(in.fault());
  return found;
}

TEST(TypeCodeFaults, RejectNestingHiddenByIndirections) {
  const Ref shallow = sent(chain(20, true), Fault::none);
  ASSERT_NE(shallow, nullptr);
  EXPECT_GT(typecode::min_encoded_bytes(*shallow), 0u);
  sent(chain(10'000, true), Fault::bad_typecode);
}

TEST(TypeCodeFaults, RaiseBadTypecodeForDeepWalks) {
  const Ref whole = sent(chain(20'000, false), Fault::none);
  ASSERT_NE(whole, nullptr);
  // From an inner type the path leads through all of them.
  const Ref last = whole->member_type(19'999)->member_type(1);
  EXPECT_THROW(encoded(last), CORBA::BAD_TYPECODE);
  EXPECT_THROW(last->get_compact_typecode(), CORBA::BAD_TYPECODE);
  EXPECT_FALSE(last->equal(whole));
}

}  // namespace
}  // namespace orbweaver::cdr::testing
