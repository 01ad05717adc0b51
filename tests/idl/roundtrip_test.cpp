// Round trips of generated types through CDR.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "everythingC.h"
#include "values.h"

namespace {

using orbweaver::cdr::Decoder;
using orbweaver::cdr::Encoder;
// Checks that a value equals the original after encoding and decoding, that its encoding is not longer than
// its size bound, and that truncated encodings are rejected.
template <class T>
void survives(const T& value) {
  Octets bytes = encoded(value);
  EXPECT_LE(bytes.size(), orbweaver::cdr::bound_of(value));
  EXPECT_EQ(encoded(decoded<T>(bytes)), bytes);
  EXPECT_EQ(printed(decoded<T>(bytes)), printed(value));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    T part{};
    Decoder in(bytes.data(), cut, false);
    orbweaver::cdr::decode(in, part);
    EXPECT_FALSE(in.ok()) << cut << " of " << bytes.size();
  }
}

class Random {
 public:
  template <class T>
  T number() {
    return static_cast<T>(engine_());
  }
  std::size_t below(std::size_t n) { return engine_() % n; }
  std::string text(std::size_t most) {
    std::string out;
    for (std::size_t n = below(most + 1); n > 0; --n) out += static_cast<char>('a' + below(26));
    return out;
  }
  std::wstring wide(std::size_t most) {
    std::wstring out;
    for (std::size_t n = below(most + 1); n > 0; --n) out += static_cast<wchar_t>(0x20 + below(0x2000));
    return out;
  }

  Every::Numbers numbers() {
    return {below(2) == 1,
            number<char>(),
            static_cast<wchar_t>(below(0xD000)),
            number<std::uint8_t>(),
            number<std::int16_t>(),
            number<std::uint16_t>(),
            number<std::int32_t>(),
            number<std::uint32_t>(),
            number<std::int64_t>(),
            number<std::uint64_t>(),
            static_cast<float>(below(1000)),
            static_cast<double>(below(1000)) / 7,
            static_cast<long double>(below(1000)),
            number<std::int8_t>(),
            number<std::uint8_t>()};
  }
  Every::Everything everything() {
    Every::Everything out;
    out.all(numbers());
    out.text(text(20));
    out.wtext(wide(20));
    out.bounded(text(5));
    out.wbounded(wide(6));
    for (auto& row : out.grid()) {
      for (auto& cell : row) cell = number<std::int32_t>();
    }
    out.within().resize(below(3));
    for (auto& each : out.within()) each.assign(below(5), number<std::uint8_t>());
    out.st(text(12));
    out.which(static_cast<Every::Kind>(below(3)));
    out.flags().assign(below(10), true);
    out.grids().resize(below(3));
    out.plains().assign(below(4), {1.5, 2, 3.5F});
    out.others().assign(below(4), {number<std::uint8_t>(), 0.25});
    return out;
  }

 private:
  std::mt19937_64 engine_{20261121};
};

TEST(GeneratedTypes, RoundTripThroughCdr) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    survives(random.numbers());
    survives(random.everything());
  }
  survives(Every::Nothing());
  survives(Every::Derived({1.0, 2, 3.0F}, "more"));
  survives(Every::Tree("root", {Every::Tree("left", {}), Every::Tree("right", {Every::Tree("leaf", {})})}));
}

TEST(GeneratedTypes, RoundTripFixedPointNumbers) {
  Every::Ledger ledger;
  ledger.cost(Every::Price("-999.99"));
  ledger.costs({Every::Price("0.01"), Every::Price()});
  ledger.even(IDL::Fixed<6, 0>(-123456));
  ledger.pair()[1] = IDL::Fixed<31, 31>("0.1234567890123456789012345678901");
  ledger.counts({{Every::Price("1"), 1}, {Every::Price("-1"), 2}});
  survives(ledger);
  EXPECT_NE(printed(ledger).find("cost: -999.99, costs: [0.01, 0.00], even: -123456"), std::string::npos)
      << printed(ledger);
  Every::ByPrice by_price;
  by_price.few({IDL::Fixed<3, 3>("-0.999")});
  survives(by_price);
}

TEST(GeneratedTypes, MapFixedPointConstants) {
  static_assert(std::is_same_v<decltype(Every::kCent), const IDL::Fixed<2, 2>>);
  static_assert(std::is_same_v<decltype(Every::kPrice), const Every::Price>);
  EXPECT_EQ(Every::kCent.to_string(), "0.01");
  EXPECT_EQ(Every::kMostDigits.to_string(), "-1234567890123456789012345678901");
  EXPECT_EQ((Every::kPrice + Every::kCent).to_string(), "19.91");
}

TEST(GeneratedTypes, RejectMalformedFixedPointNumbers) {
  // A digit above 9, an unused half-octet that is not 0, and signs that are none.
  for (const Octets& bytes : {Octets{0xa0, 0x00, 0x0c}, Octets{0x00, 0x00, 0x0f}, Octets{0x00, 0x00, 0x00},
                              Octets{0x00, 0x00, 0xfc}, Octets{0x00, 0x0b, 0x0c}}) {
    Every::Price price("1.00");
    Decoder in(bytes.data(), bytes.size(), false);
    orbweaver::cdr::decode(in, price);
    EXPECT_FALSE(in.ok());
    EXPECT_EQ(orbweaver::cdr::minor_code(in), 0x4f57000e);
    EXPECT_EQ(price, Every::Price("1.00"));
  }
}

TEST(GeneratedTypes, PrintTheirValues) {
  Every::Numbers numbers;
  numbers.wide(L'\u20ac');
  numbers.byte(65);
  EXPECT_NE(printed(numbers).find("wide: L\"\u20ac\", byte: 65,"), std::string::npos) << printed(numbers);
  Every::Everything value;
  value.wtext(L"\u20ac \"uro\"");
  EXPECT_NE(printed(value).find("wtext: L\"\u20ac \\\"uro\\\"\""), std::string::npos) << printed(value);
}

TEST(GeneratedTypes, ReadEitherByteOrder) {
  const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const Octets big{0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0x40, 0x20, 0, 0};
  const auto plain = decoded<Every::Plain>(big, little);
  EXPECT_EQ(plain.d(), 1.5);
  EXPECT_EQ(plain.l(), 7);
  EXPECT_EQ(plain.f(), 2.5F);
}

TEST(GeneratedTypes, RejectUnknownEnumerators) {
  Octets bytes = encoded(std::uint32_t{3});
  Every::Kind kind{};
  Decoder in(bytes.data(), bytes.size(), false);
  orbweaver::cdr::decode(in, kind);
  EXPECT_FALSE(in.ok());
}

TEST(GeneratedTypes, EnforceBounds) {
  Every::Everything value;
  value.bounded("too long");
  EXPECT_THROW(encoded(value), CORBA::BAD_PARAM);
}

TEST(GeneratedUnions, RoundTripThroughCdr) {
  Every::ByKind kind;
  kind.count(5);
  survives(kind);
  kind.words("x", Every::Kind::MANY);
  EXPECT_EQ(kind._d(), Every::Kind::MANY);
  survives(kind);
  Every::ByNumber number;
  number.bytes({1, 2, 3});
  EXPECT_EQ(number._d(), -5);
  survives(number);
  number.rest({1.0, 2, 3.0F}, 77);
  survives(number);
  Every::ByTruth truth;
  survives(truth);
  truth.value(1.5);
  survives(truth);
  Every::Leaf leaf, root;
  leaf.big(1);
  root.kids({leaf, leaf});
  survives(root);
}

TEST(GeneratedUnions, RaiseForAWrongMember) {
  Every::ByKind kind;
  kind.words("x");
  EXPECT_THROW(kind.count(), CORBA::BAD_PARAM);
  EXPECT_THROW(kind._d(Every::Kind::NONE), CORBA::BAD_PARAM);
  kind._d(Every::Kind::MANY);
  EXPECT_EQ(kind.words(), "x");
  EXPECT_THROW(kind.words("y", Every::Kind::NONE), CORBA::BAD_PARAM);
  Every::ByTruth truth;
  EXPECT_EQ(truth._d(), false);
  truth.value(2);
  truth._default();
  EXPECT_THROW(truth.value(), CORBA::BAD_PARAM);
}

TEST(GeneratedBits, AreMarshalledAsOneInteger) {
  using Every::Flags;
  EXPECT_EQ(encoded(Flags::low | Flags::top), encoded(std::uint16_t{0x802}));
  EXPECT_EQ(~Flags::low, Flags::next | Flags::top);
  EXPECT_EQ(printed(Flags::low | Flags::next), "(low | next)");
  Every::Bits bits;
  bits.few(5);
  bits.flag(true);
  bits.wide(-3);
  EXPECT_EQ(bits.few(), 5);
  EXPECT_TRUE(bits.flag());
  EXPECT_EQ(bits.wide(), -3);
  EXPECT_EQ(encoded(bits), encoded(std::uint32_t{0x3fdu << 8 | 1u << 3 | 5u}));
  survives(Every::Modern(Flags::top, bits, {}, {{"a", 1}, {"b", 2}}, {{std::int16_t{1}, Flags::low}}));
}

TEST(GeneratedMaps, EnforceBounds) {
  Every::Modern value;
  for (std::int16_t i = 0; i < 4; ++i) value.limited()[i] = Every::Flags::low;
  EXPECT_THROW(encoded(value), CORBA::BAD_PARAM);
}

TEST(GeneratedConstants, HaveTheValuesOfTheIdl) {
  static_assert(Every::kLeast == std::numeric_limits<std::int64_t>::min());
  static_assert(Every::kMost == std::numeric_limits<std::uint64_t>::max());
  static_assert(Every::kQuote == '\'' && Every::kWide == L'\u20ac' && Every::kYes && Every::kOctet == 255);
  static_assert(Every::kKind == Every::Kind::MANY && Every::Later::kLimit == 100);
  EXPECT_EQ(Every::kText,
            "tab\tquote\" back\\ \x01"
            "23");
  EXPECT_EQ(Every::kWideText, L"\u20ac uro");
  EXPECT_EQ(Every::Later::kName, "n");
}

TEST(GeneratedExceptions, CarryTheirMembers) {
  const Every::TooMuch raised(3, Every::Kind::SOME, {"a", "b"});
  EXPECT_STREQ(raised._rep_id(), "IDL:orbweaver.test/Every/TooMuch:1.0");
  Octets bytes;
  Encoder out(bytes);
  raised._encode(out);
  out.finish();
  EXPECT_LE(bytes.size(), raised._bound());
  Decoder in(bytes.data(), bytes.size(), false);
  try {
    Every::TooMuch::_decode_and_raise(in);
    FAIL() << "did not raise";
  } catch (const Every::TooMuch& caught) {
    EXPECT_EQ(printed(caught), "Every::TooMuch{amount: 3, what: SOME, words: [\"a\", \"b\"]}");
  }
  Decoder half(bytes.data(), bytes.size() - 1, false);
  EXPECT_NO_THROW(Every::TooMuch::_decode_and_raise(half));
  EXPECT_FALSE(half.ok());
}

}  // namespace
