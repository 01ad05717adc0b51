#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#if __cplusplus >= 202002L
#include <span>
#endif

namespace orbweaver {

#if __cplusplus >= 202002L
/// Type of `@view` sequences. Does not own the elements; no function checks an index. In C++17 a class with
/// the part of the interface of std::span that is needed to read and write elements.
template <class T>
using span = std::span<T>;
#else
/// Type of `@view` sequences if the standard library has no std::span (C++17): the part of its interface
/// needed to read and write elements. Does not own the elements; no function checks an index.
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr span() noexcept = default;
  constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  span(std::vector<value_type>& v) noexcept : data_(v.data()), size_(v.size()) {}
  span(const std::vector<value_type>& v) noexcept : data_(v.data()), size_(v.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr span subspan(std::size_t offset, std::size_t count) const { return {data_ + offset, count}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
#endif

}  // namespace orbweaver
