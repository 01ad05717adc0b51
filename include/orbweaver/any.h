#pragma once

#include <orbweaver/detail/any_access.h>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

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

/// Replaces the contents by a copy of `value`. `any` is unchanged if this raises an exception.
template <class T>
auto operator<<=(Any& any, const T& value) -> decltype(orbweaver::TypeCodeOf<T>::get(), void()) {
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::any::encode_value(out, value);
  out.finish();
  orbweaver::any::Access::put(any, orbweaver::any::type_of(value), out, std::move(bytes));
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
