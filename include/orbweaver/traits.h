#pragma once

#include <cstdint>
#include <type_traits>

namespace CORBA {
template <class T>
class object_reference;
/// For an interface: `base_type`, what its servants derive from, and `ref_type`, a reference to one.
template <class Interface>
struct servant_traits;
}  // namespace CORBA

namespace orbweaver {

/// A value on its way to a std::ostream: `std::cout << IDL::traits<T>::write(value)`. print.h has the operator<<.
/// Refers to the value.
template <class T>
struct Written {
  const T& value;
};

/// `write` and `write_on` of IDL::traits, for values of type V.
template <class V>
struct write_traits {
  static Written<V> write(const V& value) noexcept { return {value}; }
  template <class Stream>
  static Stream& write_on(Stream& os, const V& value) {
    os << Written<V>{value};
    return os;
  }
};

}  // namespace orbweaver

namespace IDL {

/// How a type is passed (IDL to C++11, 6.27). Generated code specialises it for interfaces, which have `ref_type`,
/// `weak_ref_type` and `narrow`. Strings, sequences and maps say `is_bounded` and `bound`; sequences and arrays have
/// `element_traits`, maps `key_traits` and `value_traits`, arrays `dimensions`.
template <class T, class Enable = void>
struct traits : orbweaver::write_traits<T> {
  using value_type = T;
  using in_type = std::conditional_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, T, const T&>;
  using out_type = T&;
  using inout_type = T&;
};

}  // namespace IDL
