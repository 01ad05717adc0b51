// Wide characters in GIOP 1.1 and 1.0 (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7). The tests for GIOP 1.2 are in
// primitives_test.cpp and constructed_test.cpp.
#include <orbweaver/any.h>

#include "cdr/testing.h"
#include "cdr/typecode_graph.h"

namespace orbweaver::cdr::testing {
namespace {

using CORBA::Any;
using CORBA::TCKind;
using CORBA::TypeCode;

template <class... T>
Octets encoded_as(WcharEncoding form, const T&... values) {
  Octets bytes;
  Encoder out(bytes);
  out.wchar_encoding(form);
  (encode(out, values), ...);
  out.finish();
  return bytes;
}
Octets in_giop_1_1(std::string_view big_hex, std::string_view little_hex) {
  return hex(kLittleEndianHost ? little_hex : big_hex);
}
Decoder as(WcharEncoding form, Decoder in) {
  in.wchar_encoding(form);
  return in;
}

template <class T>
void expect_round_trip_in_giop_1_1(std::string_view big_hex, std::string_view little_hex, const T& value) {
  const Octets bytes[2] = {hex(big_hex), hex(little_hex)};
  for (int order = 0; order < 2; ++order) {
    SCOPED_TRACE(order == 0 ? "big-endian" : "little-endian");
    const auto open = [order](const Octets& from) {
      return as(WcharEncoding::giop_1_1, order == 0 ? big(from) : little(from));
    };
    Decoder in = open(bytes[order]);
    EXPECT_EQ(std::get<1>(decoded<std::uint8_t, T>(in)), value);
    EXPECT_TRUE(in.ok()) << describe(in.fault());
    EXPECT_EQ(in.remaining(), 0u);
    for (std::size_t n = 0; n < bytes[order].size(); ++n) {
      const Octets part(bytes[order].begin(), bytes[order].begin() + static_cast<std::ptrdiff_t>(n));
      Decoder cut = open(part);
      decoded<std::uint8_t, T>(cut);
      EXPECT_FALSE(cut.ok()) << n << " bytes";
    }
  }
  const Octets mine = encoded_as(WcharEncoding::giop_1_1, std::uint8_t{1}, value);
  EXPECT_EQ(mine, bytes[kLittleEndianHost ? 1 : 0]);
  EXPECT_GE(1 + bound_of(value), mine.size());
}

TEST(WideCharactersInGiop11, EncodeTwoAlignedOctetsInMessageByteOrder) {
  expect_round_trip_in_giop_1_1("01 00 0041", "01 00 4100", L'A');
  expect_round_trip_in_giop_1_1("01 00 4e2d", "01 00 2d4e", L'\u4e2d');
  expect_round_trip_in_giop_1_1("01 00 feff", "01 00 fffe", L'\ufeff');
}

TEST(WideCharactersInGiop11, RejectCharactersBeyondTwoOctets) {
  EXPECT_THROW(encoded_as(WcharEncoding::giop_1_1, L'\U0001F600'), CORBA::DATA_CONVERSION);
}

TEST(WideStringsInGiop11, CountUnitsAndNul) {
  expect_round_trip_in_giop_1_1("01 000000 00000001 0000", "01 000000 01000000 0000", std::wstring());
  expect_round_trip_in_giop_1_1("01 000000 00000004 0068 00e9 4e2d 0000",
                                "01 000000 04000000 6800 e900 2d4e 0000", std::wstring(L"h\u00e9\u4e2d"));
  expect_round_trip_in_giop_1_1("01 000000 00000004 0041 d83d de00 0000",
                                "01 000000 04000000 4100 3dd8 00de 0000", std::wstring(L"A\U0001F600"));
  expect_round_trip_in_giop_1_1("01 000000 00000004 0041 0000 0042 0000",
                                "01 000000 04000000 4100 0000 4200 0000", std::wstring(L"A\0B", 3));
}

template <class T>
Fault fault_in_giop_1_1(std::string_view big_hex) {
  const Octets bytes = hex(big_hex);
  Decoder in = as(WcharEncoding::giop_1_1, big(bytes));
  decoded<T>(in);
  return in.fault();
}

TEST(WideStringsInGiop11, ValidateLengthAndNul) {
  EXPECT_EQ(fault_in_giop_1_1<std::wstring>("00000000"), Fault::none) << "some ORBs send an empty string so";
  EXPECT_EQ(fault_in_giop_1_1<std::wstring>("00000002 0041 0042"), Fault::bad_string);
  EXPECT_EQ(fault_in_giop_1_1<std::wstring>("00000003 0041 0000"), Fault::bad_length);
  EXPECT_EQ(fault_in_giop_1_1<std::wstring>("ffffffff 0041 0000"), Fault::bad_length);
  using Two = IDL::bounded_wstring<2>;
  EXPECT_EQ(fault_in_giop_1_1<Two>("00000003 0041 0042 0000"), Fault::none);
  EXPECT_EQ(fault_in_giop_1_1<Two>("00000004 0041 0042 0043 0000"), Fault::bound_exceeded);
}

// union Choice switch (wchar) { case L'a': long number; case L'\u4e2d': wstring text; }
const TypeCode::Member kWideCases[] = {{"number", &typecode::k_long, L'a'},
                                       {"text", &typecode::k_wstring, L'\u4e2d'}};
const TypeCode kChoice{TCKind::tk_union, "", "", kWideCases, 2, &typecode::k_wchar, 0, -1};
const TypeCode kWides{TCKind::tk_sequence, "", "", nullptr, 0, &typecode::k_wchar};
const TypeCode::Member kWideFields[] = {
    {"one", &typecode::k_octet},     {"wide", &typecode::k_wchar}, {"text", &typecode::k_wstring},
    {"rate", &typecode::k_double},   {"wides", &kWides},           {"choice", &kChoice},
    {"type", &typecode::k_TypeCode}, {"more", &typecode::k_any}};
const TypeCode kRecord{TCKind::tk_struct, "IDL:Record:1.0", "Record", kWideFields, 8};

/// A Record in the encoding of GIOP 1.2.
Any a_record() {
  Octets bytes = encoded(reference_to(kRecord));
  bytes.resize((bytes.size() + 7) / 8 * 8);
  Octets value;
  Encoder out(value);
  Any more;
  more <<= std::wstring(L"more");
  encode(out, std::uint8_t{1});
  encode(out, L'\u00e9');
  encode(out, std::wstring(L"even"));
  encode(out, 2.5);
  encode(out, std::vector<wchar_t>{L'x', L'y'});
  encode(out, L'\u4e2d');
  encode(out, std::wstring(L"the case of U+4E2D"));
  encode(out, reference_to(kChoice));
  encode(out, more);
  out.finish();
  bytes.insert(bytes.end(), value.begin(), value.end());
  Decoder in(bytes.data(), bytes.size(), false);
  Any any;
  decode(in, any);
  EXPECT_TRUE(in.ok()) << describe(in.fault());
  return any;
}

TEST(AnysInGiop11, EncodeWcharsAtEveryAlignment) {
  const Any any = a_record();
  for (std::size_t gap = 0; gap < 9; ++gap) {
    Octets bytes(gap + bound_of(any));
    Encoder out(bytes.data(), bytes.size());
    out.wchar_encoding(WcharEncoding::giop_1_1);
    for (std::size_t i = 0; i < gap; ++i) out.put(std::uint8_t{0xee});
    encode(out, any);
    ASSERT_TRUE(out.ok()) << "the bound is too small";
    Decoder in = as(WcharEncoding::giop_1_1, {bytes.data(), out.size(), false});
    in.skip(gap);
    Any again;
    decode(in, again);
    ASSERT_TRUE(in.ok()) << describe(in.fault());
    EXPECT_EQ(in.remaining(), 0u);
    EXPECT_EQ(encoded(again), encoded(any));
  }
}

TEST(AnysInGiop11, EncodeAWideString) {
  Any any;
  any <<= std::wstring(L"ab");
  EXPECT_EQ(
      encoded_as(WcharEncoding::giop_1_1, any),
      in_giop_1_1("0000001b 00000000 00000003 0061 0062 0000", "1b000000 00000000 03000000 6100 6200 0000"));
  EXPECT_EQ(encoded(any),
            in_giop_1_1("0000001b 00000000 00000004 0061 0062", "1b000000 00000000 04000000 0061 0062"));
}

TEST(AnysInGiop11, FitTheirBoundWithManyWideStrings) {
  Any any;
  any <<= std::vector<std::wstring>(100, L"even");
  EXPECT_GE(bound_of(any), encoded_as(WcharEncoding::giop_1_1, any).size());
}

TEST(TypeCodesInGiop11, EncodeWcharLabels) {
  const Octets bytes = encoded_as(WcharEncoding::giop_1_1, reference_to(kChoice));
  EXPECT_NE(bytes, encoded(reference_to(kChoice)));
  EXPECT_GE(bound_of(reference_to(kChoice)), bytes.size());
  Decoder in = as(WcharEncoding::giop_1_1, {bytes.data(), bytes.size(), false});
  CORBA::typecode_reference found;
  decode(in, found);
  ASSERT_TRUE(in.ok()) << describe(in.fault());
  EXPECT_TRUE(found->equal(reference_to(kChoice)));
  EXPECT_EQ(encoded(found), encoded(reference_to(kChoice))) << "in GIOP 1.2, the encoding of 1.2";
}

TEST(TypeCodesInGiop11, AreNotCachedForAnotherVersion) {
  const Octets bytes = encoded_as(WcharEncoding::giop_1_1, reference_to(kChoice));
  CORBA::typecode_reference found;
  Decoder other(bytes.data(), bytes.size(), false);
  decode(other, found);
  EXPECT_FALSE(other.ok() && found->equal(reference_to(kChoice)));
  Decoder in = as(WcharEncoding::giop_1_1, {bytes.data(), bytes.size(), false});
  decode(in, found);
  EXPECT_TRUE(in.ok() && found->equal(reference_to(kChoice)));
}

template <class T>
std::uint32_t minor_of_sending(WcharEncoding form, const T& value) {
  try {
    encoded_as(form, value);
  } catch (const CORBA::MARSHAL& e) {
    return e.minor();
  }
  return 0;
}

TEST(WideCharactersInGiop10, AreRejected) {
  Any any;
  any <<= L'x';
  for (const auto& [form, minor] : {std::pair(WcharEncoding::none_in_request, 0x4f4d0005u),
                                    std::pair(WcharEncoding::none_in_reply, 0x4f4d0006u)}) {
    EXPECT_EQ(minor_of_sending(form, L'A'), minor);
    EXPECT_EQ(minor_of_sending(form, std::wstring(L"A")), minor);
    EXPECT_EQ(minor_of_sending(form, any), minor);
    EXPECT_EQ(minor_of_sending(form, std::string("A")), 0u);
    const Octets bytes = hex("00000002 0041 0000");
    Decoder in = as(form, big(bytes));
    decoded<std::wstring>(in);
    EXPECT_EQ(in.fault(), Fault::wchar_in_giop_1_0);
    EXPECT_EQ(minor_code(in), minor);
  }
}

}  // namespace
}  // namespace orbweaver::cdr::testing
