#pragma once

#include <orbweaver/bounded.h>
#include <orbweaver/detail/typecode_fwd.h>
#include <orbweaver/reference.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace CORBA {
std::ostream& operator<<(std::ostream& os, const typecode_reference& type);  // typecode.h
}

/// @file
/// Printing of IDL types: `Test::Named{name: "x", colour: RED, samples: [1, 2]}`. Generated operator<<s use
/// this for their members; sequences are cut after kMaxPrintedElements elements. `orbweaver::print(os,
/// value)` also prints types without an operator<<: sequences, arrays, maps, wide strings.

namespace orbweaver {

/// Elements of a sequence or array that are printed.
inline constexpr std::size_t kMaxPrintedElements = 64;

/// Prints "…", with control characters as hexadecimal escapes.
inline void print_quoted(std::ostream& os, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  os << '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (byte < 0x20 || byte == 0x7f)
      os << "\\x" << kHex[byte >> 4] << kHex[byte & 15];
    else
      os << c;
  }
  os << '"';
}

/// Prints "…" in UTF-8; invalid characters as U+FFFD.
void print_quoted(std::ostream& os, std::wstring_view text);

/// Prints `value` as IDL types are printed. Raises nothing but what `os` raises.
template <class T>
void print(std::ostream& os, const T& value);

namespace detail {

template <class Range>
void print_range(std::ostream& os, const Range& range) {
  os << '[';
  std::size_t n = 0;
  for (auto it = range.begin(); it != range.end() && n < kMaxPrintedElements; ++it, ++n) {
    if (n > 0) os << ", ";
    print(os, static_cast<const typename Range::value_type&>(*it));
  }
  if (range.size() > n) os << ", … " << range.size() << " in all";
  os << ']';
}

template <class Map>
void print_map(std::ostream& os, const Map& map) {
  os << '{';
  const char* separator = "";
  for (const auto& [key, element] : map) {
    os << separator;
    print(os, key);
    os << ": ";
    print(os, element);
    separator = ", ";
  }
  os << '}';
}

template <class T, class = void>
struct is_map : std::false_type {};
template <class T>
struct is_map<T, std::void_t<typename T::mapped_type>> : std::true_type {};

template <class T>
struct Print {
  static void to(std::ostream& os, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      os << (value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, char>) {
      print_quoted(os, std::string_view(&value, 1));
    } else if constexpr (std::is_same_v<T, wchar_t>) {
      print_quoted(os, std::wstring_view(&value, 1));
    } else if constexpr (std::is_integral_v<T>) {
      os << +value;  // an octet is a number, not a character
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      print_quoted(os, value);
    } else if constexpr (is_map<T>::value) {
      print_map(os, value);
    } else if constexpr (std::is_base_of_v<std::wstring, T>) {
      print_quoted(os, std::wstring_view(value));
    } else {
      os << value;
    }
  }
};
template <class T, class A>
struct Print<std::vector<T, A>> {
  static void to(std::ostream& os, const std::vector<T, A>& value) { print_range(os, value); }
};
template <class T, std::size_t N>
struct Print<std::array<T, N>> {
  static void to(std::ostream& os, const std::array<T, N>& value) { print_range(os, value); }
};
template <class T, std::uint32_t Bound>
struct Print<IDL::bounded_vector<T, Bound>> {
  static void to(std::ostream& os, const IDL::bounded_vector<T, Bound>& value) { print_range(os, value); }
};
template <class T>
struct Print<CORBA::object_reference<T>> {
  static void to(std::ostream& os, const CORBA::object_reference<T>& value) {
    if constexpr (is_value<T>::value) {
      T::_print_value(os, value.get());
    } else {
      os << (value == nullptr ? "nil" : T::_interface_id());
    }
  }
};
template <>
struct Print<CORBA::typecode_reference> {
  static void to(std::ostream& os, const CORBA::typecode_reference& value) { os << value; }
};

}  // namespace detail

template <class T>
void print(std::ostream& os, const T& value) {
  detail::Print<T>::to(os, value);
}

/// Prints the value as print().
template <class T>
std::ostream& operator<<(std::ostream& os, WriteProxy<T> written) {
  print(os, written.value);
  return os;
}

}  // namespace orbweaver
