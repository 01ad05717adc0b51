#include "sca/profile/property.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace orbweaver::sca {
namespace {

constexpr std::array<std::pair<std::string_view, PropertyType>, 14> kTypes{{
    {"boolean", PropertyType::boolean},
    {"char", PropertyType::character},
    {"float", PropertyType::real32},
    {"double", PropertyType::real64},
    {"short", PropertyType::int16},
    {"long", PropertyType::int32},
    {"ushort", PropertyType::uint16},
    {"ulong", PropertyType::uint32},
    {"octet", PropertyType::octet},
    {"string", PropertyType::string},
    {"objref", PropertyType::objref},
    {"longlong", PropertyType::int64},
    {"ulonglong", PropertyType::uint64},
    {"utctime", PropertyType::utc_time},
}};

struct IntegerRange {
  double min, max;
};

std::optional<IntegerRange> integer_range(PropertyType type) {
  switch (type) {
    case PropertyType::int16: return IntegerRange{-32768, 32767};
    case PropertyType::int32: return IntegerRange{-2147483648.0, 2147483647.0};
    case PropertyType::uint16: return IntegerRange{0, 65535};
    case PropertyType::uint32: return IntegerRange{0, 4294967295.0};
    case PropertyType::octet: return IntegerRange{0, 255};
    case PropertyType::int64: return IntegerRange{-9223372036854775808.0, 9223372036854775807.0};
    case PropertyType::uint64: return IntegerRange{0, 18446744073709551615.0};
    default: return std::nullopt;
  }
}

std::string shown(double value) {
  std::array<char, 32> text{};
  char* end = text.data() + text.size();
  // Whole numbers are shown in full: 1000000, not 1e+06.
  const bool whole = value == std::trunc(value) && std::fabs(value) < 1e15;
  const auto written = whole ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
                             : std::to_chars(text.data(), end, value);
  return {text.data(), written.ptr};
}

std::string listed(const std::vector<std::string>& choices) {
  constexpr std::size_t kShown = 20;
  std::string text;
  for (std::size_t i = 0; i < choices.size() && i < kShown; ++i) text += (i == 0 ? "" : ", ") + choices[i];
  return choices.size() > kShown ? text + " or " + std::to_string(choices.size() - kShown) + " others" : text;
}

/// The value of a boolean: "true" or "false" in any case, or as REDHAWK allows, "1" or "0".
std::optional<bool> boolean_of(std::string_view text) {
  const auto is = [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  };
  if (is("true") || text == "1") return true;
  if (is("false") || text == "0") return false;
  return std::nullopt;
}

/// Whether the text is a whole number of 64 bits. A double has only 53.
bool is_64_bit(PropertyType type, std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return false;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (type == PropertyType::uint64) return !negative || value == 0;
  return value <= kMax + (negative ? 1 : 0);
}

/// Whether the text is a time in REDHAWK's form, "2016:03:05::12:00:00.5", or "now".
bool is_time(std::string_view text) {
  if (text == "now") return true;
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < text.size(); ++numbers) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
    if (end == i || numbers > 5) return false;
    if (numbers == 5) {
      // Seconds may have a fraction.
      const std::string_view fraction = text.substr(end);
      return fraction.empty() ||
             (fraction[0] == '.' && fraction.find_first_not_of("0123456789", 1) == std::string_view::npos);
    }
    const std::string_view separator = numbers == 2 ? "::" : ":";
    if (!text.substr(end).starts_with(separator)) return false;
    i = end + separator.size();
  }
  return false;
}

/// Whether a property of the numeric type can have this value.
bool is_value_of(PropertyType type, double value) {
  if (const auto whole = integer_range(type)) {
    return value == std::trunc(value) && value >= whole->min && value <= whole->max;
  }
  return type != PropertyType::real32 || std::fabs(value) <= std::numeric_limits<float>::max();
}

/// The values of a numeric type, for messages.
std::string values_of(PropertyType type) {
  if (type == PropertyType::int64) return "a whole number from -9223372036854775808 to 9223372036854775807";
  if (type == PropertyType::uint64) return "a whole number from 0 to 18446744073709551615";
  const auto whole = integer_range(type);
  return whole ? "a whole number from " + shown(whole->min) + " to " + shown(whole->max) : "a number";
}

/// The range of an integer type of a component's class, which may be a type that PRFs do not have.
std::optional<IntegerRange> integer_range_in_code(std::string_view type) {
  if (type == "int8") return IntegerRange{-128, 127};
  const auto known = type_of_name(type);
  return known ? integer_range(*known) : std::nullopt;
}

}  // namespace

std::string_view type_name(PropertyType type) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](auto& t) { return t.second == type; });
  return found->first;
}

std::optional<PropertyType> type_of_name(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](auto& t) { return t.first == name; });
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

std::optional<double> number_of(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* end = text.data() + text.size();
  if (hex) {
    std::uint64_t whole = 0;
    const auto read = std::from_chars(text.data() + 2, end, whole, 16);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return static_cast<double>(whole);
  }
  double value = 0;
  const char* begin = text.starts_with('+') ? text.data() + 1 : text.data();
  const auto read = std::from_chars(begin, end, value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool SimpleProperty::is_none(std::string_view text) const {
  return text.empty() && (is_optional || type != PropertyType::string);
}

bool SimpleProperty::is_beyond_float(std::string_view text) const {
  if (type != PropertyType::real32 || is_complex || min || max || !choices.empty()) return false;
  const auto given = number_of(text);
  return given && !is_value_of(type, *given);
}

bool SimpleProperty::is_numeric() const {
  return integer_range(type) || type == PropertyType::real32 || type == PropertyType::real64;
}

std::optional<std::string> SimpleProperty::problem(std::string_view text) const {
  if (text.find('\0') != std::string_view::npos) return "must not hold a zero byte";
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
    return "must be one of " + listed(choices);
  }
  switch (type) {
    case PropertyType::string:
    case PropertyType::objref: return std::nullopt;
    case PropertyType::boolean:
      if (!is_complex) {
        if (boolean_of(text)) return std::nullopt;
        return "must be true or false";
      }
      break;
    case PropertyType::character:
      if (!is_complex) {
        if (text.size() == 1) return std::nullopt;
        return "must be one character";
      }
      break;
    case PropertyType::utc_time:
      if (is_time(text)) return std::nullopt;
      return "must be a time such as 2016:03:05::12:00:00.5, or now";
    default: break;
  }
  const std::size_t j = is_complex ? text.find('j') : std::string_view::npos;
  if (j == std::string_view::npos) return problem_of_number(text);
  // "1.5+j2", "-j2", "j2"
  std::string_view real = text.substr(0, j);
  const bool negative = real.ends_with('-');
  if (negative || real.ends_with('+')) real.remove_suffix(1);
  if (!real.empty()) {
    if (auto problem = problem_of_number(real)) return problem;
  }
  return problem_of_number((negative ? "-" : "") + std::string(text.substr(j + 1)));
}

std::optional<std::string> SimpleProperty::problem_of_number(std::string_view text) const {
  if (type == PropertyType::boolean) {
    if (boolean_of(text)) return std::nullopt;
    return "must be true or false, or a complex one such as 1+j0";
  }
  if (type == PropertyType::character) {
    if (text.size() == 1) return std::nullopt;
    return "must be one character, or a complex one such as a+jb";
  }
  const auto given = number_of(text);
  const bool is_64 = type == PropertyType::int64 || type == PropertyType::uint64;
  if (!given || (is_64 ? !is_64_bit(type, text) : !is_value_of(type, *given))) {
    return "must be " + values_of(type) + (is_complex ? ", or a complex one such as 1+j2" : "");
  }
  if (!is_permitted(*given)) return "must be " + permitted_range();
  return std::nullopt;
}

bool SimpleProperty::is_permitted(double given) const {
  return (!min || given >= *min) && (!max || given <= *max);
}

std::string SimpleProperty::permitted_range() const {
  return "from " + (min ? shown(*min) : "the lowest") + " to " + (max ? shown(*max) : "the highest") +
         (units.empty() ? "" : " " + units);
}

std::string SimpleProperty::canonical(const std::string& text) const {
  const auto whole = integer_range(type);
  const auto given = number_of(text);
  // Numbers that a double may not hold have this form already.
  const bool is_64 = type == PropertyType::int64 || type == PropertyType::uint64;
  if (type == PropertyType::boolean && !is_complex)
    return boolean_of(text).value_or(false) ? "true" : "false";
  if (is_complex || (is_64 && text.find_first_not_of("-0123456789") == std::string::npos)) return text;
  if (whole && given) return shown(*given);
  if (is_beyond_float(text)) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    return shown(*given < 0 ? -kLargest : kLargest);
  }
  // std::from_chars does not accept a leading '+'.
  const bool real = type == PropertyType::real32 || type == PropertyType::real64;
  if (!real || !given) return text;
  if (text.starts_with("0x") || text.starts_with("0X")) return shown(*given);
  return text.starts_with('+') ? text.substr(1) : text;
}

std::optional<std::string> SimpleProperty::mismatch(std::string_view in_code) const {
  if (in_code == type_name(type)) return std::nullopt;
  if (const auto declared = integer_range(type)) {
    const auto held = integer_range_in_code(in_code);
    if (!held) return std::string(in_code) + " in its class";
    // The range narrows what the type allows.
    const double lowest = std::max(declared->min, min.value_or(declared->min));
    const double highest = std::min(declared->max, max.value_or(declared->max));
    if (lowest >= held->min && highest <= held->max) return std::nullopt;
    return std::string(in_code) + " in its class, which holds " + shown(held->min) + " to " +
           shown(held->max);
  }
  const bool wider = type == PropertyType::real32 && in_code == "double";
  const bool text = (type == PropertyType::objref || type == PropertyType::character) && in_code == "string";
  if (wider || text) return std::nullopt;
  return std::string(in_code) + " in its class";
}

}  // namespace orbweaver::sca
