// Decimal arithmetic and conversions of IDL::Fixed, and its encoding (CORBA 3.3 part 2, 9.3.2.8).
#include <orbweaver/exception.h>
#include <orbweaver/fixed.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "cdr/testing.h"

namespace orbweaver::cdr::testing {
namespace {

using IDL::Fixed;
using Price = Fixed<9, 2>;
using Longest = Fixed<31, 0>;
using Smallest = Fixed<31, 31>;

const std::string kNines(31, '9');

// The minor code of the DATA_CONVERSION that `action` raises; 0: none.
template <class Action>
std::uint32_t refusal(Action action) {
  try {
    action();
  } catch (const CORBA::DATA_CONVERSION& e) {
    EXPECT_FALSE(e.detail().empty());
    return e.minor();
  }
  return 0;
}
constexpr std::uint32_t kDoesNotFit = 0x4f570120, kNotANumber = 0x4f570121, kDivisionByZero = 0x4f570122;

TEST(Fixed, ReadsText) {
  EXPECT_EQ(Price("19.99").to_string(), "19.99");
  EXPECT_EQ(Price("-0.5").to_string(), "-0.50");
  EXPECT_EQ(Price("+.5d").to_string(), "0.50");
  EXPECT_EQ(Price("7.").to_string(), "7.00");
  EXPECT_EQ(Price("000000000000001234567.89D").to_string(), "1234567.89");
  EXPECT_EQ(Price("-0.009").to_string(), "0.00");
  EXPECT_EQ(Longest(kNines).to_string(), kNines);
  EXPECT_EQ(Smallest("-0." + kNines).to_string(), "-0." + kNines);
  EXPECT_EQ((Fixed<4, 4>("0.1234")).to_string(), "0.1234");
  static_assert(Price("12.3").fixed_digits() == 9 && Price().fixed_scale() == 2);
}

TEST(Fixed, RejectsOtherTexts) {
  for (const char* text : {"", "-", ".", "d", "1.2.3", "1,5", "1e3", " 1", "1 ", "0x1", "--1", "1dd", "nan"})
    EXPECT_EQ(refusal([&] { Price{text}; }), kNotANumber) << text;
  EXPECT_EQ(refusal([] { Price("12345678"); }), kDoesNotFit);
  EXPECT_EQ(refusal([] { Smallest("1"); }), kDoesNotFit);
}

TEST(Fixed, ConvertsNumbers) {
  EXPECT_EQ(Price(-42).to_string(), "-42.00");
  EXPECT_EQ(Price(42U).to_string(), "42.00");
  EXPECT_EQ((Fixed<19, 0>(std::numeric_limits<std::int64_t>::min())).to_string(), "-9223372036854775808");
  EXPECT_EQ((Fixed<20, 0>(std::numeric_limits<std::uint64_t>::max())).to_string(), "18446744073709551615");
  EXPECT_EQ(Price(0.29).to_string(), "0.29");  // as a double it is less
  EXPECT_EQ(Price(-1.005F).to_string(), "-1.00");
  EXPECT_EQ(Price(9.999).to_string(), "10.00");
  EXPECT_EQ(Price(-0.001).to_string(), "0.00");
  EXPECT_EQ(refusal([] { Price(1e7); }), kDoesNotFit);
  EXPECT_EQ(refusal([] { Price{std::numeric_limits<long double>::max()}; }), kDoesNotFit);
  EXPECT_EQ(refusal([] { Price{std::numeric_limits<double>::infinity()}; }), kNotANumber);
  EXPECT_EQ(refusal([] { Price{std::nan("")}; }), kNotANumber);
  EXPECT_EQ(refusal([] { Price(10'000'000); }), kDoesNotFit);

  EXPECT_EQ(static_cast<std::int64_t>(Price("-12.99")), -12);
  EXPECT_EQ(static_cast<std::int64_t>(Fixed<20, 1>("-9223372036854775808.9")),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(static_cast<std::int64_t>(Longest("9223372036854775807")),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(refusal([] { static_cast<void>(static_cast<std::int64_t>(Longest("9223372036854775808"))); }),
            kDoesNotFit);
  EXPECT_EQ(refusal([] { static_cast<void>(static_cast<std::int64_t>(Longest("-9223372036854775809"))); }),
            kDoesNotFit);
  EXPECT_EQ(refusal([] { static_cast<void>(static_cast<std::int64_t>(Longest(kNines))); }), kDoesNotFit);
  EXPECT_EQ(static_cast<long double>(Price("-12.25")), -12.25L);
  EXPECT_TRUE(static_cast<bool>(Price("0.01")));
  EXPECT_FALSE(static_cast<bool>(Price("-0.00")));

  EXPECT_EQ((Fixed<3, 1>(Price("-12.39"))).to_string(), "-12.3");
  EXPECT_EQ(refusal([] { Fixed<3, 2>(Price("12.3")); }), kDoesNotFit);
}

TEST(Fixed, AddsAndSubtracts) {
  EXPECT_EQ((Price("19.99") + Price("0.01")).to_string(), "20.00");
  EXPECT_EQ((Price("19.99") - Price("20.00")).to_string(), "-0.01");
  EXPECT_EQ((Price("-5") - Price("-5")).to_string(), "0.00");
  EXPECT_EQ((Price("19.99") + Fixed<4, 4>("0.0005")).to_string(), "19.9905");
  static_assert(std::is_same_v<decltype(Price() + Fixed<4, 4>()), Fixed<11, 4>>);
  static_assert(std::is_same_v<decltype(Longest() * Smallest()), Longest>);
  EXPECT_EQ((Longest(kNines) - Longest(kNines)).to_string(), "0");
  EXPECT_EQ(refusal([] { Longest(kNines) + Longest(1); }), kDoesNotFit);
  Price price("9999999.99");
  EXPECT_EQ(refusal([&] { price += Price("0.01"); }), kDoesNotFit);
  EXPECT_EQ(price.to_string(), "9999999.99");
  price = Price("-1");
  EXPECT_EQ((++price).to_string(), "0.00");
  EXPECT_EQ((price--).to_string(), "0.00");
  EXPECT_EQ((-price).to_string(), "1.00");
  EXPECT_EQ((+price).to_string(), "-1.00");
  EXPECT_EQ((-Price()).to_string(), "0.00");
  EXPECT_EQ(refusal([] { ++Fixed<1, 1>(); }), kDoesNotFit);
}

TEST(Fixed, MultipliesAndDivides) {
  Price price("19.99");
  price *= Fixed<3, 2>("1.19");
  EXPECT_EQ(price.to_string(), "23.78");  // not 23.7881
  EXPECT_EQ((Price("-2.50") * Price("-2.50")).to_string(), "6.25");
  EXPECT_EQ((Price("10") / Price("3")).to_string(), "3.33");
  EXPECT_EQ((Price("-10") / Price("3")).to_string(), "-3.33");
  EXPECT_EQ((Price("0.01") / Fixed<4, 4>("0.0001")).to_string(), "100.0000");
  EXPECT_EQ((Price("1") / Price("9999999.99")).to_string(), "0.00");
  EXPECT_EQ((Longest(kNines) / Longest(kNines)).to_string(), "1");
  EXPECT_EQ((Smallest("0." + kNines) * Smallest("0." + kNines)).to_string(),
            "0." + std::string(30, '9') + "8");
  EXPECT_EQ(refusal([] { Price(1) / Price(); }), kDivisionByZero);
  EXPECT_EQ(refusal([] { Longest(kNines) * Longest(2); }), kDoesNotFit);
  EXPECT_EQ(refusal([] { Longest(kNines) / Fixed<31, 30>("0.000000000000000000000000000001"); }),
            kDoesNotFit);
}

// Compares with arithmetic of 64 bits.
TEST(Fixed, AgreesWithIntegers) {
  using Number = Fixed<18, 0>;
  std::mt19937_64 random(20261124);
  for (int i = 0; i < 2000; ++i) {
    const auto a = static_cast<std::int64_t>(random() % 2'000'000'000) - 1'000'000'000;
    const auto b = static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000;
    EXPECT_EQ(static_cast<std::int64_t>(Number(a) + Number(b)), a + b);
    EXPECT_EQ(static_cast<std::int64_t>(Number(a) - Number(b)), a - b);
    EXPECT_EQ(static_cast<std::int64_t>(Number(a) * Number(b)), a * b);
    if (b != 0) {
      EXPECT_EQ(static_cast<std::int64_t>(Number(a) / Number(b)), a / b);
    }
    EXPECT_EQ(Number(a) < Number(b), a < b);
    EXPECT_EQ(Number(a).to_string(), std::to_string(a));
    EXPECT_EQ(Number(std::to_string(a)), Number(a));
  }
}

TEST(Fixed, RoundsAndTruncates) {
  using Number = Fixed<6, 3>;
  EXPECT_EQ(Number("1.005").round(2).to_string(), "1.010");
  EXPECT_EQ(Number("-1.005").round(2).to_string(), "-1.010");
  EXPECT_EQ(Number("1.004").round(2).to_string(), "1.000");
  EXPECT_EQ(Number("99.5").round(0).to_string(), "100.000");
  EXPECT_EQ(Number("0.5").round(0).to_string(), "1.000");
  EXPECT_EQ(Number("-0.4").round(0).to_string(), "0.000");
  EXPECT_EQ(Number("1.999").truncate(1).to_string(), "1.900");
  EXPECT_EQ(Number("-1.999").truncate(0).to_string(), "-1.000");
  EXPECT_EQ(Number("1.999").round(3), Number("1.999"));
  EXPECT_EQ(Number("1.999").truncate(9), Number("1.999"));
  EXPECT_EQ(refusal([] { Number("999.999").round(2); }), kDoesNotFit);
}

TEST(Fixed, ComparesValuesOfDifferentTypes) {
  EXPECT_EQ(Price("1.50"), (Fixed<2, 1>("1.5")));
  EXPECT_NE(Price("1.50"), Price("-1.50"));
  EXPECT_LT(Price("-2"), (Fixed<2, 1>("-1.9")));
  EXPECT_GT(Price("0.01"), Smallest("0.0099"));
  EXPECT_LE(Longest(kNines), Longest(kNines));
  EXPECT_GE(Price(), Price("-0"));
}

TEST(Fixed, IsReadFromStreamsAndPrinted) {
  std::istringstream in("1.5 -2d 3.x 4");
  Price a, b, c(9);
  in >> a >> b;
  EXPECT_EQ(a.to_string() + " " + b.to_string(), "1.50 -2.00");
  in >> c;
  EXPECT_TRUE(in.fail());
  EXPECT_EQ(c, Price(9));
  std::ostringstream out;
  out << Price("-0.5");
  EXPECT_EQ(out.str(), "-0.50");
}

TEST(Fixed, IsEncodedAsPackedDecimal) {
  expect_round_trip("12345c", "12345c", Fixed<5, 2>("123.45"));
  expect_round_trip("12345d", "12345d", Fixed<5, 2>("-123.45"));
  expect_round_trip("01234c", "01234c", Fixed<4, 2>("12.34"));
  expect_round_trip("ff 007d 0c", "ff 007d 0c", std::uint8_t{255}, Fixed<2, 0>(-7), Fixed<1, 1>());
}

TEST(Fixed, DecodesNegativeZeroAsZero) {
  const Octets bytes = hex("00000d");
  Decoder in = big(bytes);
  Fixed<5, 2> value(1);
  decode(in, value);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(encoded(value), hex("00000c"));
}

TEST(Fixed, RejectsMalformedOctets) {
  for (const char* malformed : {"a0000c", "0b000c", "0000ec", "00000a", "00000b", "00000f", "000000"}) {
    const Octets bytes = hex(malformed);
    Decoder in = big(bytes);
    Fixed<5, 2> value(1);
    decode(in, value);
    EXPECT_EQ(in.fault(), fixed::kMalformed) << malformed;
    EXPECT_EQ(value, (Fixed<5, 2>(1)));
  }
  const Octets bytes = hex("10000c");  // four digits have an unused half-octet
  Decoder in = big(bytes);
  Fixed<4, 2> value;
  decode(in, value);
  EXPECT_STREQ(describe(in.fault()), "malformed fixed-point number");
  EXPECT_EQ(minor_code(in), 0x4f57000eu);
}

TEST(Fixed, DescribesNumbersOfAnyScale) {
  const auto text = [](std::string_view octets, std::uint16_t digits, std::int16_t scale) {
    return fixed::describe(hex(octets).data(), digits, scale);
  };
  EXPECT_EQ(text("12345c", 5, 2), "123.45");
  EXPECT_EQ(text("00005d", 5, 2), "-0.05");
  EXPECT_EQ(text("01200c", 4, 0), "1200");
  EXPECT_EQ(text("5c", 1, 3), "0.005");
  EXPECT_EQ(text("012d", 2, -3), "-12e3");
  EXPECT_EQ(text("0d", 1, 0), "0");
}

}  // namespace
}  // namespace orbweaver::cdr::testing
