#pragma once

// The names that generated headers need to declare TypeCodes; what they can do is in typecode.h.

#include <orbweaver/reference.h>

#include <cstdint>

namespace CORBA {
class Any;
class Object;
class TypeCode;
/// What `IDL::traits<CORBA::TypeCode>::ref_type` is.
using typecode_reference = object_reference<TypeCode>;
}  // namespace CORBA

namespace IDL {

/// A local reference type: passed by reference to one shared, immutable description.
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

/// The TypeCode of a C++ type: `static const CORBA::TypeCode& get()`. Generated code specialises it for
/// every struct, union, enum, exception, bitmask, bitset and interface; typecode_of.h for all that IDL has
/// built in. A type without one cannot be put into an Any.
template <class T, class Enable = void>
struct TypeCodeOf;

/// For generated code: the TypeCode that lies in `Constant`.
template <const CORBA::TypeCode& Constant>
struct TypeCodeIs {
  static const CORBA::TypeCode& get() noexcept { return Constant; }
};

namespace typecode::detail {
template <class K, class V, std::uint32_t Bound>
const CORBA::TypeCode& map_of() noexcept;  // typecode_of.h
}

}  // namespace orbweaver
