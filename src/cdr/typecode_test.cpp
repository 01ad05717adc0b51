// TypeCodes: what they tell, when they are the same, and their bytes (CORBA 3.3 part 2, 9.3.5.1).
#include <orbweaver/typecode.h>

#include <sstream>

#include "cdr/testing.h"
#include "cdr/typecode_graph.h"

/// The ORB raises BAD_INV_ORDER here.
void CORBA::throw_nil_reference() { throw std::logic_error("nil"); }

namespace orbweaver::cdr::testing {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;
using Ref = CORBA::typecode_reference;

// As the compiler writes them: struct Tree { string name; sequence<Tree> kids; }
extern const TypeCode kTree;
const TypeCode kForest{TCKind::tk_sequence, "", "", nullptr, 0, &kTree};
const TypeCode::Member kTreeMembers[] = {{"name", &typecode::k_string}, {"kids", &kForest}};
const TypeCode kTree{TCKind::tk_struct, "IDL:Tree:1.0", "Tree", kTreeMembers, 2};

// typedef sequence<Wood> Grove; struct Wood { Grove kids; }
extern const TypeCode kWood;
const TypeCode kWoods{TCKind::tk_sequence, "", "", nullptr, 0, &kWood};
const TypeCode kGrove{TCKind::tk_alias, "IDL:Grove:1.0", "Grove", nullptr, 0, &kWoods};
const TypeCode::Member kWoodMembers[] = {{"kids", &kGrove}};
const TypeCode kWood{TCKind::tk_struct, "IDL:Wood:1.0", "Wood", kWoodMembers, 1};

const TypeCode kDoubles{TCKind::tk_sequence, "", "", nullptr, 0, &typecode::k_double};
const TypeCode kNamed{TCKind::tk_alias, "IDL:D:1.0", "D", nullptr, 0, &kDoubles};
const TypeCode::Member kColours[] = {{"red"}, {"green"}};
const TypeCode kColour{TCKind::tk_enum, "IDL:C:1.0", "C", kColours, 2};
const TypeCode::Member kCases[] = {{"a", &typecode::k_long, 1}, {"b", &kTree, -1}, {"c", &kTree, 0}};
const TypeCode kUnion{TCKind::tk_union, "IDL:U:1.0", "U", kCases, 3, &typecode::k_short, 0, 2};

Ref read(std::string_view big_hex) {
  const Octets bytes = hex(big_hex);
  Decoder in = big(bytes);
  Ref type;
  decode(in, type);
  EXPECT_EQ(type == nullptr, !in.ok());
  return type;
}

Fault fault_of(std::string_view big_hex) {
  const Octets bytes = hex(big_hex);
  Decoder in = big(bytes);
  Ref type;
  decode(in, type);
  EXPECT_EQ(type == nullptr, !in.ok());
  return in.fault();
}

Ref there_and_back(const TypeCode& type) {
  const Octets bytes = encoded(reference_to(type));
  EXPECT_GE(bound_of(reference_to(type)), bytes.size());
  Decoder in(bytes.data(), bytes.size(), false);
  Ref found;
  decode(in, found);
  EXPECT_TRUE(in.ok()) << describe(in.fault());
  EXPECT_EQ(in.remaining(), 0u);
  return found;
}

TEST(TypeCodeWire, OfBasicTypesIsTheirKind) {
  EXPECT_EQ(read("00000003")->kind(), TCKind::tk_long);
  EXPECT_EQ(read("0000000b").get(), CORBA::_tc_any.get());
  EXPECT_EQ(read("00000012 00000000").get(), CORBA::_tc_string.get());
  EXPECT_EQ(read("00000012 00000007")->length(), 7u);
  EXPECT_EQ(read("0000001c 0005 fffe")->fixed_digits(), 5);
  EXPECT_EQ(read("0000001c 0005 fffe")->fixed_scale(), -2);
}

// One written by hand: sequence<double, 3> in a big-endian encapsulation.
TEST(TypeCodeWire, OfConstructedTypesIsAnEncapsulation) {
  const Ref type = read("00000013 0000000c 00 000000 00000007 00000003");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->kind(), TCKind::tk_sequence);
  EXPECT_EQ(type->content_type().get(), CORBA::_tc_double.get());
  EXPECT_EQ(type->length(), 3u);
  if (kLittleEndianHost) {
    EXPECT_EQ(encoded(reference_to(kDoubles)), hex("13000000 0c000000 01 000000 07000000 00000000"));
  }
}

// struct Tree { string name; sequence<Tree> kids; }: the sequence's element points back to the struct.
TEST(TypeCodeWire, OfRecursiveTypesPointsBack) {
  if (kLittleEndianHost) {
    EXPECT_EQ(encoded(reference_to(kTree)),
              hex("0f000000 60000000 01 000000 0d000000 49444c3a547265653a312e3000 000000 05000000 5472656500"
                  "000000 02000000 05000000 6e616d6500 000000 12000000 00000000 05000000 6b69647300 000000"
                  "13000000 10000000 01 000000 ffffffff a0ffffff 00000000"));
  }
  const Ref tree = there_and_back(kTree);
  EXPECT_EQ(tree->member_type(1)->content_type().get(), tree.get());
  EXPECT_TRUE(tree->equal(reference_to(kTree)));
}

// Grove is a typedef of sequence<Wood>, and what recursion leads back to: Wood's indirection leads to Wood.
TEST(TypeCodeWire, OfAnAliasInACircleIsWrittenUpToTheStruct) {
  const Ref alias = there_and_back(kGrove);
  const Ref wood = alias->content_type()->content_type();
  EXPECT_EQ(wood->member_type(0)->content_type()->content_type().get(), wood.get());
  EXPECT_TRUE(alias->equal(reference_to(kGrove)));
}

// omniORB writes the same with an indirection to the alias.
TEST(TypeCodeWire, MayPointBackToAnAliasWithAStructBetween) {
  const Ref alias = read(
      "00000015 00000064 00 000000 0000000a 49444c3a473a312e3000 0000 00000002 4700 0000"
      "00000013 00000040 00 000000 0000000f 00000030 00 000000 0000000a 49444c3a573a312e3000 0000 00000002 5700 0000"
      "00000001 00000002 6b00 0000 ffffffff ffffff9c 00000000");
  ASSERT_NE(alias, nullptr);
  const Ref wood = alias->content_type()->content_type();
  EXPECT_EQ(wood->member_type(0).get(), alias.get());
  EXPECT_TRUE(there_and_back(*wood)->equal(wood));
  // typedef sequence<G> G.
  EXPECT_EQ(fault_of("00000015 00000034 00 000000 0000000a 49444c3a473a312e3000 0000 00000002 4700 0000"
                     "00000013 00000010 00 000000 ffffffff ffffffcc 00000000"),
            Fault::bad_typecode);
  // typedef union U switch (G) {} G.
  EXPECT_EQ(fault_of("00000015 00000050 00 000000 0000000a 49444c3a473a312e3000 0000 00000002 4700 0000"
                     "00000010 0000002c 00 000000 0000000a 49444c3a553a312e3000 0000 00000002 5500 0000"
                     "ffffffff ffffffb4 ffffffff 00000000"),
            Fault::bad_typecode);
}

TEST(TypeCodeWire, OfWhatStandsTwicePointsToTheFirst) {
  const Ref type = there_and_back(kUnion);
  EXPECT_EQ(type->member_type(1).get(), type->member_type(2).get());
  EXPECT_TRUE(type->equal(reference_to(kUnion)));
}

TEST(TypeCodeWire, ComesFromTheCacheTheSecondTime) {
  EXPECT_EQ(there_and_back(kNamed).get(), there_and_back(kNamed).get());
}

TEST(TypeCodes, TellWhatTheyAre) {
  const Ref u = there_and_back(kUnion);
  EXPECT_EQ(u->id(), "IDL:U:1.0");
  EXPECT_EQ(u->name(), "U");
  EXPECT_EQ(u->member_count(), 3u);
  EXPECT_EQ(u->member_name(1), "b");
  EXPECT_EQ(u->discriminator_type()->kind(), TCKind::tk_short);
  EXPECT_EQ(u->default_index(), 2);
  EXPECT_EQ(there_and_back(kColour)->member_name(1), "green");
}

TEST(TypeCodes, RaiseBadKindAndBounds) {
  EXPECT_THROW(CORBA::_tc_long->id(), TypeCode::BadKind);
  EXPECT_THROW(CORBA::_tc_long->member_count(), TypeCode::BadKind);
  EXPECT_THROW(CORBA::_tc_long->length(), TypeCode::BadKind);
  EXPECT_THROW(CORBA::_tc_string->content_type(), TypeCode::BadKind);
  EXPECT_THROW(reference_to(kColour)->member_type(0), TypeCode::BadKind);
  EXPECT_THROW(reference_to(kTree)->member_name(2), TypeCode::Bounds);
  EXPECT_THROW(reference_to(kTree)->default_index(), TypeCode::BadKind);
}

TEST(TypeCodes, AreEquivalentBehindTheirAliases) {
  const Ref alias = reference_to(kNamed), plain = reference_to(kDoubles);
  EXPECT_FALSE(alias->equal(plain));
  EXPECT_TRUE(alias->equivalent(plain));
  EXPECT_TRUE(plain->equivalent(there_and_back(kNamed)));
  EXPECT_FALSE(plain->equivalent(CORBA::_tc_double));
  EXPECT_FALSE(plain->equivalent(nullptr));
}

TEST(TypeCodes, ComparisonOfRecursiveOnesEnds) {
  const Ref one = there_and_back(kTree), compact = one->get_compact_typecode();
  EXPECT_EQ(compact->name(), "");
  EXPECT_EQ(compact->id(), "IDL:Tree:1.0");
  EXPECT_FALSE(one->equal(compact));
  EXPECT_TRUE(one->equivalent(compact));
  EXPECT_TRUE(compact->equal(compact->get_compact_typecode()));
}

TEST(TypeCodes, OutliveWhatTheyCameIn) {
  Ref element;
  { element = there_and_back(kTree)->member_type(1)->content_type(); }
  EXPECT_EQ(element->name(), "Tree");
}

TEST(TypeCodes, ArePrintedAsIdlWouldWriteThem) {
  std::ostringstream out;
  out << reference_to(kDoubles) << ' ' << reference_to(kNamed) << ' ' << reference_to(kForest) << ' '
      << CORBA::_tc_ulonglong << ' ' << Ref();
  EXPECT_EQ(out.str(), "sequence<double> D sequence<Tree> unsigned long long nil");
}

TEST(TypeCodeFaults, LeaveNothingUnsaid) {
  EXPECT_EQ(fault_of("00000025"), Fault::bad_typecode);                     // no such kind
  EXPECT_EQ(fault_of("ffffffff fffffff8"), Fault::bad_typecode);            // points ahead of the first
  EXPECT_EQ(fault_of("00000013 ffffffff 00"), Fault::bad_length);           // longer than what arrived
  EXPECT_EQ(fault_of("00000013 00000004 02 000000"), Fault::bad_typecode);  // a third byte order
  EXPECT_EQ(fault_of("00000013 00000004 00 000000"), Fault::truncated);     // and no element
  // a sequence whose element is the sequence itself, itself by a byte, and something behind it
  EXPECT_EQ(fault_of("00000013 00000010 00 000000 ffffffff fffffff0 00000000"), Fault::bad_typecode);
  EXPECT_EQ(fault_of("00000013 00000010 00 000000 ffffffff fffffff1 00000000"), Fault::bad_typecode);
  EXPECT_EQ(fault_of("00000013 00000010 00 000000 ffffffff 00000004 00000000"), Fault::bad_typecode);
  EXPECT_EQ(fault_of("00000013 00000010 00 000000 ffffffff 80000000 00000000"), Fault::bad_typecode);
  // an enum of four billion names
  EXPECT_EQ(fault_of("00000011 00000018 00 000000 00000001 00000000 00000001 00000000 ffffffff"),
            Fault::bad_length);
  // a union over doubles
  EXPECT_EQ(fault_of("00000010 0000001c 00 000000 00000000 00000000 00000007 ffffffff 00000000 00000000"),
            Fault::bad_typecode);
}

// struct S { S s; }: no value of it could end.
TEST(TypeCodeFaults, RefuseAStructThatHoldsItself) {
  EXPECT_EQ(fault_of("0000000f 0000001c 00 000000 00000000 00000000 00000001 00000000 ffffffff ffffffe0"),
            Fault::bad_typecode);
}

TEST(TypeCodeFaults, FollowNestingToALimit) {
  const auto nested = [](int depth) {
    Octets bytes = hex("00000007 00000000");  // double, and the bound of what is around it
    for (int i = 0; i < depth; ++i) {
      Octets outer = hex("00000013 00000000 00 000000");
      const auto n = static_cast<std::uint32_t>(bytes.size() + 4);
      for (int k = 0; k < 4; ++k) outer[4 + k] = static_cast<std::uint8_t>(n >> (24 - 8 * k));
      outer.insert(outer.end(), bytes.begin(), bytes.end());
      outer.insert(outer.end(), 4, 0);
      bytes = outer;
    }
    Decoder in = big(bytes);
    Ref type;
    decode(in, type);
    return in.fault();
  };
  EXPECT_EQ(nested(typecode::kMaxDepth), Fault::none);
  EXPECT_EQ(nested(typecode::kMaxDepth + 1), Fault::too_deep);
  EXPECT_EQ(nested(5000), Fault::too_deep);
}

TEST(TypeCodeFaults, AnyBeginningOfOneIsNone) {
  const Octets bytes = encoded(reference_to(kUnion));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    Decoder in(bytes.data(), n, false);
    Ref type;
    decode(in, type);
    EXPECT_FALSE(in.ok()) << n;
  }
}

TEST(TypeCodeLayout, KnowsWhatIsPlainAndWhatIsLeast) {
  using typecode::block_of;
  using typecode::least_bytes;
  const TypeCode::Member pair[] = {{"re", &typecode::k_double}, {"im", &typecode::k_double}};
  const TypeCode::Member gap[] = {{"o", &typecode::k_octet}, {"d", &typecode::k_double}};
  const TypeCode plain{TCKind::tk_struct, "", "", pair, 2}, gapped{TCKind::tk_struct, "", "", gap, 2};
  EXPECT_EQ(block_of(plain).size, 16u);
  EXPECT_EQ(block_of(gapped).size, 0u);
  EXPECT_EQ(least_bytes(gapped), 9u);
  EXPECT_EQ(least_bytes(kTree), 8u);
  EXPECT_EQ(least_bytes(typecode::k_void), 0u);
  const TypeCode big{TCKind::tk_array, "", "", nullptr, 0, &plain, 0xffffffff};
  const TypeCode huge{TCKind::tk_array, "", "", nullptr, 0, &big, 0xffffffff};
  EXPECT_GE(least_bytes(huge), 1u << 30);
  EXPECT_EQ(block_of(huge).size, 0u);
}

}  // namespace
}  // namespace orbweaver::cdr::testing
