#include "sca/profile/property.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace orbweaver::sca {
namespace {

constexpr std::array<std::pair<std::string_view, PropertyType>, 11> kTypes{{
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
}};

/// Converts "-4", "0x1f" or "1e3" to a number; nullopt unless the whole text is one.
std::optional<double> number(std::string_view text) {
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
  std::string text;
  for (const auto& choice : choices) text += (text.empty() ? "" : ", ") + choice;
  return text;
}

bool is_boolean(std::string_view text) {
  return text == "true" || text == "false" || text == "TRUE" || text == "FALSE";
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
  const auto whole = integer_range(type);
  return whole ? "a whole number from " + shown(whole->min) + " to " + shown(whole->max) : "a number";
}

/// The range of an integer type of a component's class, which may be a type that PRFs do not have.
std::optional<IntegerRange> integer_range_in_code(std::string_view type) {
  if (type == "int8") return IntegerRange{-128, 127};
  if (type == "longlong") return IntegerRange{-9223372036854775808.0, 9223372036854775807.0};
  if (type == "ulonglong") return IntegerRange{0, 18446744073709551615.0};
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

const SimpleProperty* PropertyFile::find(std::string_view id) const {
  const auto found = std::find_if(simple.begin(), simple.end(), [&](auto& p) { return p.id == id; });
  return found == simple.end() ? nullptr : &*found;
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
      if (is_boolean(text)) return std::nullopt;
      return "must be true or false";
    case PropertyType::character:
      if (text.size() == 1) return std::nullopt;
      return "must be one character";
    default: break;
  }
  const auto given = number(text);
  if (!given || !is_value_of(type, *given)) return "must be " + values_of(type);
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
  const auto given = number(text);
  if (whole && given) return shown(*given);
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
