#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver::idl::ir {

/// Every kind of type in IDL. Those up to `value_base` need nothing but their name.
enum class TypeKind : std::uint8_t {
  void_,
  boolean,
  char_,
  wchar,
  octet,
  int8,
  uint8,  // of IDL 4.2; int16 and so on are other names of short and so on
  short_,
  ushort,
  long_,
  ulong,
  longlong,
  ulonglong,
  float_,
  double_,
  longdouble,
  any,
  object,
  value_base,
  string,
  wstring,
  fixed,
  sequence,
  array,
  map,
  declared,  // a struct, union, enum, interface, typedef, … : Type::declaration
};

/// As IDL spells it: "unsigned long long".
std::string_view spelling(TypeKind kind);
constexpr bool is_integer(TypeKind kind) {
  return kind == TypeKind::octet || (kind >= TypeKind::int8 && kind <= TypeKind::ulonglong);
}
constexpr bool is_floating(TypeKind kind) { return kind >= TypeKind::float_ && kind <= TypeKind::longdouble; }

}  // namespace orbweaver::idl::ir
