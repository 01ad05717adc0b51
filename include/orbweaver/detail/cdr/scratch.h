#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace orbweaver::cdr {

/// Storage for views that cannot point into the message, because of foreign byte order or alignment. `take`
/// returns memory that is valid until `reset`; after the first few calls nothing is allocated. One thread at
/// a time.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Returns `bytes` of memory, not initialised; null if there is none. `alignment` at most 16.
  void* take(std::size_t bytes, std::size_t alignment) noexcept;
  /// Frees all memory for reuse. What exceeds kKeptBytes is returned to the system.
  void reset() noexcept {
    if (used_ != 0 || blocks_.size() > 1) recycle();
  }

 private:
  static constexpr std::size_t kFirstBytes = 4096;
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

  struct Block {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size;
  };
  void recycle() noexcept;

  std::vector<Block> blocks_;  // the last one is being filled
  std::size_t used_ = 0;       // of the last block
};

}  // namespace orbweaver::cdr
