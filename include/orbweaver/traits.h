#pragma once

#include <cstdint>
#include <type_traits>

/// The module CORBA: the ORB, references, exceptions, policies, TypeCodes and anys.
namespace CORBA {
template <class T>
class object_reference;
/// Traits of an interface for its servants: `base_type`, the skeleton to derive from, and `ref_type`, a
/// reference to a servant (IDL to C++11, 6.26).
template <class Interface>
struct servant_traits;
}  // namespace CORBA

/// Orbweaver's own names: extensions for users, and the contract of transports.
namespace orbweaver {

/// Wrapper of a value for output: `std::cout << IDL::traits<T>::write(value)`. Refers to the value. print.h
/// has the operator<<.
template <class T>
struct WriteProxy {
  const T& value;  ///< The value, owned elsewhere.
};

/// Members `write` and `write_on` of IDL::traits, for values of type V.
template <class V>
struct write_traits {
  /// For `os << write(value)`; valid as long as `value`.
  static WriteProxy<V> write(const V& value) noexcept { return {value}; }
  /// Prints `value` to `os` and returns `os`.
  template <class Stream>
  static Stream& write_on(Stream& os, const V& value) {
    os << WriteProxy<V>{value};
    return os;
  }
};

}  // namespace orbweaver

/// Names of the IDL to C++11 mapping that belong to no IDL module.
namespace IDL {

/// Parameter types of an IDL type (IDL to C++11, 6.27). Generated code specialises it for interfaces, which
/// have `ref_type`, `weak_ref_type` and `narrow`. Strings, sequences and maps have `is_bounded` and `bound`;
/// sequences and arrays `element_traits`, maps `key_traits` and `value_traits`, arrays `dimensions`.
template <class T, class Enable = void>
struct traits : orbweaver::write_traits<T> {
  using value_type = T;  ///< The C++ type.
  /// Type of an `in` parameter: small types by value, others by reference.
  using in_type = std::conditional_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, T, const T&>;
  using out_type = T&;    ///< Type of an `out` parameter.
  using inout_type = T&;  ///< Type of an `inout` parameter.
};

}  // namespace IDL
