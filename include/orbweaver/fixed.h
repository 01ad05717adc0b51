#pragma once

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/traits.h>
#include <orbweaver/typecode.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// IDL's fixed-point types: `IDL::Fixed<digits, scale>`. Generated headers include it if the IDL has such
/// types.

/// @cond internal
namespace orbweaver::fixed {

/// The fault of a decoder that finds malformed decimal digits or a malformed sign.
inline constexpr auto kMalformed = static_cast<cdr::Fault>(14);

/// Largest number of digits of a fixed-point type (CORBA 3.3 part 1, 7.11.3.4).
inline constexpr std::uint16_t kMaxDigits = 31;

/// A number in packed decimal, as in CDR (CORBA 3.3 part 2, 9.3.2.8): half-octets with the digits, most
/// significant first, then the sign, 0xc or 0xd; before an even number of digits a half-octet of 0. Zero has
/// the sign 0xc. Borrowed. `digits` and `scale` are those of the type.
struct Packed {
  const std::uint8_t* octets;
  std::uint16_t digits, scale;
};
/// As Packed, to be overwritten. It may be an operand at the same time.
struct Target {
  std::uint8_t* octets;
  std::uint16_t digits, scale;
};
constexpr std::size_t octets_of(std::uint16_t digits) { return digits / 2u + 1u; }

/// Raises DATA_CONVERSION (0x4f570121).
[[noreturn]] void raise_not_a_number(std::string_view text);
/// Raises DATA_CONVERSION (0x4f570120).
[[noreturn]] void raise_too_large(std::string_view text, std::uint16_t digits, std::uint16_t scale);

/// Sets the digit with the value 10^(place - scale).
constexpr void put_digit(Target to, std::size_t place, std::uint8_t digit) {
  std::uint8_t& octet = to.octets[octets_of(to.digits) - 1 - (place + 1) / 2];
  octet = static_cast<std::uint8_t>(place % 2 == 0 ? (octet & 0x0f) | digit << 4 : (octet & 0xf0) | digit);
}
/// Sets the sign of a number whose digits are set.
constexpr void put_sign(Target to, bool negative) {
  std::uint8_t& last = to.octets[octets_of(to.digits) - 1];
  bool zero = (last & 0xf0) == 0;
  for (std::size_t i = 0; i + 1 < octets_of(to.digits); ++i) zero = zero && to.octets[i] == 0;
  last = static_cast<std::uint8_t>((last & 0xf0) | (negative && !zero ? 0x0d : 0x0c));
}

/// Reads "[+|-]digits[.digits][d]". Digits beyond the scale are truncated. `to` must be zero.
constexpr void parse(Target to, std::string_view text) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  if (!rest.empty() && (rest.back() == 'd' || rest.back() == 'D')) rest.remove_suffix(1);
  const std::string_view whole = rest.substr(0, rest.find('.'));
  const std::string_view fraction =
      whole.size() == rest.size() ? std::string_view() : rest.substr(whole.size() + 1);
  if (whole.empty() && fraction.empty()) raise_not_a_number(text);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    if (c < '0' || c > '9') raise_not_a_number(text);
    const std::size_t place = whole.size() - 1 - i + to.scale;
    if (c != '0' && place >= to.digits) raise_too_large(text, to.digits, to.scale);
    if (c != '0') put_digit(to, place, static_cast<std::uint8_t>(c - '0'));
  }
  for (std::size_t i = 0; i < fraction.size(); ++i) {
    const char c = fraction[i];
    if (c < '0' || c > '9') raise_not_a_number(text);
    if (i < to.scale) put_digit(to, to.scale - 1u - i, static_cast<std::uint8_t>(c - '0'));
  }
  put_sign(to, negative);
}

// The operations on numbers of any digits and scale. Results that do not fit raise DATA_CONVERSION
// (0x4f570120) and leave the target unchanged; their digits beyond the scale are truncated.
void assign(Target to, std::int64_t value);
void assign(Target to, std::uint64_t value);
void assign(Target to, long double value);  // rounded; raises 0x4f570121 for infinity and NaN
void assign(Target to, Packed value);
void assign_sum(Target to, Packed a, Packed b, bool subtract);
void assign_product(Target to, Packed a, Packed b);
void assign_quotient(Target to, Packed a, Packed b);  // raises 0x4f570122 for division by zero
void assign_rounded(Target to, Packed value, std::uint16_t scale, bool half_up);
int compare(Packed a, Packed b);  // < 0, 0 or > 0
std::int64_t to_int64(Packed value);
long double to_long_double(Packed value);
std::string to_string(Packed value);
/// Reads a word as parse() does. Sets failbit, and leaves `to` unchanged, if it is not a number or does not
/// fit.
void read(std::istream& is, Target to);
std::ostream& print(std::ostream& os, Packed value);
/// Whether the octets are a packed decimal number, of any number of digits.
bool is_valid(const std::uint8_t* octets, std::uint16_t digits) noexcept;
/// Text of a valid packed decimal number of any number of digits and any scale: "-0.50", "12e3".
std::string describe(const std::uint8_t* octets, std::uint16_t digits, std::int16_t scale);
void decode(cdr::Decoder& in, Target to);

}  // namespace orbweaver::fixed
/// @endcond

namespace IDL {

/// @cond internal
template <std::uint16_t digits, std::uint16_t scale>
class Fixed;

/// The type that holds the values of two fixed-point types: the more digits before the point of either, and
/// the more digits after it as far as 31 digits permit.
template <class A, class B>
struct common_fixed;
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
struct common_fixed<Fixed<D1, S1>, Fixed<D2, S2>> {
  static constexpr int kWhole = std::max(D1 - S1, D2 - S2);
  static constexpr int kScale = std::min<int>(std::max(S1, S2), orbweaver::fixed::kMaxDigits - kWhole);
  using type = Fixed<static_cast<std::uint16_t>(kWhole + kScale), static_cast<std::uint16_t>(kScale)>;
};
/// @endcond

/// A decimal number of `digits` digits, of which `scale` are after the point: the IDL type
/// `fixed<digits, scale>` (IDL to C++11, mapping of fixed; CORBA 3.3 part 1, 7.11.3.4). A value type of
/// (digits + 2) / 2 octets; initially 0; as thread-safe as an int.
///
/// Arithmetic is exact; the result has the type that holds the values of both operands, and its digits beyond
/// the scale are truncated. A value with too many digits before the point raises DATA_CONVERSION
/// (0x4f570120), also in constructors and conversions:
///
///     using Price = IDL::Fixed<9, 2>;
///     Price price("19.99");
///     price *= IDL::Fixed<3, 2>("1.19");                 // 23.78, not 23.7881
///     const auto sum = price + IDL::Fixed<4, 4>("0.0005");   // an IDL::Fixed<11, 4>
template <std::uint16_t digits, std::uint16_t scale>
class Fixed final {
  static_assert(digits >= 1 && digits <= orbweaver::fixed::kMaxDigits,
                "a fixed-point type has 1 to 31 digits");
  static_assert(scale <= digits, "the scale of a fixed-point type is at most its number of digits");

 public:
  /// Zero.
  constexpr Fixed() noexcept : octets_{} { octets_.back() = 0x0c; }
  /// The number in `text`: "[+|-]digits[.digits]", where a final d is ignored. Digits beyond the scale are
  /// truncated. Raises DATA_CONVERSION (0x4f570121) for any other text.
  explicit constexpr Fixed(std::string_view text) : Fixed() { orbweaver::fixed::parse(target(), text); }
  /// The value of an integer or, rounded to the scale, of a floating-point number. Raises DATA_CONVERSION
  /// (0x4f570121) for infinity and NaN.
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit Fixed(Number value) : Fixed() {
    orbweaver::fixed::assign(target(), static_cast<Argument<Number>>(value));
  }
  /// The value of another fixed-point type. Digits beyond the scale are truncated.
  template <std::uint16_t D, std::uint16_t S>
  explicit Fixed(const Fixed<D, S>& other) : Fixed() {
    orbweaver::fixed::assign(target(), other._packed());
  }

  /// The value without its digits after the point. Raises DATA_CONVERSION (0x4f570120) if it does not fit.
  explicit operator std::int64_t() const { return orbweaver::fixed::to_int64(_packed()); }
  /// The nearest floating-point number.
  explicit operator long double() const { return orbweaver::fixed::to_long_double(_packed()); }
  /// Whether the value is not 0.
  explicit operator bool() const { return *this != Fixed(); }

  /// The value rounded to `places` digits after the point; half is rounded away from 0.
  Fixed round(std::uint16_t places) const {
    Fixed result;
    orbweaver::fixed::assign_rounded(result.target(), _packed(), places, true);
    return result;
  }
  /// The value with at most `places` digits after the point; the others become 0.
  Fixed truncate(std::uint16_t places) const {
    Fixed result;
    orbweaver::fixed::assign_rounded(result.target(), _packed(), places, false);
    return result;
  }
  /// The value with all digits after the point, and without zeros before it: "-0.50". With at least one digit
  /// before the point.
  std::string to_string() const { return orbweaver::fixed::to_string(_packed()); }
  /// The parameter `digits` of the type.
  constexpr std::uint16_t fixed_digits() const noexcept { return digits; }
  /// The parameter `scale` of the type.
  constexpr std::uint16_t fixed_scale() const noexcept { return scale; }

  /// Adds; the value is unchanged if the result does not fit.
  template <std::uint16_t D, std::uint16_t S>
  Fixed& operator+=(const Fixed<D, S>& other) {
    orbweaver::fixed::assign_sum(target(), _packed(), other._packed(), false);
    return *this;
  }
  /// Subtracts; the value is unchanged if the result does not fit.
  template <std::uint16_t D, std::uint16_t S>
  Fixed& operator-=(const Fixed<D, S>& other) {
    orbweaver::fixed::assign_sum(target(), _packed(), other._packed(), true);
    return *this;
  }
  /// Multiplies; the value is unchanged if the result does not fit.
  template <std::uint16_t D, std::uint16_t S>
  Fixed& operator*=(const Fixed<D, S>& other) {
    orbweaver::fixed::assign_product(target(), _packed(), other._packed());
    return *this;
  }
  /// Divides; the value is unchanged if the result does not fit. Raises DATA_CONVERSION (0x4f570122) for
  /// division by zero.
  template <std::uint16_t D, std::uint16_t S>
  Fixed& operator/=(const Fixed<D, S>& other) {
    orbweaver::fixed::assign_quotient(target(), _packed(), other._packed());
    return *this;
  }
  /// Adds 1.
  Fixed& operator++() { return *this += Fixed<1, 0>("1"); }
  /// Adds 1 and returns the value before.
  Fixed operator++(int) {
    const Fixed before = *this;
    ++*this;
    return before;
  }
  /// Subtracts 1.
  Fixed& operator--() { return *this -= Fixed<1, 0>("1"); }
  /// Subtracts 1 and returns the value before.
  Fixed operator--(int) {
    const Fixed before = *this;
    --*this;
    return before;
  }
  /// The same value.
  Fixed operator+() const { return *this; }
  /// The value with the other sign.
  Fixed operator-() const {
    Fixed result;
    result -= *this;
    return result;
  }

  /// @cond internal
  constexpr orbweaver::fixed::Packed _packed() const noexcept { return {octets_.data(), digits, scale}; }
  /// Replaces the value by one in packed decimal, see Codec.
  void _decode(orbweaver::cdr::Decoder& in) { orbweaver::fixed::decode(in, target()); }
  void _read(std::istream& is) { orbweaver::fixed::read(is, target()); }
  /// @endcond

 private:
  template <class Number>
  using Argument =
      std::conditional_t<std::is_floating_point_v<Number>, long double,
                         std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>>;
  constexpr orbweaver::fixed::Target target() noexcept { return {octets_.data(), digits, scale}; }

  std::array<std::uint8_t, orbweaver::fixed::octets_of(digits)> octets_;
};

/// The sum of two numbers, in the type that holds the values of both.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator+(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return typename common_fixed<Fixed<D1, S1>, Fixed<D2, S2>>::type(a) += b;
}
/// The difference of two numbers, in the type that holds the values of both.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator-(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return typename common_fixed<Fixed<D1, S1>, Fixed<D2, S2>>::type(a) -= b;
}
/// The product of two numbers, in the type that holds the values of both.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator*(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return typename common_fixed<Fixed<D1, S1>, Fixed<D2, S2>>::type(a) *= b;
}
/// The quotient of two numbers, in the type that holds the values of both. Raises DATA_CONVERSION
/// (0x4f570122) for division by zero.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator/(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return typename common_fixed<Fixed<D1, S1>, Fixed<D2, S2>>::type(a) /= b;
}

/// Compares the values of two numbers, of equal or different types.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
bool operator==(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return orbweaver::fixed::compare(a._packed(), b._packed()) == 0;
}
/// As ==.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
bool operator!=(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return orbweaver::fixed::compare(a._packed(), b._packed()) != 0;
}
/// As ==.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
bool operator<(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return orbweaver::fixed::compare(a._packed(), b._packed()) < 0;
}
/// As ==.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
bool operator>(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return orbweaver::fixed::compare(a._packed(), b._packed()) > 0;
}
/// As ==.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
bool operator<=(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return orbweaver::fixed::compare(a._packed(), b._packed()) <= 0;
}
/// As ==.
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
bool operator>=(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return orbweaver::fixed::compare(a._packed(), b._packed()) >= 0;
}

/// Prints `to_string()`.
template <std::uint16_t D, std::uint16_t S>
std::ostream& operator<<(std::ostream& os, const Fixed<D, S>& value) {
  return orbweaver::fixed::print(os, value._packed());
}
/// Reads a word as the constructor from text does; sets failbit, and leaves the value unchanged, if it is not
/// a number or does not fit.
template <std::uint16_t D, std::uint16_t S>
std::istream& operator>>(std::istream& is, Fixed<D, S>& value) {
  value._read(is);
  return is;
}

/// Traits of fixed-point types: `digits` and `scale` are their parameters.
template <std::uint16_t D, std::uint16_t S>
struct traits<Fixed<D, S>> : orbweaver::write_traits<Fixed<D, S>> {
  using value_type = Fixed<D, S>;                           ///< The C++ type.
  using in_type = const value_type&;                        ///< Type of an `in` parameter.
  using out_type = value_type&;                             ///< Type of an `out` parameter.
  using inout_type = value_type&;                           ///< Type of an `inout` parameter.
  using digits = std::integral_constant<std::uint16_t, D>;  ///< The number of digits.
  using scale = std::integral_constant<std::uint16_t, S>;   ///< The number of digits after the point.
};

}  // namespace IDL

namespace orbweaver {

/// @cond internal
namespace cdr {

/// Encoding of fixed-point numbers: see fixed::Packed. Malformed ones are the fault fixed::kMalformed.
template <std::uint16_t D, std::uint16_t S>
struct Codec<IDL::Fixed<D, S>> {
  static constexpr std::size_t kMinBytes = fixed::octets_of(D), kMaxBytes = kMinBytes, kAlign = 1;
  static constexpr bool kPlain = false;
  static std::size_t bound(const IDL::Fixed<D, S>&) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, const IDL::Fixed<D, S>& value) {
    out.put_bytes(value._packed().octets, kMinBytes);
  }
  static void decode(Decoder& in, IDL::Fixed<D, S>& value) { value._decode(in); }
};

}  // namespace cdr

template <std::uint16_t D, std::uint16_t S>
struct TypeCodeOf<IDL::Fixed<D, S>> {
  static const CORBA::TypeCode& get() noexcept {
    static const CORBA::TypeCode type(CORBA::TCKind::tk_fixed, "", "", nullptr, 0, nullptr, D, S);
    return type;
  }
};
/// @endcond

}  // namespace orbweaver
