// The codec of long double, whose representation differs between CDR and C++.
#include "cdr/long_double.h"

#include <orbweaver/detail/cdr/codec.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

namespace orbweaver::cdr {
namespace {

constexpr int kBias = 16383;
constexpr int kMaxExponent = 0x7fff;
constexpr int kFractionBits = 112;
constexpr std::uint64_t kUpperFraction = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << 48;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// On x86 the compiler converts. Where long double is binary128 itself, its octets are those of CDR.
#if LDBL_MANT_DIG == 64 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Native;
#define ORBWEAVER_NATIVE_BINARY128
#elif LDBL_MANT_DIG == 113
using Native = long double;
#define ORBWEAVER_NATIVE_BINARY128
#endif

void put_number(Encoder& out, long double value) {
#ifdef ORBWEAVER_NATIVE_BINARY128
  const auto number = static_cast<Native>(value);
  out.put_bytes(&number, sizeof number);
#else
  const Binary128 number = binary128_of(value);
  constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  out.put(kLittleEndian ? number.lower : number.upper);
  out.put(kLittleEndian ? number.upper : number.lower);
#endif
}

/// `bytes`: in this machine's order.
long double number_in(const std::uint8_t (&bytes)[16]) {
#ifdef ORBWEAVER_NATIVE_BINARY128
  Native number;
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<long double>(number);
#else
  std::uint64_t halves[2];
  std::memcpy(halves, bytes, sizeof halves);
  constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return long_double_of({halves[kLittleEndian ? 1 : 0], halves[kLittleEndian ? 0 : 1]});
#endif
}

/// `fraction` × 2^`exponent`, with a fraction from 0.5 below 1.
Binary128 rounded(long double fraction, int exponent) noexcept {
  // A leading one and 112 bits, or fewer for a number below the normal range.
  int bits = kFractionBits + 1;
  int biased = exponent - 1 + kBias;
  if (biased <= 0) {
    bits -= 1 - biased;
    biased = 1;
  }
  const long double scaled = std::ldexp(fraction, bits - 64), upper = std::floor(scaled);
  const long double rest = std::ldexp(scaled - upper, 64), lower = std::floor(rest);
  Binary128 number{static_cast<std::uint64_t>(upper), static_cast<std::uint64_t>(lower)};
  const long double dropped = rest - lower;
  const bool up = dropped > 0.5L || (dropped == 0.5L && (number.lower & 1) != 0);
  if (up && ++number.lower == 0) ++number.upper;
  // The leading one increments the exponent; without one, it is 0.
  number.upper += static_cast<std::uint64_t>(biased - 1) << 48;
  return number;
}

}  // namespace

Binary128 binary128_of(long double value) noexcept {
  const std::uint64_t sign = std::signbit(value) ? kSign : 0;
  constexpr std::uint64_t kInfinity = std::uint64_t{kMaxExponent} << 48;
  if (std::isnan(value)) return {sign | kInfinity | (kLeadingOne >> 1), 0};
  if (std::isinf(value)) return {sign | kInfinity, 0};
  if (value == 0) return {sign, 0};
  int exponent = 0;
  const long double fraction = std::frexp(std::fabs(value), &exponent);
  Binary128 number = rounded(fraction, exponent);
  number.upper |= sign;
  return number;
}

long double long_double_of(Binary128 number) noexcept {
  using Limits = std::numeric_limits<long double>;
  const int exponent = static_cast<int>(number.upper >> 48) & kMaxExponent;
  std::uint64_t upper = number.upper & kUpperFraction;
  const std::uint64_t lower = number.lower;
  long double value;
  if (exponent == kMaxExponent) {
    value = (upper | lower) != 0 ? Limits::quiet_NaN() : Limits::infinity();
  } else {
    if (exponent > 0) upper |= kLeadingOne;
    // Below the normal range of a long double with as many exponents, fewer bits remain than a sum has.
    constexpr bool kSameExponents = Limits::min_exponent == 2 - kBias;
    if (kSameExponents && LDBL_MANT_DIG == 64 && exponent <= 1) {
      constexpr int kDropped = kFractionBits - 63;
      constexpr std::uint64_t kHalf = std::uint64_t{1} << (kDropped - 1);
      const std::uint64_t kept = upper << (64 - kDropped) | lower >> kDropped;
      const std::uint64_t rest = lower & (2 * kHalf - 1);
      const bool up = rest > kHalf || (rest == kHalf && (kept & 1) != 0);
      value = std::ldexp(static_cast<long double>(kept) + (up ? 1 : 0), 1 - kBias - 63);
      return (number.upper & kSign) != 0 ? -value : value;
    }
    if constexpr (LDBL_MANT_DIG < 64) {
      // All bits beyond the first 63 become one, so that the number is rounded once.
      constexpr int kKept = 14;
      const bool more = (lower << kKept) != 0;
      upper = (upper << kKept | lower >> (64 - kKept)) << 1 | static_cast<std::uint64_t>(more);
      value = std::ldexp(static_cast<long double>(upper), 64 - kKept - 1);
    } else {
      value = std::ldexp(static_cast<long double>(upper), 64) + static_cast<long double>(lower);
    }
    value = std::ldexp(value, (exponent > 0 ? exponent : 1) - kBias - kFractionBits);
  }
  return (number.upper & kSign) != 0 ? -value : value;
}

void Codec<long double>::encode(Encoder& out, long double value) {
  out.align(8);
  put_number(out, value);
}

void Codec<long double>::decode(Decoder& in, long double& value) {
  value = 0;
  if (!in.align(8)) return;
  const std::uint8_t* at = in.get_bytes(16);
  if (at == nullptr) return;
  std::uint8_t bytes[16];
  for (int i = 0; i < 16; ++i) bytes[i] = at[in.swaps() ? 15 - i : i];
  value = number_in(bytes);
}

}  // namespace orbweaver::cdr
