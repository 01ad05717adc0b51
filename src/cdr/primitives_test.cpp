// The encoding of each built-in type (CORBA 3.3 part 2, 9.3.1), in both byte orders.
#include <cmath>
#include <limits>

#include "cdr/testing.h"

namespace orbweaver::cdr::testing {
namespace {

using octet = std::uint8_t;
const octet kOne = 1;

TEST(CdrPrimitives, EncodeOctetsAndChars) {
  expect_round_trip("ff", "ff", octet{255});
  expect_round_trip("41", "41", 'A');
  expect_round_trip("80", "80", std::int8_t{-128});
}

TEST(CdrPrimitives, EncodeBooleans) { expect_round_trip("01 00", "01 00", true, false); }

TEST(CdrPrimitives, DecodeIntegersOfEitherByteOrder) {
  expect_round_trip("fffe", "feff", std::int16_t{-2});
  expect_round_trip("8001", "0180", std::uint16_t{0x8001});
  expect_round_trip("fffffffd", "fdffffff", std::int32_t{-3});
  expect_round_trip("01020304", "04030201", std::uint32_t{0x01020304});
  expect_round_trip("fffffffffffffffc", "fcffffffffffffff", std::int64_t{-4});
  expect_round_trip("0102030405060708", "0807060504030201", std::uint64_t{0x0102030405060708});
}

TEST(CdrPrimitives, EncodeFloatsAsIeee754) {
  expect_round_trip("3f800000", "0000803f", 1.0f);
  expect_round_trip("c00c000000000000", "0000000000000cc0", -3.5);
  expect_round_trip("7ff0000000000000", "000000000000f07f", std::numeric_limits<double>::infinity());
}

TEST(CdrPrimitives, KeepTheBitsOfASwappedNan) {
  const Octets bytes = hex("7ff4000000000001");
  Decoder in = big(bytes);
  const double value = in.get<double>();
  EXPECT_TRUE(std::isnan(value));
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  EXPECT_EQ(bits, 0x7ff4000000000001u);
}

TEST(CdrPrimitives, AlignToTheirSize) {
  expect_round_trip("01 00 0002", "01 00 0200", kOne, std::uint16_t{2});
  expect_round_trip("01 000000 00000002", "01 000000 02000000", kOne, std::uint32_t{2});
  expect_round_trip("01 00000000000000 0000000000000002", "01 00000000000000 0200000000000000", kOne,
                    std::uint64_t{2});
  expect_round_trip("01 000000 40000000", "01 000000 00000040", kOne, 2.0f);
  expect_round_trip("01 00000000000000 4000000000000000", "01 00000000000000 0000000000000040", kOne, 2.0);
}

TEST(CdrPrimitives, WriteZeroPaddingAndIgnorePadding) {
  EXPECT_EQ(encoded(kOne, kOne, std::uint16_t{0}), hex("01 01 0000"));
  Octets buffer(8, 0xee);
  Encoder out(buffer.data(), buffer.size());
  encode(out, kOne);
  encode(out, std::uint32_t{0});
  EXPECT_EQ(buffer, hex("01 000000 00000000"));
  const Octets dirty = hex("01 abcdef 00000002");
  Decoder in = big(dirty);
  EXPECT_EQ((decoded<octet, std::uint32_t>(in)), std::tuple(kOne, 2u));
  EXPECT_TRUE(in.ok());
}

// Sixteen bytes, aligned to eight.
TEST(CdrPrimitives, EncodeLongDoublesAsBinary128) {
  expect_round_trip("3fff0000000000000000000000000000", "0000000000000000000000000000ff3f", 1.0L);
  expect_round_trip("c000c000000000000000000000000000", "00000000000000000000000000c000c0", -3.5L);
  expect_round_trip("01 00000000000000 3fff8000000000000000000000000000",
                    "01 00000000000000 000000000000000000000000 0080ff3f", kOne, 1.5L);
}

TEST(CdrPrimitives, KeepAllMantissaBitsOfALongDouble) {
  const long double value = 1.0L + std::ldexp(1.0L, 1 - std::numeric_limits<long double>::digits);
  Octets bytes = encoded(value);
  Decoder in(bytes.data(), bytes.size(), false);
  EXPECT_EQ(std::get<0>(decoded<long double>(in)), value);
}

TEST(CdrPrimitives, EncodeWcharsAsCountedUtf16) {
  expect_round_trip("02 0041", "02 0041", L'A');
  expect_round_trip("02 4e2d", "02 4e2d", L'\u4e2d');
  expect_round_trip("04 d83d de00", "04 d83d de00", L'\U0001F600');
}

TEST(CdrPrimitives, PrefixAByteOrderMarkToAByteOrderMarkCharacter) {
  expect_round_trip("04 feff feff", "04 feff feff", L'\ufeff');
}

/// JacORB sends wide characters without a byte-order mark.
TEST(CdrPrimitives, DecodeALoneByteOrderMarkAsAWchar) {
  for (const auto& [text, value] : {std::pair{"02 feff", L'\ufeff'}, std::pair{"02 fffe", L'\ufffe'}}) {
    const Octets bytes = hex(text);
    for (Decoder in : {big(bytes), little(bytes)}) {
      EXPECT_EQ(std::get<0>(decoded<wchar_t>(in)), value);
      EXPECT_TRUE(in.ok()) << describe(in.fault());
    }
  }
}

TEST(CdrPrimitives, SwapAWcharAfterAByteOrderMark) {
  for (const char* text : {"04 feff 4e2d", "04 fffe 2d4e"}) {
    const Octets bytes = hex(text);
    Decoder in = little(bytes);
    EXPECT_EQ(std::get<0>(decoded<wchar_t>(in)), L'\u4e2d');
    EXPECT_TRUE(in.ok());
  }
}

}  // namespace
}  // namespace orbweaver::cdr::testing
