#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace orbweaver::transport {

/// One block of memory that is used again and again, aligned to 16. It grows when asked, never zeroes, and
/// gives a block that was grown for a large frame back once frames have been small for a while: so steady
/// traffic does not allocate, and one giant does not stay for ever. Not for two threads at once.
class Storage {
 public:
  explicit Storage(std::size_t usual_bytes) noexcept : usual_bytes_(usual_bytes) {}

  std::uint8_t* data() noexcept { return block_.get(); }
  std::size_t size() const noexcept { return size_; }

  /// Room for `bytes`, keeping the first `kept` of what is there. False if there is no memory; nothing has
  /// changed then.
  bool grow(std::size_t bytes, std::size_t kept) noexcept {
    if (bytes <= size_) return true;
    if (bytes < usual_bytes_) bytes = usual_bytes_;
    std::unique_ptr<std::uint8_t[]> larger(new (std::nothrow) std::uint8_t[bytes]);
    if (!larger) return false;
    if (kept > 0) std::memcpy(larger.get(), block_.get(), kept);
    block_ = std::move(larger);
    size_ = bytes;
    return true;
  }

  /// Told after each use how much of the block was needed, while nothing in it is. True: it was given back.
  bool used(std::size_t bytes) noexcept {
    if (size_ <= usual_bytes_) return false;
    small_in_a_row_ = bytes <= usual_bytes_ ? small_in_a_row_ + 1 : 0;
    if (small_in_a_row_ < kPatience) return false;
    give_back();
    return true;
  }
  /// The next grow makes one of the usual size.
  void give_back() noexcept {
    block_.reset();
    size_ = 0;
    small_in_a_row_ = 0;
  }
  /// The size of a block that was grown beyond the usual; 0: it was not.
  std::size_t grown() const noexcept { return size_ > usual_bytes_ ? size_ : 0; }

 private:
  static constexpr std::uint32_t kPatience = 256;

  const std::size_t usual_bytes_;
  std::unique_ptr<std::uint8_t[]> block_;
  std::size_t size_ = 0;
  std::uint32_t small_in_a_row_ = 0;
};

}  // namespace orbweaver::transport
