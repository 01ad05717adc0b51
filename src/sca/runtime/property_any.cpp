#include "sca/runtime/property_any.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace orbweaver::sca {
namespace {

[[noreturn]] void raise_invalid(const std::string& type, const std::string& text) {
  throw std::invalid_argument("'" + text + "' is not a value of type " + type);
}

template <class T>
CORBA::Any any_holding(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

template <class T>
CORBA::Any number(const std::string& type, const std::string& text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) raise_invalid(type, text);
  return any_holding(value);
}

/// Whether `any` holds a T; if so, stores its text in `text`.
template <class T>
bool take(const CORBA::Any& any, std::string& text) {
  T value{};
  if (!(any >>= value)) return false;
  std::array<char, 64> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.assign(digits.data(), written.ptr);
  return true;
}

CORBA::Any boolean(const std::string& type, const std::string& text) {
  const bool yes = text == "true" || text == "TRUE";
  if (!yes && text != "false" && text != "FALSE") raise_invalid(type, text);
  return any_holding(yes);
}

CORBA::Any character(const std::string& type, const std::string& text) {
  if (text.size() != 1) raise_invalid(type, text);
  return any_holding(text[0]);
}

/// Converts the text of a property to an any, by the name of the type. Other types are sent as strings.
struct Conversion {
  std::string_view type;
  CORBA::Any (*convert)(const std::string& type, const std::string& text);
};
constexpr std::array<Conversion, 12> kConversions{{
    {"boolean", boolean},
    {"char", character},
    {"float", number<float>},
    {"double", number<double>},
    {"short", number<std::int16_t>},
    {"ushort", number<std::uint16_t>},
    {"long", number<std::int32_t>},
    {"ulong", number<std::uint32_t>},
    {"longlong", number<std::int64_t>},
    {"ulonglong", number<std::uint64_t>},
    {"octet", number<std::uint8_t>},
    {"int8", number<std::int16_t>},  // SCA 2.2.2 has no IDL type for it: sent as short
}};

}  // namespace

CORBA::Any any_of(const std::string& type, const std::string& text) {
  for (const Conversion& conversion : kConversions) {
    if (conversion.type == type) return conversion.convert(type, text);
  }
  return any_holding(text);
}

std::optional<std::string> text_of(const CORBA::Any& value) {
  std::string text;
  if (value >>= text) return text;
  bool yes = false;
  if (value >>= yes) return yes ? "true" : "false";
  char character = 0;
  if (value >>= character) return std::string(1, character);
  if (take<std::uint32_t>(value, text) || take<std::int32_t>(value, text) || take<double>(value, text) ||
      take<float>(value, text) || take<std::uint16_t>(value, text) || take<std::int16_t>(value, text) ||
      take<std::uint8_t>(value, text) || take<std::uint64_t>(value, text) ||
      take<std::int64_t>(value, text)) {
    return text;
  }
  return std::nullopt;
}

std::string type_name_of(const CORBA::Any& value) {
  switch (value.type()->kind()) {
    case CORBA::TCKind::tk_boolean: return "boolean";
    case CORBA::TCKind::tk_char: return "char";
    case CORBA::TCKind::tk_octet: return "octet";
    case CORBA::TCKind::tk_short: return "short";
    case CORBA::TCKind::tk_ushort: return "ushort";
    case CORBA::TCKind::tk_long: return "long";
    case CORBA::TCKind::tk_ulong: return "ulong";
    case CORBA::TCKind::tk_longlong: return "longlong";
    case CORBA::TCKind::tk_ulonglong: return "ulonglong";
    case CORBA::TCKind::tk_float: return "float";
    case CORBA::TCKind::tk_double: return "double";
    case CORBA::TCKind::tk_string: return "string";
    default: return {};
  }
}

}  // namespace orbweaver::sca
