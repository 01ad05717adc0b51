#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {
/// Raises CORBA::BAD_PARAM: a bounded sequence or string holds more than its IDL bound allows.
[[noreturn]] void throw_bound_exceeded(std::size_t size, std::uint32_t bound);
}  // namespace orbweaver

namespace IDL {

/// A bounded string: a std::string whose length is checked when it travels (IDL to C++11, 6.5.1).
template <std::uint32_t Bound>
class bounded_string : public std::string {
 public:
  using std::string::string;
  using std::string::operator=;
  bounded_string() = default;
  bounded_string(const std::string& s) : std::string(s) {}
  bounded_string(std::string&& s) noexcept : std::string(std::move(s)) {}
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

template <std::uint32_t Bound>
class bounded_wstring : public std::wstring {
 public:
  using std::wstring::wstring;
  using std::wstring::operator=;
  bounded_wstring() = default;
  bounded_wstring(const std::wstring& s) : std::wstring(s) {}
  bounded_wstring(std::wstring&& s) noexcept : std::wstring(std::move(s)) {}
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

/// A bounded sequence: a std::vector whose length is checked when it travels (IDL to C++11, 6.13).
template <class T, std::uint32_t Bound>
class bounded_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  bounded_vector() = default;
  bounded_vector(const std::vector<T>& v) : std::vector<T>(v) {}
  bounded_vector(std::vector<T>&& v) noexcept : std::vector<T>(std::move(v)) {}
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

/// The value itself, if it keeps to its bound.
template <std::uint32_t Bound, class Sized>
const Sized& checked_bound(const Sized& value) {
  if (value.size() > Bound) orbweaver::throw_bound_exceeded(value.size(), Bound);
  return value;
}

}  // namespace IDL
