// Conversion of long doubles by arithmetic (long_double.h).
#include "cdr/long_double.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace orbweaver::cdr {
namespace {

using Limits = std::numeric_limits<long double>;
// The format of double, which every long double can represent.
using DoubleLimits = std::numeric_limits<double>;

std::string text(Binary128 number) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx %016llx", static_cast<unsigned long long>(number.upper),
                static_cast<unsigned long long>(number.lower));
  return text;
}

void expect_both_ways(Binary128 number, long double value) {
  EXPECT_TRUE(binary128_of(value) == number) << value << " became " << text(binary128_of(value));
  const long double back = long_double_of(number);
  EXPECT_EQ(back, value) << text(number);
  EXPECT_EQ(std::signbit(back), std::signbit(value)) << text(number);
}

TEST(LongDouble, ConvertsNumbersOfTheRangeOfDouble) {
  expect_both_ways({0, 0}, 0.0L);
  expect_both_ways({0x8000'0000'0000'0000, 0}, -0.0L);
  expect_both_ways({0x3fff'0000'0000'0000, 0}, 1.0L);
  expect_both_ways({0xc000'c000'0000'0000, 0}, -3.5L);
  expect_both_ways({0x3ffb'9999'9999'9999, 0xa000'0000'0000'0000}, static_cast<long double>(0.1));
  expect_both_ways({0x43fe'ffff'ffff'ffff, 0xf000'0000'0000'0000},
                   static_cast<long double>(DoubleLimits::max()));
  expect_both_ways({0x3bcd'0000'0000'0000, 0}, static_cast<long double>(DoubleLimits::denorm_min()));
}

TEST(LongDouble, ConvertsInfinityAndKeepsTheSignOfNaN) {
  expect_both_ways({0x7fff'0000'0000'0000, 0}, Limits::infinity());
  expect_both_ways({0xffff'0000'0000'0000, 0}, -Limits::infinity());
  for (const bool negative : {false, true}) {
    const long double nan = std::copysign(Limits::quiet_NaN(), negative ? -1.0L : 1.0L);
    const Binary128 number = binary128_of(nan);
    EXPECT_EQ(number.upper, negative ? 0xffff'8000'0000'0000u : 0x7fff'8000'0000'0000u);
    EXPECT_TRUE(std::isnan(long_double_of(number)));
    EXPECT_EQ(std::signbit(long_double_of(number)), negative);
  }
  EXPECT_TRUE(std::isnan(long_double_of({0x7fff'0000'0000'0000, 1}))) << "one bit in the lower half";
}

TEST(LongDouble, RoundsToTheNearestNumber) {
  // 1 + 2^-n, where the mantissa has n bits: halfway to the next number, which is odd; one bit more is
  // beyond.
  const int digits = Limits::digits;
  if (digits >= 113) GTEST_SKIP() << "long double is binary128";
  const auto one_and = [](int bit) {  // 1 + 2^-bit
    return bit <= 48 ? Binary128{0x3fff'0000'0000'0000 + (std::uint64_t{1} << (48 - bit)), 0}
                     : Binary128{0x3fff'0000'0000'0000, std::uint64_t{1} << (112 - bit)};
  };
  if (digits != 106) {  // a sum of two doubles has no fixed number of bits
    EXPECT_EQ(long_double_of(one_and(digits)), 1.0L);
    Binary128 beyond = one_and(digits);
    beyond.lower |= 1;
    EXPECT_EQ(long_double_of(beyond), 1.0L + Limits::epsilon());
  }
  EXPECT_EQ(long_double_of(one_and(digits - 1)), 1.0L + std::ldexp(1.0L, 1 - digits));
}

TEST(LongDouble, BecomesInfiniteBeyondItsRange) {
  if (Limits::max_exponent >= 16384) GTEST_SKIP() << "long double has the exponents of binary128";
  EXPECT_EQ(long_double_of({0x7ffe'0000'0000'0000, 0}), Limits::infinity());
  EXPECT_EQ(long_double_of({0xfffe'0000'0000'0000, 0}), -Limits::infinity());
  EXPECT_EQ(long_double_of({0x0001'0000'0000'0000, 0}), 0.0L);
}

TEST(LongDouble, KeepsEveryBitOfRandomNumbers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const int exponent = static_cast<int>(random() % 1600) - 800;
    long double value = std::ldexp(static_cast<long double>(random() >> 11), exponent);
    value += std::ldexp(static_cast<long double>(random() >> 11), exponent - 53);  // a mantissa of up to 106
    if (random() % 2 != 0) value = -value;
    EXPECT_EQ(long_double_of(binary128_of(value)), value) << i;
  }
}

#if LDBL_MANT_DIG == 64 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Float128;

Binary128 octets_of(Float128 value) {
  Binary128 number;
  std::memcpy(&number.lower, &value, 8);
  std::memcpy(&number.upper, reinterpret_cast<const char*>(&value) + 8, 8);
  return number;
}

TEST(LongDouble, ConvertsLikeTheCompiler) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 50000; ++i) {
    const int exponent =
        static_cast<int>(random() % (16384 + 16445)) - 16445 - 63;  // numbers below the range
    const long double value = std::ldexp(static_cast<long double>(random()), exponent);
    EXPECT_TRUE(binary128_of(value) == octets_of(static_cast<Float128>(value))) << value;
    Binary128 any{random(), random()};
    if (i % 10 == 0) any.upper &= 0x8000'ffff'ffff'ffff;                // below the normal range
    if (i % 7 == 0) any.lower &= ~std::uint64_t{0} << (random() % 64);  // halfway, now and then
    Float128 exact;
    std::memcpy(&exact, &any.lower, 8);
    std::memcpy(reinterpret_cast<char*>(&exact) + 8, &any.upper, 8);
    const auto expected = static_cast<long double>(exact);
    const long double got = long_double_of(any);
    EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << text(any) << ": " << got;
  }
}
#endif

}  // namespace
}  // namespace orbweaver::cdr
