// Anys: insertion and extraction, encoding (CORBA 3.3 part 2, 9.3.5.3), and forwarding of types that the
// program does not know.
#include <orbweaver/any.h>

#include <algorithm>
#include <sstream>

#include "cdr/testing.h"

namespace orbweaver::cdr::testing {
namespace {

using CORBA::Any;
using CORBA::TCKind;
using CORBA::TypeCode;

// A type without a C++ type in this program: struct Sample { octet id; double rate; sequence<short> data; any
// more; }
const TypeCode kShorts{TCKind::tk_sequence, "", "", nullptr, 0, &typecode::k_short};
const TypeCode::Member kFields[] = {{"id", &typecode::k_octet},
                                    {"rate", &typecode::k_double},
                                    {"data", &kShorts},
                                    {"more", &typecode::k_any}};
const TypeCode kSample{TCKind::tk_struct, "IDL:Sample:1.0", "Sample", kFields, 4};
const TypeCode::Member kColours[] = {{"red"}, {"green"}};
const TypeCode kColour{TCKind::tk_enum, "IDL:C:1.0", "C", kColours, 2};
const TypeCode::Member kCases[] = {{"a", &typecode::k_double, -1}, {"b", &typecode::k_string, 0}};
const TypeCode kUnion{TCKind::tk_union, "IDL:U:1.0", "U", kCases, 2, &typecode::k_short, 0, 1};
const TypeCode kNothings{TCKind::tk_sequence, "", "", nullptr, 0, &typecode::k_null};

template <class T>
Any any_of(const T& value) {
  Any any;
  any <<= value;
  return any;
}

Any decode_any(Decoder in) {
  Any any;
  decode(in, any);
  EXPECT_TRUE(in.ok()) << describe(in.fault());
  return any;
}

/// The fault of decoding a little-endian any of this TypeCode and the value that follows, at the next
/// multiple of four.
Fault fault_of(const TypeCode& type, std::string_view little_hex) {
  Octets bytes = encoded(reference_to(type));
  // The kind, and the bound or the length; an encapsulation behind it has a byte order of its own.
  for (std::size_t at = 0; !kLittleEndianHost && at < std::min<std::size_t>(bytes.size(), 8); at += 4)
    std::reverse(bytes.data() + at, bytes.data() + at + 4);
  bytes.resize((bytes.size() + 3) & ~std::size_t{3});
  const Octets more = hex(little_hex);
  bytes.insert(bytes.end(), more.begin(), more.end());
  Decoder in = little(bytes);
  Any any;
  decode(in, any);
  EXPECT_TRUE(in.ok() || any._empty());
  return in.fault();
}

template <class T>
void expect_extracts(const T& value) {
  const Any any = any_of(value);
  T found{};
  EXPECT_TRUE(any >>= found);
  EXPECT_EQ(found, value);
  // Encodes and decodes at every alignment.
  for (std::size_t gap = 0; gap < 9; ++gap) {
    Octets bytes;
    Encoder out(bytes);
    for (std::size_t i = 0; i < gap; ++i) out.put(std::uint8_t{0xee});
    encode(out, any);
    out.finish();
    EXPECT_GE(gap + bound_of(any), bytes.size());
    Decoder in(bytes.data(), bytes.size(), false);
    in.skip(gap);
    Any arrived;
    decode(in, arrived);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.remaining(), 0u);
    T again{};
    EXPECT_TRUE(arrived >>= again);
    EXPECT_EQ(again, value);
  }
}

TEST(Any, ExtractsWhatWasInserted) {
  expect_extracts(std::int8_t{-1});
  expect_extracts(std::uint8_t{200});
  expect_extracts(std::int16_t{-2});
  expect_extracts(std::uint64_t{1} << 63);
  expect_extracts(2.5);
  expect_extracts(2.5L);
  expect_extracts(true);
  expect_extracts('x');
  expect_extracts(L'\u20ac');
  expect_extracts(std::string("text"));
  expect_extracts(std::wstring(L"wide \u20ac"));
  expect_extracts(std::vector<double>{1, 2, 3});
  expect_extracts(std::vector<std::string>{"a", "", "bcd"});
  expect_extracts(std::vector<std::vector<std::int64_t>>{{1}, {}, {2, 3}});
  expect_extracts(std::array<std::int16_t, 3>{1, 2, 3});
  expect_extracts(IDL::bounded_vector<std::uint8_t, 4>{1, 2});
  Any text;
  text <<= "literal";
  std::string found;
  EXPECT_TRUE(text >>= found);
  EXPECT_EQ(found, "literal");
}

TEST(Any, DoesNotExtractAnotherType) {
  const Any any = any_of(std::int32_t{7});
  std::uint32_t other = 5;
  EXPECT_FALSE(any >>= other);
  EXPECT_EQ(other, 5u);
  std::string text;
  EXPECT_FALSE(Any() >>= text);
  EXPECT_EQ(any.type().get(), CORBA::_tc_long.get());
  EXPECT_EQ(Any().type().get(), CORBA::_tc_null.get());
  IDL::bounded_vector<std::uint8_t, 5> longer;
  EXPECT_FALSE(any_of(IDL::bounded_vector<std::uint8_t, 4>{1, 2}) >>= longer);
}

TEST(Any, IsEmptyAfterReset) {
  Any any = any_of(std::int32_t{7});
  any._reset();
  EXPECT_TRUE(any._empty());
  EXPECT_EQ(encoded(any), Octets(4));
}

TEST(Any, AcceptsAnEquivalentType) {
  Any any = any_of(std::uint8_t{7});
  any.type(reference_to(typecode::k_int8));
  EXPECT_EQ(any.type().get(), &typecode::k_int8);
  EXPECT_THROW(any.type(CORBA::_tc_long), CORBA::BAD_TYPECODE);
  std::int8_t found = 0;
  EXPECT_TRUE(any >>= found);
}

TEST(AnyWire, EncodesTypeCodeAndValue) {
  const Octets of_long = hex("00000003 fffffffe"), of_long_little = hex("03000000 feffffff");
  std::int32_t number = 0;
  EXPECT_TRUE(decode_any(big(of_long)) >>= number);
  EXPECT_EQ(number, -2);
  EXPECT_TRUE(decode_any(little(of_long_little)) >>= number);
  EXPECT_EQ(number, -2);
  if (kLittleEndianHost) {
    EXPECT_EQ(encoded(any_of(number)), of_long_little);
    EXPECT_EQ(encoded(any_of(std::string("hi"))), hex("12000000 00000000 03000000 686900"));
    // A double after a TypeCode of four bytes is padded.
    EXPECT_EQ(encoded(any_of(1.0)), hex("07000000 00000000 000000000000f03f"));
  }
  EXPECT_TRUE(decode_any(big(hex("00000000")))._empty());
}

TEST(AnyWire, EncodesNestedAnysAndSequences) {
  const Any inner = any_of(std::vector<double>{1, 2});
  const std::vector<Any> many{any_of(inner), Any(), any_of(true), inner};
  const Octets bytes = encoded(std::uint8_t{1}, many);
  EXPECT_GE(1 + bound_of(many), bytes.size());
  Decoder in(bytes.data(), bytes.size(), false);
  in.skip(1);
  std::vector<Any> found;
  decode(in, found);
  ASSERT_TRUE(in.ok());
  ASSERT_EQ(found.size(), 4u);
  Any nested;
  std::vector<double> doubles;
  EXPECT_TRUE(found[0] >>= nested);
  EXPECT_TRUE(nested >>= doubles);
  EXPECT_EQ(doubles, (std::vector<double>{1, 2}));
  EXPECT_TRUE(found[1]._empty());
  EXPECT_EQ(encoded(std::uint8_t{1}, found), bytes);
  std::vector<Any> whole;
  EXPECT_TRUE(any_of(many) >>= whole);
  EXPECT_EQ(whole.size(), 4u);
}

// The message of a big-endian peer, forwarded at other alignments in this machine's byte order and decoded
// again.
TEST(AnyWire, ForwardsUnknownTypes) {
  Octets peer = encoded(reference_to(kSample));
  const std::size_t type_bytes = peer.size();
  ASSERT_EQ(type_bytes % 8, 4u) << "the value's padding below is written for this";
  peer[0] = peer[1] = peer[2] = 0,
  peer[3] = 15;  // kind and length in big-endian; the encapsulation has its own byte order
  for (int i = 0; i < 4; ++i)
    peer[static_cast<std::size_t>(4 + i)] = static_cast<std::uint8_t>((type_bytes - 8) >> (24 - 8 * i));
  const Octets value = hex("07 000000 3ff8000000000000 00000002 0001 fffe 00000006 40600000");
  peer.insert(peer.end(), value.begin(), value.end());
  const Any any = decode_any(big(peer));
  EXPECT_TRUE(any.type()->equal(reference_to(kSample)));
  std::ostringstream text;
  text << any;
  EXPECT_EQ(text.str(), "Sample{id: 7, rate: 1.5, data: [1, -2], more: float(3.5)}");
  const Octets mine = encoded(any);
  EXPECT_EQ(mine.size(), peer.size());
  EXPECT_EQ(encoded(decode_any({mine.data(), mine.size(), false})), mine);
  for (std::size_t gap = 1; gap < 8; ++gap) {
    Octets bytes;
    Encoder out(bytes);
    for (std::size_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
    encode(out, any);
    out.finish();
    Decoder in(bytes.data(), bytes.size(), false);
    in.skip(gap);
    Any again;
    decode(in, again);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(encoded(again), mine);
  }
}

TEST(AnyWire, DecodesUnions) {
  EXPECT_EQ(fault_of(kUnion, "ffff 000000000000 000000000000f03f"), Fault::none);
  EXPECT_EQ(fault_of(kUnion, "ffff 0000 000000000000"), Fault::truncated);
  EXPECT_EQ(fault_of(kUnion, "0500 0000 02000000 6100"), Fault::none);
  EXPECT_EQ(fault_of(kUnion, "0500 0000 02000000 6161"), Fault::bad_string);
}

/// A message may contain an any for every few of its bytes.
TEST(AnyWire, AllocatesLittleForShortValues) {
  const auto capacity_of = [](const Any& any) {
    std::vector<std::uint8_t> bytes;
    Encoder out(bytes);
    encode(out, any);
    out.finish();
    const Any decoded = decode_any(Decoder(bytes.data(), bytes.size(), false));
    return any::Access::find(decoded, *decoded.type())->capacity();
  };
  EXPECT_LE(capacity_of(any_of(std::string("a"))), 16u);
  EXPECT_LE(capacity_of(any_of(std::uint8_t{1})), 16u);
  EXPECT_LE(capacity_of(any_of(std::string(100, 'a'))), 210u);
  EXPECT_LE(capacity_of(any_of(std::string(400, 'a'))), 810u);
}

/// Each any takes `bytes` of the message; its type is a bounded string whose bound is unique.
bool decodes_anys_of_different_types(std::uint32_t count, std::size_t bytes) {
  std::vector<std::uint8_t> message;
  Encoder out(message);
  out.put(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    out.put(static_cast<std::uint32_t>(TCKind::tk_string));
    out.put(0x10000 + i);
    encode(out, std::string(bytes - 13, 'a'));
  }
  out.finish();
  Decoder in(message.data(), message.size(), false);
  std::vector<Any> anys;
  decode(in, anys);
  return in.ok();
}

TEST(AnyWire, LimitsDistinctTypeCodesByMessageSize) {
  EXPECT_TRUE(decodes_anys_of_different_types(10, 16));
  EXPECT_TRUE(decodes_anys_of_different_types(10'000, 32));
  EXPECT_FALSE(decodes_anys_of_different_types(10'000, 16));
}

TEST(AnyWire, RejectsInvalidValues) {
  EXPECT_EQ(fault_of(typecode::k_boolean, "02"), Fault::bad_boolean);
  EXPECT_EQ(fault_of(kColour, "01000000"), Fault::none);
  EXPECT_EQ(fault_of(kColour, "02000000"), Fault::bad_enum);
  EXPECT_EQ(fault_of(kShorts, "ffffffff 0000"), Fault::bad_length);
  EXPECT_EQ(fault_of(kShorts, "02000000 0100"), Fault::bad_length);
  EXPECT_EQ(fault_of(typecode::k_string, "02000000 6162"), Fault::bad_string);
  EXPECT_EQ(fault_of(typecode::k_long, "0000"), Fault::truncated);
  EXPECT_EQ(fault_of(typecode::k_any, "63000000"), Fault::bad_typecode);
  EXPECT_EQ(fault_of(kNothings, "ffffffff"), Fault::none) << "elements without bytes take no time";
}

TEST(AnyWire, RejectsUnboundedNesting) {
  Octets bytes;
  for (int i = 0; i < 100000; ++i) {
    const Octets any = hex("0000000b");
    bytes.insert(bytes.end(), any.begin(), any.end());
  }
  Decoder in = big(bytes);
  Any any;
  decode(in, any);
  EXPECT_EQ(in.fault(), Fault::too_deep);
}

TEST(AnyWire, RaisesMarshalForInvalidElements) {
  // Booleans of sequences are copied as blocks and checked on extraction.
  Octets bytes = encoded(any_of(std::vector<bool>{true, true}));
  bytes.back() = 9;
  const Any any = decode_any({bytes.data(), bytes.size(), false});
  std::vector<bool> found;
  EXPECT_THROW(any >>= found, CORBA::MARSHAL);
}

TEST(Any, HoldsTheLabelsOfUnionCases) {
  std::int16_t label = 0;
  EXPECT_TRUE(reference_to(kUnion)->member_label(0) >>= label);
  EXPECT_EQ(label, -1);
  std::uint8_t other = 1;
  EXPECT_TRUE(reference_to(kUnion)->member_label(1) >>= other);
  EXPECT_EQ(other, 0);
  EXPECT_THROW(reference_to(kUnion)->member_label(2), TypeCode::Bounds);
  EXPECT_THROW(CORBA::_tc_long->member_label(0), TypeCode::BadKind);
}

}  // namespace
}  // namespace orbweaver::cdr::testing
