#pragma once

#include <cstdint>
#include <cstring>

#include "platform/buffer_memory.h"

namespace orbweaver::transport {

/// A reusable memory block (platform/buffer_memory.h), aligned to 16. It grows on request, is not zeroed, and
/// is freed if it was grown for a large frame and frames have been small for a while: steady traffic does not
/// allocate, and one large frame does not keep its memory for ever. Not thread-safe.
class ReusableBuffer {
 public:
  explicit ReusableBuffer(std::size_t usual_bytes) noexcept : usual_bytes_(usual_bytes) {}

  std::uint8_t* data() noexcept { return block_.get(); }
  std::size_t size() const noexcept { return size_; }

  /// Grows to at least `bytes`, keeping the first `kept` bytes. False: no memory; nothing has changed.
  bool grow(std::size_t bytes, std::size_t kept) noexcept {
    if (bytes <= size_) return true;
    if (bytes < usual_bytes_) bytes = usual_bytes_;
    platform::Buffer larger = platform::make_buffer(bytes);
    if (!larger) return false;
    if (kept > 0) std::memcpy(larger.get(), block_.get(), kept);
    block_ = std::move(larger);
    size_ = bytes;
    return true;
  }

  /// Records how much of the block a use needed. pre: nothing in it is needed. True: the block was freed.
  bool note_use(std::size_t bytes) noexcept {
    if (size_ <= usual_bytes_) return false;
    small_in_a_row_ = bytes <= usual_bytes_ ? small_in_a_row_ + 1 : 0;
    if (small_in_a_row_ < kSmallUsesBeforeRelease) return false;
    release_memory();
    return true;
  }
  /// Frees the block; the next grow allocates one of at least the usual size.
  void release_memory() noexcept {
    block_.reset();
    size_ = 0;
    small_in_a_row_ = 0;
  }
  /// Size of a block that exceeds the usual size; 0 otherwise.
  std::size_t grown() const noexcept { return size_ > usual_bytes_ ? size_ : 0; }

 private:
  static constexpr std::uint32_t kSmallUsesBeforeRelease = 256;

  const std::size_t usual_bytes_;
  platform::Buffer block_;
  std::size_t size_ = 0;
  std::uint32_t small_in_a_row_ = 0;
};

}  // namespace orbweaver::transport
