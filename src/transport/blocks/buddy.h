#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orbweaver::transport::blocks {

/// Divides a range into blocks of powers of two, from one granule on, and joins free neighbours again. It
/// never touches the range itself. One thread at a time; allocates only when made.
class Buddy {
 public:
  static constexpr std::size_t kGranule = 4096;
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// `bytes`: a power of two of granules.
  explicit Buddy(std::size_t bytes) : granules_(bytes / kGranule) {
    while ((std::size_t{1} << top_) < granules_) ++top_;
    state_.assign(granules_, kInside);
    place_.assign(granules_, 0);
    free_.resize(top_ + 1u);
    for (unsigned order = 0; order <= top_; ++order) free_[order].reserve(granules_ >> order);
    put(0, top_);
  }

  /// What `take(bytes)` really takes.
  static std::size_t rounded(std::size_t bytes) noexcept {
    std::size_t size = kGranule;
    while (size < bytes && size <= kNone / 4) size *= 2;
    return size;
  }
  /// The offset of a block of rounded(bytes), aligned to that; kNone where there is none.
  std::size_t take(std::size_t bytes) noexcept {
    const std::size_t wanted = rounded(bytes) / kGranule;
    unsigned order = 0;
    while (order <= top_ && ((std::size_t{1} << order) < wanted || free_[order].empty())) ++order;
    if (order > top_) return kNone;
    const std::uint32_t at = free_[order].back();
    unlink(at, order);
    for (; (std::size_t{1} << order) > wanted; --order) put(at + (1u << (order - 1)), order - 1);
    used_ += wanted;
    return at * kGranule;
  }
  void give_back(std::size_t offset, std::size_t bytes) noexcept {
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
  static constexpr std::int8_t kInside = -1;  // in use, or in the middle of a free block

  void put(std::uint32_t at, unsigned order) noexcept {
    state_[at] = static_cast<std::int8_t>(order);
    place_[at] = static_cast<std::uint32_t>(free_[order].size());
    free_[order].push_back(at);
  }
  void unlink(std::uint32_t at, unsigned order) noexcept {
    state_[at] = kInside;
    const std::uint32_t last = free_[order].back();
    free_[order][place_[at]] = last;
    place_[last] = place_[at];
    free_[order].pop_back();
  }

  std::size_t granules_;
  std::size_t used_ = 0;
  unsigned top_ = 0;
  std::vector<std::int8_t> state_;                 // of a free block's first granule: its order
  std::vector<std::uint32_t> place_;               // … and where it stands in its list
  std::vector<std::vector<std::uint32_t>> free_;   // by order
};

}  // namespace orbweaver::transport::blocks
