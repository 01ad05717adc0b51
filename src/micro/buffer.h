#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/bytes.h"

namespace orbweaver::micro {

/// Bytes of a message, aligned to 8, that grow as needed. Movable; one thread at a time. Functions that
/// allocate raise NO_MEMORY.
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  std::uint8_t* data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  Bytes bytes() const noexcept { return {data_, size_}; }

  /// Makes the capacity at least `bytes`; keeps the content.
  void reserve(std::size_t bytes);
  /// Sets the size, at most the capacity.
  void size(std::size_t bytes) noexcept { size_ = bytes; }
  /// Appends bytes.
  void append(Bytes bytes);
  /// Removes the first bytes.
  void remove_first(std::size_t bytes) noexcept;
  /// Frees the memory if it is more than a small message needs.
  void trim() noexcept;
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// A buffer keeps at most this capacity between messages.
inline constexpr std::size_t kKeptBytes = std::size_t{64} << 10;

}  // namespace orbweaver::micro
