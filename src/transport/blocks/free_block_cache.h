#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "transport/blocks/buddy_allocator.h"

namespace orbweaver::transport::blocks {

/// Cache of up to four free blocks of each size that have not been coalesced. Most loans have the size of a
/// recent one and take a block from here without a lock, its memory still in the CPU caches. Thread-safe.
class FreeBlockCache {
 public:
  /// Returns the offset of a block of `bytes` (as of BuddyAllocator::rounded), now the caller's;
  /// BuddyAllocator::kNone if there is none.
  std::size_t allocate(std::size_t bytes) noexcept {
    for (Slot& slot : bin(bytes)) {
      if (slot.load(std::memory_order_relaxed) == 0) continue;
      // Acquire: the last user has finished with the block; pairs with put.
      if (const std::size_t found = slot.exchange(0, std::memory_order_acquire); found != 0) return found - 1;
    }
    return BuddyAllocator::kNone;
  }
  /// Adds a block. False: the slots of this size are full.
  bool put(std::size_t offset, std::size_t bytes) noexcept {
    for (Slot& slot : bin(bytes)) {
      std::size_t none = 0;
      if (slot.load(std::memory_order_relaxed) == 0 &&
          slot.compare_exchange_strong(none, offset + 1, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Removes all blocks and passes each to `visit(offset, bytes)`.
  template <class Visitor>
  void take_all(Visitor&& visit) noexcept {
    for (std::size_t order = 0; order < bins_.size(); ++order) {
      const std::size_t bytes = BuddyAllocator::kGranule << order;
      for (std::size_t at; (at = allocate(bytes)) != BuddyAllocator::kNone;) visit(at, bytes);
    }
  }

 private:
  using Slot = std::atomic<std::size_t>;  // offset + 1; 0: empty
  static constexpr std::size_t kOrders = 40;
  struct alignas(64) Bin : std::array<Slot, 4> {};

  Bin& bin(std::size_t bytes) noexcept {
    return bins_[static_cast<std::size_t>(std::countr_zero(bytes / BuddyAllocator::kGranule))];
  }

  std::array<Bin, kOrders> bins_{};
};

}  // namespace orbweaver::transport::blocks
