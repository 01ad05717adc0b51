#include <orbweaver/streams/reorder_buffer.h>

#include <algorithm>
#include <limits>

namespace orbweaver::streams {
namespace {

constexpr std::uint32_t kHalf = 1u << 31;

}  // namespace

ReorderWindow::ReorderWindow(std::size_t packets, std::int64_t timeout_ns, std::uint32_t first)
    : used_(std::clamp<std::size_t>(packets, 1, kMaxPackets)), next_(first),
      jump_distance_(std::max(kMinJumpDistance, static_cast<std::uint32_t>(2 * used_.size()))),
      timeout_ns_(std::max<std::int64_t>(timeout_ns, 0)) {}

std::size_t ReorderWindow::slot_of(std::uint32_t number) const noexcept {
  return (head_ + (number - next_)) % used_.size();
}

/// Continues the empty buffer at `number`.
void ReorderWindow::jump_to(std::uint32_t number) noexcept {
  ++counts_.jumps;
  next_ = number;
  jump_.reset();
  beyond_.reset();
  skip_at_ns_.reset();
}

ReorderWindow::Offer ReorderWindow::offer(std::uint32_t number, std::size_t& slot) {
  if (jump_) return Offer::full;
  const std::uint32_t ahead = number - next_;  // modulo 2^32
  if (std::min(ahead, next_ - number) >= jump_distance_) {
    if (stored_ != 0) {
      jump_ = number;
      return Offer::full;
    }
    jump_to(number);
  } else if (ahead >= kHalf) {
    ++counts_.late;
    return Offer::late;
  } else if (ahead >= used_.size()) {
    if (!beyond_ || ahead < *beyond_ - next_) beyond_ = number;
    return Offer::full;
  }
  slot = slot_of(number);
  if (used_[slot]) {
    ++counts_.duplicates;
    return Offer::duplicate;
  }
  used_[slot] = true;
  ++stored_;
  ++counts_.stored;
  return Offer::stored;
}

std::optional<std::size_t> ReorderWindow::take(std::int64_t now_ns) {
  if (!used_[head_]) {
    if (!gives_up(now_ns)) return std::nullopt;
    skip();
    if (!used_[head_]) return std::nullopt;
  }
  skip_at_ns_.reset();
  const std::size_t slot = head_;
  used_[slot] = false;
  --stored_;
  ++counts_.delivered;
  head_ = (head_ + 1) % used_.size();
  ++next_;
  if (beyond_ && *beyond_ - next_ < used_.size()) beyond_.reset();  // has room now, is offered again
  if (jump_ && stored_ == 0) jump_to(*jump_);
  return slot;
}

/// Whether the missing packet next_ is to be skipped now. Starts the time-out when later packets exist.
bool ReorderWindow::gives_up(std::int64_t now_ns) {
  if (stored_ == 0 && !beyond_) return false;
  if (finishing_ || jump_) return true;
  if (!skip_at_ns_) {
    constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
    skip_at_ns_ = now_ns > kNever - timeout_ns_ ? kNever : now_ns + timeout_ns_;
  }
  return now_ns >= *skip_at_ns_;
}

/// Continues with the next stored packet, or, if there is none, with the lowest one refused.
void ReorderWindow::skip() {
  std::uint32_t missing = 0;
  if (stored_ != 0) {
    while (!used_[head_]) {
      head_ = (head_ + 1) % used_.size();
      ++missing;
    }
  } else {
    missing = *beyond_ - next_;
  }
  counts_.skipped += missing;
  next_ += missing;
  skip_at_ns_.reset();
  if (beyond_ && *beyond_ - next_ < used_.size()) beyond_.reset();
}

}  // namespace orbweaver::streams
