#pragma once

#include <orbweaver/bounded.h>
#include <orbweaver/span.h>
#include <orbweaver/typecode.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// TypeCodes of the C++ types for types built into IDL. Those of sequences and arrays are created at their
/// first use, once for each type, and live as long as the process. Any thread.
namespace orbweaver {

namespace typecode::detail {

template <CORBA::TCKind Kind, std::uint32_t Length>
const CORBA::TypeCode& text() noexcept {
  static const CORBA::TypeCode type(Kind, "", "", nullptr, 0, nullptr, Length);
  return type;
}

template <class T, CORBA::TCKind Kind, std::uint32_t Length>
const CORBA::TypeCode& many() noexcept {
  static const CORBA::TypeCode type(Kind, "", "", nullptr, 0, &TypeCodeOf<T>::get(), Length);
  return type;
}

template <class K, class V, std::uint32_t Bound>
const CORBA::TypeCode& map_of() noexcept {
  static const CORBA::TypeCode::Member both[] = {{"key", &TypeCodeOf<K>::get()},
                                                 {"value", &TypeCodeOf<V>::get()}};
  static const CORBA::TypeCode pair(CORBA::TCKind::tk_struct, "", "", both, 2);
  static const CORBA::TypeCode type(CORBA::TCKind::tk_sequence, "", "", nullptr, 0, &pair, Bound);
  return type;
}

}  // namespace typecode::detail

#define ORBWEAVER_TYPECODE_OF(TYPE, NAME) \
  template <>                             \
  struct TypeCodeOf<TYPE> : TypeCodeOfConstant<typecode::k_##NAME> {};
ORBWEAVER_TYPECODE_OF(std::int8_t, int8)
ORBWEAVER_TYPECODE_OF(std::uint8_t, octet)
ORBWEAVER_TYPECODE_OF(std::int16_t, short)
ORBWEAVER_TYPECODE_OF(std::uint16_t, ushort)
ORBWEAVER_TYPECODE_OF(std::int32_t, long)
ORBWEAVER_TYPECODE_OF(std::uint32_t, ulong)
ORBWEAVER_TYPECODE_OF(std::int64_t, longlong)
ORBWEAVER_TYPECODE_OF(std::uint64_t, ulonglong)
ORBWEAVER_TYPECODE_OF(float, float)
ORBWEAVER_TYPECODE_OF(double, double)
ORBWEAVER_TYPECODE_OF(long double, longdouble)
ORBWEAVER_TYPECODE_OF(bool, boolean)
ORBWEAVER_TYPECODE_OF(char, char)
ORBWEAVER_TYPECODE_OF(wchar_t, wchar)
ORBWEAVER_TYPECODE_OF(std::string, string)
ORBWEAVER_TYPECODE_OF(std::string_view, string)
ORBWEAVER_TYPECODE_OF(std::wstring, wstring)
ORBWEAVER_TYPECODE_OF(CORBA::Any, any)
ORBWEAVER_TYPECODE_OF(CORBA::typecode_reference, TypeCode)
#undef ORBWEAVER_TYPECODE_OF

template <std::uint32_t Bound>
struct TypeCodeOf<IDL::bounded_string<Bound>> {
  static const CORBA::TypeCode& get() noexcept {
    return typecode::detail::text<CORBA::TCKind::tk_string, Bound>();
  }
};
template <std::uint32_t Bound>
struct TypeCodeOf<IDL::bounded_wstring<Bound>> {
  static const CORBA::TypeCode& get() noexcept {
    return typecode::detail::text<CORBA::TCKind::tk_wstring, Bound>();
  }
};
template <class T>
struct TypeCodeOf<std::vector<T>> {
  static const CORBA::TypeCode& get() noexcept {
    return typecode::detail::many<T, CORBA::TCKind::tk_sequence, 0>();
  }
};
template <class T>
struct TypeCodeOf<span<const T>> : TypeCodeOf<std::vector<T>> {};
template <class T, std::uint32_t Bound>
struct TypeCodeOf<IDL::bounded_vector<T, Bound>> {
  static const CORBA::TypeCode& get() noexcept {
    return typecode::detail::many<T, CORBA::TCKind::tk_sequence, Bound>();
  }
};
template <class T, std::size_t N>
struct TypeCodeOf<std::array<T, N>> {
  static const CORBA::TypeCode& get() noexcept {
    return typecode::detail::many<T, CORBA::TCKind::tk_array, N>();
  }
};
/// TypeCode of a reference: that of the interface.
template <class T>
struct TypeCodeOf<CORBA::object_reference<T>> : TypeCodeOf<T> {};
/// TypeCode of a reference to `Object`.
template <>
struct TypeCodeOf<CORBA::Object> : TypeCodeOfConstant<typecode::k_Object> {};

}  // namespace orbweaver
