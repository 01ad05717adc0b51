#pragma once

// Declarations that generated headers need for TypeCodes; typecode.h has the definitions.

#include <orbweaver/reference.h>

#include <cstdint>

namespace CORBA {
class Any;
class Object;
class TypeCode;
/// Reference to a TypeCode: `IDL::traits<CORBA::TypeCode>::ref_type`.
using typecode_reference = object_reference<TypeCode>;
}  // namespace CORBA

namespace IDL {

/// Traits of TypeCode: a local reference type, passed by reference to one shared, immutable description.
template <>
struct traits<CORBA::TypeCode> : orbweaver::write_traits<CORBA::typecode_reference> {
  using ref_type = CORBA::typecode_reference;
  using value_type = ref_type;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  static constexpr bool is_local = true;
};

}  // namespace IDL

namespace orbweaver {

/// TypeCode of a C++ type: `static const CORBA::TypeCode& get()`. Generated code specialises it for every
/// struct, union, enum, exception, bitmask, bitset and interface, and typecode_of.h for the types built into
/// IDL. A type without a specialisation cannot be inserted into an Any.
template <class T, class Enable = void>
struct TypeCodeOf;

/// For generated code: the TypeCode in `Constant`.
template <const CORBA::TypeCode& Constant>
struct TypeCodeOfConstant {
  static const CORBA::TypeCode& get() noexcept { return Constant; }
};

namespace typecode::detail {
template <class K, class V, std::uint32_t Bound>
const CORBA::TypeCode& map_of() noexcept;  // typecode_of.h
}

}  // namespace orbweaver
