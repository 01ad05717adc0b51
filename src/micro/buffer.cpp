#include "micro/buffer.h"

#include <cstdlib>
#include <cstring>

#include "micro/raise.h"

namespace orbweaver::micro {

Buffer::~Buffer() { std::free(data_); }

void Buffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  void* const grown = std::realloc(data_, bytes);
  if (grown == nullptr) raise(Kind::NO_MEMORY, minor::kNoMemory, "out of memory");
  data_ = static_cast<std::uint8_t*>(grown);
  capacity_ = bytes;
}

void Buffer::append(Bytes bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > capacity_ - size_) reserve(std::max(size_ + bytes.size(), 2 * capacity_));
  std::memcpy(data_ + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

void Buffer::remove_first(std::size_t bytes) noexcept {
  size_ -= bytes;
  if (size_ != 0) std::memmove(data_, data_ + bytes, size_);
}

void Buffer::trim() noexcept {
  if (capacity_ <= kKeptBytes || size_ != 0) return;
  std::free(data_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace orbweaver::micro
