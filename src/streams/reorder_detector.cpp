#include <orbweaver/streams/reorder_detector.h>

#include <algorithm>

namespace orbweaver::streams {
namespace {

/// The window as a power of two, so that the slots of consecutive numbers stay consecutive at the wrap.
std::uint32_t rounded(std::uint32_t window) {
  std::uint32_t slots = 1;
  while (slots < std::min(window, ReorderDetector::kMaxWindow)) slots *= 2;
  return slots;
}

}  // namespace

ReorderDetector::ReorderDetector(std::uint32_t window) : window_(rounded(window)), missing_(window_) {}

ReorderDetector::Arrival ReorderDetector::observe(std::uint32_t number) {
  ++counts_.received;
  if (known_ == 0) {
    start_at(number);
    return Arrival::in_order;
  }
  // Modulo 2^32: one of the two distances is at most 2^31.
  const std::uint32_t ahead = number - highest_;
  const std::uint32_t behind = highest_ - number;
  if (std::min(ahead, behind) >= window_ && ahead != 1) {
    ++counts_.jumps;
    start_at(number);
    return Arrival::jump;
  }
  return ahead != 0 && ahead < behind ? observe_ahead(number, ahead) : observe_behind(number, behind);
}

void ReorderDetector::start_at(std::uint32_t number) {
  highest_ = number;
  known_ = 1;
  missing_[number % window_] = false;
}

ReorderDetector::Arrival ReorderDetector::observe_ahead(std::uint32_t number, std::uint32_t distance) {
  for (std::uint32_t between = highest_ + 1; between != number; ++between) missing_[between % window_] = true;
  missing_[number % window_] = false;
  counts_.missing += distance - 1;
  highest_ = number;
  known_ = std::min(window_, known_ + distance);
  return distance == 1 ? Arrival::in_order : Arrival::gap;
}

ReorderDetector::Arrival ReorderDetector::observe_behind(std::uint32_t number, std::uint32_t distance) {
  if (distance >= known_) {  // lower than all numbers so far
    for (std::uint32_t between = number + 1; between != highest_ - (known_ - 1); ++between) {
      missing_[between % window_] = true;
    }
    counts_.missing += distance - known_;
    known_ = distance + 1;
  } else if (!missing_[number % window_]) {
    ++counts_.duplicates;
    return Arrival::duplicate;
  } else {
    --counts_.missing;
  }
  missing_[number % window_] = false;
  ++counts_.reordered;
  return Arrival::reordered;
}

}  // namespace orbweaver::streams
