#include "sca/runtime/property_any.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace orbweaver::sca {
namespace {

[[noreturn]] void refuse(const std::string& type, const std::string& text) {
  throw std::invalid_argument("'" + text + "' is not a value of type " + type);
}

template <class T>
CORBA::Any number(const std::string& type, const std::string& text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) refuse(type, text);
  CORBA::Any any;
  any <<= value;
  return any;
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

}  // namespace

CORBA::Any any_of(const std::string& type, const std::string& text) {
  CORBA::Any any;
  if (type == "boolean") {
    const bool yes = text == "true" || text == "TRUE";
    if (!yes && text != "false" && text != "FALSE") refuse(type, text);
    any <<= yes;
  } else if (type == "char") {
    if (text.size() != 1) refuse(type, text);
    any <<= text[0];
  } else if (type == "float") {
    return number<float>(type, text);
  } else if (type == "double") {
    return number<double>(type, text);
  } else if (type == "short") {
    return number<std::int16_t>(type, text);
  } else if (type == "ushort") {
    return number<std::uint16_t>(type, text);
  } else if (type == "long") {
    return number<std::int32_t>(type, text);
  } else if (type == "ulong") {
    return number<std::uint32_t>(type, text);
  } else if (type == "longlong") {
    return number<std::int64_t>(type, text);
  } else if (type == "ulonglong") {
    return number<std::uint64_t>(type, text);
  } else if (type == "octet") {
    return number<std::uint8_t>(type, text);
  } else if (type == "int8") {  // SCA 2.2.2 has no IDL type for it: sent as short
    return number<std::int16_t>(type, text);
  } else {
    any <<= text;
  }
  return any;
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

}  // namespace orbweaver::sca
