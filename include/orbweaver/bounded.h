#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <orbweaver/traits.h>

namespace orbweaver {
/// Raises CORBA::BAD_PARAM (0x4f57003c), COMPLETED_NO: a bounded sequence, string or map of `size` elements
/// exceeds its IDL bound.
[[noreturn]] void throw_bound_exceeded(std::size_t size, std::uint32_t bound);
}  // namespace orbweaver

namespace IDL {

/// A bounded string: a std::string whose length is checked when it is encoded or decoded (IDL to C++11,
/// 6.5.1). `Bound` in characters.
template <std::uint32_t Bound>
class bounded_string : public std::string {
 public:
  using std::string::string;
  using std::string::operator=;
  bounded_string() = default;
  /// Copies `s`. The length is checked when the string is encoded, not here.
  bounded_string(const std::string& s) : std::string(s) {}
  /// Takes the characters of `s`. The length is checked when the string is encoded, not here.
  bounded_string(std::string&& s) noexcept : std::string(std::move(s)) {}
  /// The bound declared in IDL.
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

/// As bounded_string, of wide characters.
template <std::uint32_t Bound>
class bounded_wstring : public std::wstring {
 public:
  using std::wstring::wstring;
  using std::wstring::operator=;
  bounded_wstring() = default;
  /// Copies `s`. The length is checked when the string is encoded, not here.
  bounded_wstring(const std::wstring& s) : std::wstring(s) {}
  /// Takes the characters of `s`. The length is checked when the string is encoded, not here.
  bounded_wstring(std::wstring&& s) noexcept : std::wstring(std::move(s)) {}
  /// The bound declared in IDL.
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

/// A bounded sequence: a std::vector whose length is checked when it is encoded or decoded (IDL to C++11,
/// 6.13). `Bound` in elements.
template <class T, std::uint32_t Bound>
class bounded_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  bounded_vector() = default;
  /// Copies `v`. The length is checked when the sequence is encoded, not here.
  bounded_vector(const std::vector<T>& v) : std::vector<T>(v) {}
  /// Takes the elements of `v`. The length is checked when the sequence is encoded, not here.
  bounded_vector(std::vector<T>&& v) noexcept : std::vector<T>(std::move(v)) {}
  /// The bound declared in IDL.
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

/// Returns `value` if it does not exceed `Bound`; otherwise raises BAD_PARAM as throw_bound_exceeded.
template <std::uint32_t Bound, class Sized>
const Sized& checked_bound(const Sized& value) {
  if (value.size() > Bound) orbweaver::throw_bound_exceeded(value.size(), Bound);
  return value;
}

/// Members of IDL::traits for strings, sequences and maps. `Bound` 0: unbounded.
template <class T, std::uint32_t Bound>
struct sized_traits : orbweaver::write_traits<T> {
  using value_type = T;                                        ///< The C++ type.
  using in_type = const T&;                                    ///< Type of an `in` parameter.
  using out_type = T&;                                         ///< Type of an `out` parameter.
  using inout_type = T&;                                       ///< Type of an `inout` parameter.
  using is_bounded = std::bool_constant<Bound != 0>;           ///< Whether IDL declares a bound.
  using bound = std::integral_constant<std::uint32_t, Bound>;  ///< The bound; 0: none.
};

template <>
struct traits<std::string> : sized_traits<std::string, 0> {};
template <>
struct traits<std::wstring> : sized_traits<std::wstring, 0> {};
template <std::uint32_t Bound>
struct traits<bounded_string<Bound>> : sized_traits<bounded_string<Bound>, Bound> {};
template <std::uint32_t Bound>
struct traits<bounded_wstring<Bound>> : sized_traits<bounded_wstring<Bound>, Bound> {};
template <class T>
struct traits<std::vector<T>> : sized_traits<std::vector<T>, 0> {
  using element_traits = traits<T>;
};
template <class T, std::uint32_t Bound>
struct traits<bounded_vector<T, Bound>> : sized_traits<bounded_vector<T, Bound>, Bound> {
  using element_traits = traits<T>;
};

/// Number of dimensions of nested std::arrays; 0 for other types.
template <class T>
struct dimensions_of : std::integral_constant<std::uint32_t, 0> {};
template <class T, std::size_t N>
struct dimensions_of<std::array<T, N>> : std::integral_constant<std::uint32_t, 1 + dimensions_of<T>::value> {
};
/// Element type of nested std::arrays.
template <class T>
struct innermost {
  using type = T;
};
template <class T, std::size_t N>
struct innermost<std::array<T, N>> : innermost<T> {};

/// Traits of arrays of any number of dimensions: `element_traits` are those of the innermost element.
template <class T, std::size_t N>
struct traits<std::array<T, N>> : orbweaver::write_traits<std::array<T, N>> {
  using value_type = std::array<T, N>;
  using in_type = const value_type&;
  using out_type = value_type&;
  using inout_type = value_type&;
  using element_traits = traits<typename innermost<T>::type>;
  using dimensions = std::integral_constant<std::uint32_t, dimensions_of<value_type>::value>;
};

}  // namespace IDL
