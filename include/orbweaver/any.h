#pragma once

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/typecode_of.h>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace orbweaver::any {
struct Access;
}

namespace CORBA {

/// A value of any IDL type, with its TypeCode (IDL to C++11, 6.20; CORBA 3.3 part 2, 9.3.5.3).
///
/// A value type that owns its contents: the value in CDR, in this machine's byte order, so that values of
/// types unknown to the program can be received and sent on. The type extracted must be equivalent to the
/// type inserted; names do not matter:
///
///     CORBA::Any a;
///     a <<= 2.5;
///     double d = 0;
///     if (a >>= d) …          // false, and d unchanged, if `a` contains another type
///
/// As thread-safe as a std::vector. Views (`std::string_view`, spans) can be inserted, but not extracted.
class Any {
 public:
  Any() = default;

  /// The type of the value; tk_null if empty, never nil.
  typecode_reference type() const { return type_ == nullptr ? _tc_null : type_; }
  /// Replaces the TypeCode by an equivalent one. Raises BAD_TYPECODE (0x4f570041) if it is not equivalent.
  void type(const typecode_reference& other);
  /// Makes the any empty.
  void _reset() noexcept;
  /// Returns whether the any contains no value.
  bool _empty() const noexcept { return type_ == nullptr; }

 private:
  friend struct orbweaver::any::Access;

  typecode_reference type_;
  std::vector<std::uint8_t> bytes_;                 // the value in CDR, aligned as from offset 0
  std::shared_ptr<orbweaver::cdr::Broker> broker_;  // creates the references in bytes_
};

/// Prints the type and, abbreviated if long, the value: `Sample{rate: 2.5, name: "x"}`.
std::ostream& operator<<(std::ostream& os, const Any& any);

}  // namespace CORBA

namespace orbweaver {
/// @internal Implementation of CORBA::Any.
namespace any {

/// Implementation of Any, for the templates below and the codec; not for users.
struct Access {
  static void put(CORBA::Any& any, const CORBA::TypeCode& type, cdr::Encoder& from,
                  std::vector<std::uint8_t>&& bytes);
  /// The value's bytes; null unless the any's type is equivalent to `type`.
  static const std::vector<std::uint8_t>* find(const CORBA::Any& any, const CORBA::TypeCode& type);
  /// The value's bytes if it is an object reference, of any interface; otherwise null.
  static const std::vector<std::uint8_t>* find_reference(const CORBA::Any& any);
  static cdr::Broker* broker(const CORBA::Any& any) noexcept { return any.broker_.get(); }
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
  } else {
    cdr::encode(out, value);
  }
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
/// A reference of another interface is narrowed, which may call the object.
template <class T>
struct Extract<CORBA::object_reference<T>> {
  static bool from(const CORBA::Any& any, CORBA::object_reference<T>& value) {
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
  static std::size_t bound(const CORBA::Any& any) { return bound_of(any.type()) + any::Access::bound(any); }
  static void encode(Encoder& out, const CORBA::Any& any) { any::Access::encode(out, any); }
  static void decode(Decoder& in, CORBA::Any& any) { any::Access::decode(in, any); }
};

}  // namespace cdr
}  // namespace orbweaver

namespace CORBA {

/// Replaces the contents by a copy of `value`. `any` is unchanged if this raises an exception.
template <class T>
auto operator<<=(Any& any, const T& value) -> decltype(orbweaver::TypeCodeOf<T>::get(), void()) {
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::any::encode_value(out, value);
  out.finish();
  orbweaver::any::Access::put(any, orbweaver::TypeCodeOf<T>::get(), out, std::move(bytes));
}
/// Replaces the contents by a copy of the string `text`, which ends with a NUL and must not be null.
inline void operator<<=(Any& any, const char* text) { any <<= std::string_view(text); }

/// Copies the value to `value` and returns true if its type is equivalent to T; otherwise returns false and
/// leaves `value` unchanged. Raises MARSHAL (docs/minor-codes.md) if the value, received from a peer, is
/// malformed.
template <class T>
auto operator>>=(const Any& any, T& value) -> decltype(orbweaver::TypeCodeOf<T>::get(), bool()) {
  return orbweaver::any::Extract<T>::from(any, value);
}

}  // namespace CORBA
