#include "sca/domain/allocation_property.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace orbweaver::sca {
namespace {

constexpr std::array<std::pair<std::string_view, MatchAction>, 7> kActions{{
    {"external", MatchAction::external},
    {"eq", MatchAction::equal},
    {"ne", MatchAction::not_equal},
    {"gt", MatchAction::greater},
    {"ge", MatchAction::greater_equal},
    {"lt", MatchAction::less},
    {"le", MatchAction::less_equal},
}};

/// A number of a profile. Integers of 64 bits are exact.
struct Number {
  bool whole = false;
  bool negative = false;
  std::uint64_t magnitude = 0;  // of a whole number
  double value = 0;
};

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Converts "-4", "+4", "0x1f" or "1e3"; nullopt unless the whole text is a finite number.
std::optional<Number> number(std::string_view text) {
  Number result;
  std::string_view unsigned_text = text;
  if (text.starts_with('-') || text.starts_with('+')) {
    result.negative = text[0] == '-';
    unsigned_text.remove_prefix(1);
  }
  const bool hex = unsigned_text.starts_with("0x") || unsigned_text.starts_with("0X");
  if (const auto whole = hex ? digits(unsigned_text.substr(2), 16) : digits(unsigned_text, 10)) {
    result.whole = true;
    result.magnitude = *whole;
    result.negative = result.negative && *whole != 0;
    result.value = static_cast<double>(*whole);
  } else {
    const char* end = unsigned_text.data() + unsigned_text.size();
    const auto read = std::from_chars(unsigned_text.data(), end, result.value);
    if (hex || unsigned_text.starts_with('-') || read.ec != std::errc{} || read.ptr != end ||
        !std::isfinite(result.value))
      return std::nullopt;
  }
  if (result.negative) result.value = -result.value;
  return result;
}

std::partial_ordering compare(const Number& left, const Number& right) {
  if (!left.whole || !right.whole) return left.value <=> right.value;
  if (left.negative != right.negative)
    return left.negative ? std::partial_ordering::less : std::partial_ordering::greater;
  return left.negative ? right.magnitude <=> left.magnitude : left.magnitude <=> right.magnitude;
}

std::optional<bool> boolean(std::string_view text) {
  if (text == "true" || text == "TRUE" || text == "1") return true;
  if (text == "false" || text == "FALSE" || text == "0") return false;
  return std::nullopt;
}

bool is_text(std::string_view type) { return type == "string" || type == "char" || type == "objref"; }

/// Compares two values of a PRF type; unordered if one of them is no value of it, or differing booleans.
std::partial_ordering compare(std::string_view type, std::string_view left, std::string_view right) {
  if (is_text(type)) return left <=> right;
  if (type == "boolean") {
    const auto a = boolean(left);
    const auto b = boolean(right);
    return a && b && *a == *b ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
  }
  const auto a = number(left);
  const auto b = number(right);
  return a && b ? compare(*a, *b) : std::partial_ordering::unordered;
}

bool is_value(std::string_view type, std::string_view text) {
  return is_text(type) || (type == "boolean" ? boolean(text).has_value() : number(text).has_value());
}

bool meets(MatchAction action, std::partial_ordering order) {
  switch (action) {
    case MatchAction::external: return false;
    case MatchAction::equal: return order == 0;
    case MatchAction::not_equal: return order != 0;
    case MatchAction::greater: return order > 0;
    case MatchAction::greater_equal: return order >= 0;
    case MatchAction::less: return order < 0;
    case MatchAction::less_equal: return order <= 0;
  }
  return false;
}

std::string_view comparison(MatchAction action) {
  switch (action) {
    case MatchAction::not_equal: return "other than ";
    case MatchAction::greater: return "greater than ";
    case MatchAction::greater_equal: return "at least ";
    case MatchAction::less: return "less than ";
    case MatchAction::less_equal: return "at most ";
    default: return "";
  }
}

/// Of a property that is not simple.
std::optional<std::string> unmet_structure(const AllocationProperty& offered, const Requirement& required) {
  const std::string& name = offered.name.empty() ? offered.id : offered.name;
  const bool is_equality = offered.action == MatchAction::equal;
  if (!is_equality && offered.action != MatchAction::not_equal)
    return name + " has the action " + name_of(offered.action) +
           ", and is no simple value: it can only be compared with eq and ne";
  // The order of members of a struct does not matter.
  const auto left = nlohmann::json::parse(offered.value, nullptr, false);
  const auto right = nlohmann::json::parse(required.value, nullptr, false);
  if (left.is_discarded() || right.is_discarded()) return name + " has no value that can be compared";
  if ((left == right) == is_equality) return std::nullopt;
  return name + " is " + offered.value + ", and has to be " + (is_equality ? "" : "other than ") +
         required.value;
}

}  // namespace

std::optional<MatchAction> match_action_of_name(std::string_view name) {
  const auto found = std::find_if(kActions.begin(), kActions.end(), [&](auto& a) { return a.first == name; });
  if (found == kActions.end()) return std::nullopt;
  return found->second;
}

std::string name_of(MatchAction action) {
  const auto found =
      std::find_if(kActions.begin(), kActions.end(), [&](auto& each) { return each.second == action; });
  return std::string(found->first);
}

std::optional<std::string> unmet(const AllocationProperty& offered, const Requirement& required) {
  if (offered.structure) return unmet_structure(offered, required);
  for (const std::string& value : offered.more_values) {
    if (!unmet({offered.id, offered.name, offered.type, offered.action, value}, required))
      return std::nullopt;
  }
  const std::string quote = is_text(offered.type) ? "'" : "";
  const std::string& name = offered.name.empty() ? offered.id : offered.name;
  if (!is_value(offered.type, required.value)) {
    return "the required value of " + name + ", '" + required.value + "', is no value of type " +
           offered.type;
  }
  if (!is_value(offered.type, offered.value))
    return name + " is '" + offered.value + "', which is no value of type " + offered.type;
  if (meets(offered.action, compare(offered.type, offered.value, required.value))) return std::nullopt;
  return name + " is " + quote + offered.value + quote + ", and has to be " +
         std::string(comparison(offered.action)) + quote + required.value + quote;
}

}  // namespace orbweaver::sca
