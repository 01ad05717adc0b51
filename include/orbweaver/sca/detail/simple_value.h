#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <orbweaver/sca/property_value.h>
#include <orbweaver/sca/stream_metadata.h>

/// Simple values of properties: C++ types, their names in PRFs, and their texts.
namespace orbweaver::sca::detail {

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

/// Whether T is the type of a simple property.
template <class T>
inline constexpr bool kIsSimple = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                                  std::is_same_v<T, UtcTime> || IsComplex<T>::value;
/// Whether a range can be given for T.
template <class T>
inline constexpr bool kIsOrdered =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

/// PRF type name of a C++ type: "ulong" for std::uint32_t. Of a complex number, that of its parts. Types that
/// SCA 2.2.2 does not have are named "longlong", "ulonglong", "utctime" and "int8".
template <class T>
constexpr const char* property_type_word() {
  if constexpr (IsComplex<T>::value)
    return property_type_word<typename T::value_type>();
  else if constexpr (std::is_same_v<T, std::string>)
    return "string";
  else if constexpr (std::is_same_v<T, UtcTime>)
    return "utctime";
  else if constexpr (std::is_same_v<T, bool>)
    return "boolean";
  else if constexpr (std::is_same_v<T, char>)
    return "char";
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else {
    static_assert(
        std::is_integral_v<T>,
        "a property is bool, char, an integer, float, double, std::string, UtcTime, std::complex, a "
        "std::vector of these, a struct with members(), or a std::vector of such structs");
    constexpr std::array<const char*, 4> kSigned{"int8", "short", "long", "longlong"};
    constexpr std::array<const char*, 4> kUnsigned{"octet", "ushort", "ulong", "ulonglong"};
    constexpr std::size_t kIndex = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kIndex] : kUnsigned[kIndex];
  }
}

/// Reads a time such as 2016:03:05::12:00:00.5; false if it is none. "now" is the present time.
bool parse_time(const std::string& text, UtcTime& time);
/// The time as parse_time() reads it. Times outside of the years 0 to 9999 become the first or last of these.
std::string time_text(const UtcTime& time);

/// Reads a value. Throws std::invalid_argument with a message that begins with `subject`: "property 'gain'".
template <class T>
T parse_property(const std::string& subject, const std::string& text) {
  if constexpr (IsComplex<T>::value) {
    using Part = typename T::value_type;
    const std::size_t j = text.find('j');
    if (j == std::string::npos) return {parse_property<Part>(subject, text), Part{}};
    std::string real = text.substr(0, j);
    const bool is_negative = real.ends_with('-');
    if (is_negative || real.ends_with('+')) real.pop_back();
    return {real.empty() ? Part{} : parse_property<Part>(subject, real),
            parse_property<Part>(subject, (is_negative ? "-" : "") + text.substr(j + 1))};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, UtcTime>) {
    UtcTime time;
    if (parse_time(text, time)) return time;
    throw std::invalid_argument(subject + " must be a time such as 2016:03:05::12:00:00.5, or now, not '" +
                                text + "'");
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "TRUE") return true;
    if (text == "false" || text == "FALSE") return false;
    throw std::invalid_argument(subject + " must be true or false, not '" + text + "'");
  } else if constexpr (std::is_same_v<T, char>) {
    if (text.size() == 1) return text[0];
    throw std::invalid_argument(subject + " must be one character, not '" + text + "'");
  } else {
    T value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return value;
    throw std::invalid_argument(subject + " cannot be '" + text + "': it must be a number that fits");
  }
}

/// The value as text.
template <class T>
std::string property_text(const T& value) {
  if constexpr (IsComplex<T>::value) {
    using Part = typename T::value_type;
    std::string imaginary = property_text<Part>(value.imag());
    const bool is_negative = imaginary.starts_with('-');
    if (is_negative) imaginary.erase(0, 1);
    return property_text<Part>(value.real()) + (is_negative ? "-j" : "+j") + imaginary;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, UtcTime>) {
    return time_text(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string(1, value);
  } else {
    std::array<char, 64> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), written.ptr};
  }
}

/// The type in a PRF.
template <class T>
SimpleType simple_type() {
  return {property_type_word<T>(), IsComplex<T>::value};
}

}  // namespace orbweaver::sca::detail
