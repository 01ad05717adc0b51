// How each built-in type travels (CORBA 3.3 part 2, 9.3.1): the bytes, in both orders.
#include <cmath>
#include <limits>

#include "cdr/testing.h"

namespace orbweaver::cdr::testing {
namespace {

using octet = std::uint8_t;
const octet kOne = 1;

TEST(CdrPrimitives, OctetsAndCharsTakeOneByte) {
  expect_travels("ff", "ff", octet{255});
  expect_travels("41", "41", 'A');
  expect_travels("80", "80", std::int8_t{-128});
}

TEST(CdrPrimitives, BooleansAreZeroOrOne) { expect_travels("01 00", "01 00", true, false); }

TEST(CdrPrimitives, IntegersTravelInEitherByteOrder) {
  expect_travels("fffe", "feff", std::int16_t{-2});
  expect_travels("8001", "0180", std::uint16_t{0x8001});
  expect_travels("fffffffd", "fdffffff", std::int32_t{-3});
  expect_travels("01020304", "04030201", std::uint32_t{0x01020304});
  expect_travels("fffffffffffffffc", "fcffffffffffffff", std::int64_t{-4});
  expect_travels("0102030405060708", "0807060504030201", std::uint64_t{0x0102030405060708});
}

TEST(CdrPrimitives, FloatsAreIeee) {
  expect_travels("3f800000", "0000803f", 1.0f);
  expect_travels("c00c000000000000", "0000000000000cc0", -3.5);
  expect_travels("7ff0000000000000", "000000000000f07f", std::numeric_limits<double>::infinity());
}

TEST(CdrPrimitives, ANanKeepsItsBitsThroughTheOtherByteOrder) {
  const Octets bytes = hex("7ff4000000000001");
  Decoder in = big(bytes);
  const double value = in.get<double>();
  EXPECT_TRUE(std::isnan(value));
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  EXPECT_EQ(bits, 0x7ff4000000000001u);
}

TEST(CdrPrimitives, AValueStartsAtAMultipleOfItsSize) {
  expect_travels("01 00 0002", "01 00 0200", kOne, std::uint16_t{2});
  expect_travels("01 000000 00000002", "01 000000 02000000", kOne, std::uint32_t{2});
  expect_travels("01 00000000000000 0000000000000002", "01 00000000000000 0200000000000000", kOne,
                 std::uint64_t{2});
  expect_travels("01 000000 40000000", "01 000000 00000040", kOne, 2.0f);
  expect_travels("01 00000000000000 4000000000000000", "01 00000000000000 0000000000000040", kOne, 2.0);
}

TEST(CdrPrimitives, PaddingIsZeroForWhoeverReadsItButNotLookedAt) {
  EXPECT_EQ(encoded(kOne, kOne, std::uint16_t{0}), hex("01 01 0000"));
  Octets room(8, 0xee);
  Encoder out(room.data(), room.size());
  encode(out, kOne);
  encode(out, std::uint32_t{0});
  EXPECT_EQ(room, hex("01 000000 00000000"));
  const Octets dirty = hex("01 abcdef 00000002");
  Decoder in = big(dirty);
  EXPECT_EQ((decoded<octet, std::uint32_t>(in)), std::tuple(kOne, 2u));
  EXPECT_TRUE(in.ok());
}

// Sixteen bytes, on a boundary of eight only.
TEST(CdrPrimitives, LongDoublesAreQuadruplePrecision) {
  expect_travels("3fff0000000000000000000000000000", "0000000000000000000000000000ff3f", 1.0L);
  expect_travels("c000c000000000000000000000000000", "00000000000000000000000000c000c0", -3.5L);
  expect_travels("01 00000000000000 3fff8000000000000000000000000000",
                 "01 00000000000000 000000000000000000000000 0080ff3f", kOne, 1.5L);
}

TEST(CdrPrimitives, ALongDoubleKeepsEveryBitOfItsMantissa) {
  const long double value = 1.0L + std::numeric_limits<long double>::epsilon();
  Octets bytes = encoded(value);
  Decoder in(bytes.data(), bytes.size(), false);
  EXPECT_EQ(std::get<0>(decoded<long double>(in)), value);
}

TEST(CdrPrimitives, WideCharactersAreCountedUtf16) {
  expect_travels("02 0041", "02 0041", L'A');
  expect_travels("02 4e2d", "02 4e2d", L'\u4e2d');
  expect_travels("04 d83d de00", "04 d83d de00", L'\U0001F600');
}

TEST(CdrPrimitives, AWideCharacterThatLooksLikeAByteOrderMarkGetsOne) {
  expect_travels("04 feff feff", "04 feff feff", L'\ufeff');
}

/// As JacORB sends them.
TEST(CdrPrimitives, AByteOrderMarkWithNothingBehindItIsAWideCharacter) {
  for (const auto& [text, value] : {std::pair{"02 feff", L'\ufeff'}, std::pair{"02 fffe", L'\ufffe'}}) {
    const Octets bytes = hex(text);
    for (Decoder in : {big(bytes), little(bytes)}) {
      EXPECT_EQ(std::get<0>(decoded<wchar_t>(in)), value);
      EXPECT_TRUE(in.ok()) << describe(in.fault());
    }
  }
}

TEST(CdrPrimitives, AByteOrderMarkTurnsAWideCharacterRound) {
  for (const char* text : {"04 feff 4e2d", "04 fffe 2d4e"}) {
    const Octets bytes = hex(text);
    Decoder in = little(bytes);
    EXPECT_EQ(std::get<0>(decoded<wchar_t>(in)), L'\u4e2d');
    EXPECT_TRUE(in.ok());
  }
}

}  // namespace
}  // namespace orbweaver::cdr::testing
