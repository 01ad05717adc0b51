#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orbweaver::transport::blocks {

/// Buddy allocator of offsets: divides a range into blocks of powers of two, at least one granule, and
/// coalesces free neighbours. Does not access the range itself. Not thread-safe; allocates memory only in its
/// constructor.
class BuddyAllocator {
 public:
  static constexpr std::size_t kGranule = 4096;
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// `bytes`: a power of two, a multiple of kGranule.
  explicit BuddyAllocator(std::size_t bytes) : granules_(bytes / kGranule) {
    while ((std::size_t{1} << top_) < granules_) ++top_;
    state_.assign(granules_, kNotFree);
    list_index_.assign(granules_, 0);
    free_.resize(top_ + 1u);
    for (unsigned order = 0; order <= top_; ++order) free_[order].reserve(granules_ >> order);
    put(0, top_);
  }

  /// Size of the block that `allocate(bytes)` returns.
  static std::size_t rounded(std::size_t bytes) noexcept {
    std::size_t size = kGranule;
    while (size < bytes && size <= kNone / 4) size *= 2;
    return size;
  }
  /// Returns the offset of a block of rounded(bytes), aligned to its size; kNone if there is none.
  std::size_t allocate(std::size_t bytes) noexcept {
    const std::size_t granules = rounded(bytes) / kGranule;
    unsigned order = 0;
    while (order <= top_ && ((std::size_t{1} << order) < granules || free_[order].empty())) ++order;
    if (order > top_) return kNone;
    const std::uint32_t at = free_[order].back();
    unlink(at, order);
    for (; (std::size_t{1} << order) > granules; --order) put(at + (1u << (order - 1)), order - 1);
    used_ += granules;
    return at * kGranule;
  }
  void deallocate(std::size_t offset, std::size_t bytes) noexcept {
    auto at = static_cast<std::uint32_t>(offset / kGranule);
    unsigned order = 0;
    while ((kGranule << order) < bytes) ++order;
    used_ -= std::size_t{1} << order;
    for (; order < top_; ++order) {
      const std::uint32_t other = at ^ (1u << order);
      if (state_[other] != static_cast<std::int8_t>(order)) break;
      unlink(other, order);
      at &= ~(1u << order);
    }
    put(at, order);
  }
  std::size_t used() const noexcept { return used_ * kGranule; }
  std::size_t bytes() const noexcept { return granules_ * kGranule; }

 private:
  static constexpr std::int8_t kNotFree = -1;  // in use, or not the first granule of a free block

  void put(std::uint32_t at, unsigned order) noexcept {
    state_[at] = static_cast<std::int8_t>(order);
    list_index_[at] = static_cast<std::uint32_t>(free_[order].size());
    free_[order].push_back(at);
  }
  void unlink(std::uint32_t at, unsigned order) noexcept {
    state_[at] = kNotFree;
    const std::uint32_t last = free_[order].back();
    free_[order][list_index_[at]] = last;
    list_index_[last] = list_index_[at];
    free_[order].pop_back();
  }

  std::size_t granules_;
  std::size_t used_ = 0;
  unsigned top_ = 0;
  std::vector<std::int8_t> state_;                // order of the free block that begins at this granule
  std::vector<std::uint32_t> list_index_;         // its index in the free list of that order
  std::vector<std::vector<std::uint32_t>> free_;  // free lists by order
};

}  // namespace orbweaver::transport::blocks
