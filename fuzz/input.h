#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/bytes.h"

namespace orbweaver::fuzz {

/// Reads values from the front of a fuzz input; zeros after its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  template <class T>
  T take() {
    static_assert(std::is_integral_v<T>);
    T value{};
    const std::size_t bytes = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return value;
  }
  Bytes take_bytes(std::size_t max_bytes) {
    const Bytes bytes = rest_.first(std::min(max_bytes, rest_.size()));
    rest_ = rest_.subspan(bytes.size());
    return bytes;
  }

 private:
  Bytes rest_;
};

}  // namespace orbweaver::fuzz
