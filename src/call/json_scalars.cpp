#include "call/json_scalars.h"

#include <orbweaver/detail/stub.h>

#include <cmath>
#include <cstdlib>

#include "base/printable.h"
#include "call/fixed_text.h"
#include "call/type_names.h"
#include "cdr/typecode_graph.h"
#include "cdr/utf8.h"

namespace orbweaver::call {

using CORBA::TypeCode;
using CORBA::typecode_reference;
using Fields = typecode::Access;

std::string found_text(const Json& json) {
  constexpr std::size_t kShown = 40;
  switch (json.type()) {
    case Json::value_t::array: return "an array of " + std::to_string(json.size());
    case Json::value_t::object: return "an object";
    case Json::value_t::string:
      return "the string '" + printable(json.get_ref<const std::string&>(), kShown) + "'";
    default: return printable(json.dump(), kShown);
  }
}

std::string ScalarWriter::name(const TypeCode& type) const {
  return printable(type_name(type, context_.types), 200);
}
void ScalarWriter::fail(const std::string& why) const {
  throw Mismatch{(path_.empty() ? "" : printable(path_, 400) + ": ") + why};
}

void ScalarWriter::mismatch(const Json& json, const std::string& expected, const TypeCode& type) const {
  fail("expected " + expected + " (" + name(type) + "), found " + found_text(json));
}

bool ScalarWriter::read_number(const std::string& text, long double& number) {
  if (const auto special = special_number(text)) {
    number = *special;
    return true;
  }
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
  char* end = nullptr;
  number = std::strtold(text.c_str(), &end);
  return *end == '\0' && std::isfinite(number);
}

wchar_t ScalarWriter::one_character(const Json& json, const TypeCode& type) const {
  if (!json.is_string()) mismatch(json, "a string of one character", type);
  const std::wstring text = cdr::utf8_to_wide(json.get_ref<const std::string&>());
  if (text.size() != 1) mismatch(json, "a string of one character", type);
  return text[0];
}

void ScalarWriter::character(const Json& json, const TypeCode& type) {
  const wchar_t c = one_character(json, type);
  if (static_cast<std::uint32_t>(c) > 0xff) mismatch(json, "a character up to U+00FF", type);
  out_.put(static_cast<std::uint8_t>(c));
}

const std::string& ScalarWriter::text_of(const Json& json, const TypeCode& type) const {
  if (!json.is_string()) mismatch(json, "a string", type);
  const auto& text = json.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) fail("a string of CORBA contains no NUL");
  return text;
}

void ScalarWriter::check_bound(std::size_t length, const TypeCode& type, const TypeCode& given,
                               const char* unit) const {
  if (Fields::length(type) != 0 && length > Fields::length(type))
    fail(std::to_string(length) + " " + unit + " do not fit in " + name(given) + ", whose bound is " +
         std::to_string(Fields::length(type)));
}

void ScalarWriter::string(const Json& json, const TypeCode& type, const TypeCode& given) {
  const std::string& text = text_of(json, given);
  check_bound(text.size(), type, given, "characters");
  out_.put_string(text);
}

void ScalarWriter::wide_string(const Json& json, const TypeCode& type, const TypeCode& given) {
  const std::wstring text = cdr::utf8_to_wide(text_of(json, given));
  check_bound(text.size(), type, given, "characters");
  cdr::encode(out_, text);
}

std::uint32_t ScalarWriter::enumerator(const Json& json, const TypeCode& type, const TypeCode& given) const {
  const TypeCode::Member* const all = Fields::members(type);
  const std::uint32_t count = Fields::count(type);
  for (std::uint32_t i = 0; json.is_string() && i < count; ++i)
    if (json.get_ref<const std::string&>() == all[i].name) return i;
  std::string names;
  for (std::uint32_t i = 0; i < count && names.size() < 200; ++i)
    names += (i == 0 ? "" : ", ") + std::string(all[i].name);
  mismatch(json, "one of " + names, given);
}

void ScalarWriter::fixed(const Json& json, const TypeCode& type, const TypeCode& given) {
  const std::string text = json.is_string() ? json.get<std::string>() : json.is_number() ? json.dump() : "";
  const auto octets = fixed_from_text(text, Fields::length(type), Fields::extra(type));
  if (!octets) mismatch(json, "a decimal number that fits", given);
  out_.put_bytes(octets->data(), octets->size());
}

typecode_reference ScalarWriter::named_type(const Json& json, const TypeCode& given) const {
  if (!json.is_string()) mismatch(json, "the name of a type", given);
  const auto type = parse_type_name(json.get_ref<const std::string&>(), context_.types);
  if (!type) fail(type.error().message);
  return *type;
}

void ScalarWriter::reference(const Json& json, const TypeCode& given) {
  if (json.is_null()) return encode_reference(out_, nullptr);
  if (!json.is_string()) mismatch(json, "a reference such as \"IOR:…\" or null", given);
  try {
    const auto object = context_.orb->string_to_object(json.get_ref<const std::string&>());
    encode_reference(out_, object.get());
  } catch (const CORBA::SystemException& e) {
    fail("not a reference: " + (e.detail().empty() ? e.what() : e.detail()));
  }
}

}  // namespace orbweaver::call
