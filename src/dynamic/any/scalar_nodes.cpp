#include "dynamic/any/scalar_nodes.h"

#include <orbweaver/fixed.h>

#include <array>

#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using Fields = typecode::Access;

// ---- enumerators ----

std::uint32_t EnumNode::get_as_ulong() {
  check_exists();
  if (value_.is_initial()) return 0;
  cdr::Decoder in = value_.decoder();
  const auto position = in.get<std::uint32_t>();
  check(in);
  return position;
}

std::string EnumNode::get_as_string() {
  const std::uint32_t position = get_as_ulong();
  const CORBA::TypeCode& type = value_type();
  return position < Fields::count(type) ? Fields::members(type)[position].name : "";
}

void EnumNode::set_as_ulong(std::uint32_t value) {
  check_exists();
  if (value >= Fields::count(value_type()))
    raise_invalid(typecode::describe(*type_) + " has " + std::to_string(Fields::count(value_type())) +
                  " enumerators, and none at " + std::to_string(value));
  ValueWriter writer;
  writer.out().put(value);
  Node::set_value(writer.finish());
}

void EnumNode::set_as_string(const std::string& value) {
  check_exists();
  const CORBA::TypeCode& type = value_type();
  for (std::uint32_t i = 0; i < Fields::count(type); ++i) {
    if (value == Fields::members(type)[i].name) return set_as_ulong(i);
  }
  raise_invalid(typecode::describe(*type_) + " has no enumerator '" + value + "'");
}

// ---- fixed-point numbers ----

std::string FixedNode::get_value() {
  check_exists();
  const CORBA::TypeCode& type = value_type();
  const auto digits = static_cast<std::uint16_t>(Fields::length(type));
  const EncodedValue value = written(value_, type);
  cdr::Decoder in = value.decoder();
  const std::uint8_t* const octets = in.get_bytes(fixed::octets_of(digits));
  check(in);
  return fixed::describe(octets, digits, static_cast<std::int16_t>(Fields::extra(type)));
}

bool FixedNode::set_value(const std::string& val) {
  check_exists();
  const std::uint32_t digits = Fields::length(value_type());
  const std::int32_t scale = Fields::extra(value_type());
  if (digits > fixed::kMaxDigits || scale < 0 || static_cast<std::uint32_t>(scale) > digits)
    raise_invalid(typecode::describe(*type_) + " is no fixed-point type of IDL");
  std::string text = val;
  if (!text.empty() && (text.back() == 'd' || text.back() == 'D')) text.pop_back();
  std::array<std::uint8_t, fixed::octets_of(fixed::kMaxDigits)> octets{};
  const auto count = static_cast<std::uint16_t>(digits);
  try {
    fixed::parse({octets.data(), count, static_cast<std::uint16_t>(scale)}, text);
  } catch (const CORBA::DATA_CONVERSION& e) {
    if (e.minor() == minor::kFixedTooLarge) raise_invalid(e.detail());
    raise_mismatch(e.detail());
  }
  ValueWriter writer;
  writer.out().put_bytes(octets.data(), fixed::octets_of(count));
  Node::set_value(writer.finish());
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return true;
  const std::size_t last = text.find_last_not_of('0');
  return last < point + 1 + static_cast<std::size_t>(scale);
}

}  // namespace orbweaver::dynamic
