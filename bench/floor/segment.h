// Shared memory of a floor's two ends, without a name in a file system.
#pragma once

#include <cstddef>
#include <string>

namespace orbweaver::bench {

/// Owns one mapping. The other end opens it by the creator's `address` while the creator lives.
class Segment {
 public:
  /// Creates a zeroed segment and touches every page, so that no page fault is measured.
  static Segment make(std::size_t bytes);
  /// Opens the segment of a creator's `address`.
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
