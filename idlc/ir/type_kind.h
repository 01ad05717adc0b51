#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver::idl::ir {

/// The kinds of IDL types. Those up to `value_base` have no parameters.
enum class TypeKind : std::uint8_t {
  void_,
  boolean,
  char_,
  wchar,
  octet,
  int8,
  uint8,  // int8 and uint8 are new in IDL 4.2; int16 and the others are synonyms of short and so on
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

/// The IDL spelling: "unsigned long long".
std::string_view spelling(TypeKind kind);
constexpr bool is_integer(TypeKind kind) {
  return kind == TypeKind::octet || (kind >= TypeKind::int8 && kind <= TypeKind::ulonglong);
}
constexpr bool is_floating(TypeKind kind) { return kind >= TypeKind::float_ && kind <= TypeKind::longdouble; }

}  // namespace orbweaver::idl::ir
