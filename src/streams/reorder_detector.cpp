#include <orbweaver/streams/reorder_detector.h>

#include <algorithm>

namespace orbweaver::streams {
namespace {

/// Largest number of this width.
std::uint64_t largest(unsigned bits) { return ~std::uint64_t{0} >> (64 - std::clamp(bits, 1u, 64u)); }

/// The window as a power of two, so that the slots of consecutive numbers stay consecutive at the wrap; at
/// most half of the numbers.
std::uint32_t rounded(std::uint32_t window, std::uint64_t largest) {
  const std::uint64_t most = std::min<std::uint64_t>({window, ReorderDetector::kMaxWindow, largest / 2 + 1});
  std::uint32_t slots = 1;
  while (slots < most) slots *= 2;
  return slots;
}

}  // namespace

ReorderDetector::ReorderDetector(std::uint32_t window, unsigned bits, std::optional<std::uint64_t> first)
    : mask_(largest(bits)), window_(rounded(window, mask_)), missing_(window_), started_(first.has_value()),
      highest_((first.value_or(0) - 1) & mask_) {}

ReorderDetector::Arrival ReorderDetector::observe(std::uint64_t number) {
  ++counts_.received;
  number &= mask_;
  if (!started_) {
    start_at(number);
    return Arrival::in_order;
  }
  // Modulo 2^bits: one of the two distances is at most half of the numbers.
  const std::uint64_t ahead = (number - highest_) & mask_;
  const std::uint64_t behind = (highest_ - number) & mask_;
  if (std::min(ahead, behind) >= window_ && ahead != 1) {
    ++counts_.jumps;
    start_at(number);
    return Arrival::jump;
  }
  return ahead != 0 && (ahead == 1 || ahead < behind)
             ? observe_ahead(number, static_cast<std::uint32_t>(ahead))
             : observe_behind(number, static_cast<std::uint32_t>(behind));
}

void ReorderDetector::start_at(std::uint64_t number) {
  started_ = true;
  highest_ = number;
  known_ = 1;
  missing_[index(number)] = false;
}

ReorderDetector::Arrival ReorderDetector::observe_ahead(std::uint64_t number, std::uint32_t distance) {
  for (std::uint32_t i = 1; i < distance; ++i) missing_[index(highest_ + i)] = true;
  missing_[index(number)] = false;
  counts_.missing += distance - 1;
  highest_ = number;
  known_ = std::min(window_, known_ + distance);
  return distance == 1 ? Arrival::in_order : Arrival::gap;
}

ReorderDetector::Arrival ReorderDetector::observe_behind(std::uint64_t number, std::uint32_t distance) {
  if (distance >= known_) {  // lower than all numbers so far
    for (std::uint32_t i = 1; i <= distance - known_; ++i) missing_[index(number + i)] = true;
    counts_.missing += distance - known_;
    known_ = distance + 1;
  } else if (!missing_[index(number)]) {
    ++counts_.duplicates;
    return Arrival::duplicate;
  } else {
    --counts_.missing;
  }
  missing_[index(number)] = false;
  ++counts_.reordered;
  return Arrival::reordered;
}

}  // namespace orbweaver::streams
