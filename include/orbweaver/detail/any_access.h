#pragma once

// Insertion into an any and extraction from it, by CDR: the part of any.h that is not for users.

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/typecode_of.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace orbweaver {
/// @internal Implementation of CORBA::Any.
namespace any {

/// Access of the templates below and of the codec to the parts of an any.
struct Access {
  static void put(CORBA::Any& any, const CORBA::TypeCode& type, cdr::Encoder& from,
                  std::vector<std::uint8_t>&& bytes);
  /// The value's bytes; null unless the any's type is equivalent to `type`.
  static const std::vector<std::uint8_t>* find(const CORBA::Any& any, const CORBA::TypeCode& type);
  /// The value's bytes if it is an object reference, of any interface; otherwise null.
  static const std::vector<std::uint8_t>* find_reference(const CORBA::Any& any);
  /// The value's bytes if it is a value of a value type that may be, or derive from, that of `type`;
  /// otherwise null.
  static const std::vector<std::uint8_t>* find_value(const CORBA::Any& any, const CORBA::TypeCode& type);
  static cdr::Broker* broker(const CORBA::Any& any) noexcept;
  /// Raises MARSHAL if `in` has failed.
  static void check(const cdr::Decoder& in);
  /// An upper bound of the encoded size of the value, at any offset and in every version of GIOP.
  static std::size_t bound(const CORBA::Any& any);
  static void encode(cdr::Encoder& out, const CORBA::Any& any);
  static void decode(cdr::Decoder& in, CORBA::Any& any);
  static void print(std::ostream& os, const CORBA::Any& any);
};

/// Encodes a value as in an any: an exception with its repository id in front (CORBA 3.3 part 2, 9.3.5.3),
/// other types as everywhere.
template <class T>
void encode_value(cdr::Encoder& out, const T& value) {
  if constexpr (std::is_base_of_v<CORBA::UserException, T>) {
    out.put_string(value._rep_id());
    value._encode(out);
  } else if constexpr (cdr::HoldsValues<T>::value) {
    cdr::encode_apart(
        out, [](const void* from, cdr::Encoder& apart) { cdr::encode(apart, *static_cast<const T*>(from)); },
        &value);
  } else {
    cdr::encode(out, value);
  }
}
/// The type of a value inserted into an any: that of the value itself for value types, which may be derived.
template <class T>
const CORBA::TypeCode& type_of(const T&) {
  return TypeCodeOf<T>::get();
}
template <class T>
const CORBA::TypeCode& type_of(const CORBA::object_reference<T>& value) {
  if constexpr (detail::is_value<T>::value) {
    if (value != nullptr) return *value->_value_type().typecode;
  }
  return TypeCodeOf<CORBA::object_reference<T>>::get();
}
/// Decodes a value written by encode_value.
template <class T>
void decode_value(cdr::Decoder& in, T& value) {
  if constexpr (std::is_base_of_v<CORBA::UserException, T>) {
    in.get_string_view();
    try {
      T::_decode_and_raise(in);
    } catch (const T& raised) {
      value = raised;
    }
  } else if constexpr (cdr::HoldsValues<T>::value) {
    const typename cdr::HoldsValues<T>::Scope scope(in);
    cdr::decode(in, value);
  } else {
    cdr::decode(in, value);
  }
}

/// Decodes `bytes`, the value of `any`, to `value`; returns false if `bytes` is null. Raises MARSHAL.
template <class T>
bool take(const CORBA::Any& any, const std::vector<std::uint8_t>* bytes, T& value) {
  if (bytes == nullptr) return false;
  cdr::Decoder in(bytes->data(), bytes->size(), false);
  in.broker(Access::broker(any));
  T found{};
  decode_value(in, found);
  Access::check(in);
  value = std::move(found);
  return true;
}

/// Whether T is a view, which cannot be extracted.
template <class T>
struct is_view : std::is_same<T, std::string_view> {};
template <class T>
struct is_view<span<T>> : std::true_type {};

/// Extraction of one C++ type from an any.
template <class T>
struct Extract {
  static bool from(const CORBA::Any& any, T& value) {
    static_assert(!is_view<T>::value,
                  "an any's views would point into it: take a std::string or std::vector");
    return take(any, Access::find(any, TypeCodeOf<T>::get()), value);
  }
};
/// A reference of another interface is narrowed, which may call the object; a value of a derived type too.
template <class T>
struct Extract<CORBA::object_reference<T>> {
  static bool from(const CORBA::Any& any, CORBA::object_reference<T>& value) {
    if constexpr (detail::is_value<T>::value) {
      CORBA::object_reference<typename IDL::traits<T>::root_type> root;
      if (!take(any, Access::find_value(any, TypeCodeOf<T>::get()), root)) return false;
      CORBA::object_reference<T> narrowed = IDL::traits<T>::narrow(root);
      if (root != nullptr && narrowed == nullptr) return false;
      value = std::move(narrowed);
      return true;
    }
    if (take(any, Access::find(any, TypeCodeOf<T>::get()), value)) return true;
    using Root = std::conditional_t<sizeof(T) != 0, CORBA::Object, void>;  // complete once T is
    CORBA::object_reference<Root> root;
    if (!take(any, Access::find_reference(any), root)) return false;
    CORBA::object_reference<T> narrowed = IDL::traits<T>::narrow(root);
    if (root != nullptr && narrowed == nullptr) return false;
    value = std::move(narrowed);
    return true;
  }
};
template <>
struct Extract<CORBA::typecode_reference> {
  static bool from(const CORBA::Any& any, CORBA::typecode_reference& value) {
    return take(any, Access::find(any, typecode::k_TypeCode), value);
  }
};

}  // namespace any

namespace cdr {

template <>
struct Codec<CORBA::Any> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const CORBA::Any& any);
  static void encode(Encoder& out, const CORBA::Any& any) { any::Access::encode(out, any); }
  static void decode(Decoder& in, CORBA::Any& any) { any::Access::decode(in, any); }
};

}  // namespace cdr
}  // namespace orbweaver
