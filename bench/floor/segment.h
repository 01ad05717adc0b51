// Memory that both ends of a floor see, without a name in any file system.
#pragma once

#include <cstddef>
#include <string>

namespace orbweaver::bench {

/// Owns one mapping. The maker's `address` is what the other end needs, while the maker lives.
class Segment {
 public:
  /// Makes a zeroed segment; every page is touched, so that no fault is measured.
  static Segment make(std::size_t bytes);
  /// Opens what `address` of the maker says.
  static Segment open(const std::string& address, std::size_t bytes);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return data_; }
  const std::string& address() const { return address_; }

 private:
  Segment(int file, std::size_t bytes, std::string address);
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::string address_;
};

}  // namespace orbweaver::bench
