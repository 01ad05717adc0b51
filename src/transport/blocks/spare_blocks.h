#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "transport/blocks/buddy.h"

namespace orbweaver::transport::blocks {

/// A few blocks of each size that have come back and are not joined with their neighbours yet: most loans are of a
/// size that was lent just before, and get one of these without a lock, its memory still in the caches. Any thread.
class SpareBlocks {
 public:
  /// The offset of a block of `bytes` (as of Buddy::rounded), which is the caller's now; Buddy::kNone: there is none.
  std::size_t take(std::size_t bytes) noexcept {
    for (Place& place : row(bytes)) {
      if (place.load(std::memory_order_relaxed) == 0) continue;
      // Acquire: the last user of the block is done with it; pairs with put.
      if (const std::size_t found = place.exchange(0, std::memory_order_acquire); found != 0) return found - 1;
    }
    return Buddy::kNone;
  }
  /// False: there are enough of this size.
  bool put(std::size_t offset, std::size_t bytes) noexcept {
    for (Place& place : row(bytes)) {
      std::size_t none = 0;
      if (place.load(std::memory_order_relaxed) == 0 &&
          place.compare_exchange_strong(none, offset + 1, std::memory_order_release, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Takes all, and gives each to `gone(offset, bytes)`.
  template <class Gone>
  void take_all(Gone&& gone) noexcept {
    for (std::size_t order = 0; order < rows_.size(); ++order) {
      const std::size_t bytes = Buddy::kGranule << order;
      for (std::size_t at; (at = take(bytes)) != Buddy::kNone;) gone(at, bytes);
    }
  }

 private:
  using Place = std::atomic<std::size_t>;  // offset + 1; 0: nothing
  static constexpr std::size_t kOrders = 40;
  struct alignas(64) Row : std::array<Place, 4> {};

  Row& row(std::size_t bytes) noexcept {
    return rows_[static_cast<std::size_t>(std::countr_zero(bytes / Buddy::kGranule))];
  }

  std::array<Row, kOrders> rows_{};
};

}  // namespace orbweaver::transport::blocks
