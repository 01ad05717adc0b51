#include <orbweaver/streams/detail/reorder_window.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <orbweaver/streams/detail/time_limit.h>

namespace orbweaver::streams::detail {
namespace {

constexpr std::uint32_t kHalf = 1u << 31;

const ReorderOptions& checked(const ReorderOptions& options) {
  if (options.packets == 0 || options.packets > ReorderWindow::kMaxPackets || options.bytes == 0) {
    throw std::invalid_argument("reorder buffer: limits of " + std::to_string(options.packets) +
                                " packets and " + std::to_string(options.bytes) +
                                " bytes: must be greater than 0, packets at most " +
                                std::to_string(ReorderWindow::kMaxPackets));
  }
  return options;
}

}  // namespace

ReorderWindow::ReorderWindow(const ReorderOptions& options)
    : max_bytes_(std::min(checked(options).bytes, kFree - 1)), sizes_(options.packets, kFree),
      next_(options.first),
      jump_distance_(std::max(kMinJumpDistance, static_cast<std::uint32_t>(2 * options.packets))),
      skip_after_ns_(limit_ns("reorder buffer: skip_after", options.skip_after)) {}

std::size_t ReorderWindow::slot_of(std::uint32_t number) const noexcept {
  return (head_ + (number - next_)) % sizes_.size();
}

/// Continues the empty buffer at `number`.
void ReorderWindow::jump_to(std::uint32_t number) noexcept {
  ++counts_.jumps;
  next_ = number;
  skip_at_ns_.reset();
  refused_jump_.reset();  // to be pushed again
}

void ReorderWindow::forget_refused(std::uint32_t number) noexcept {
  if (lowest_refused_ == number) lowest_refused_.reset();
  if (refused_jump_ == number) refused_jump_.reset();
}

void ReorderWindow::finish() noexcept {
  finishing_ = true;
  lowest_refused_.reset();
  refused_jump_.reset();
}

/// Whether the number is a jump, or was one when a jump was refused: further packets of the old stream must
/// not delay the jump without limit.
bool ReorderWindow::is_jump(std::uint32_t number) const noexcept {
  const std::uint32_t ahead = number - next_;
  return std::min(ahead, next_ - number) >= jump_distance_ ||
         (refused_jump_ && ahead < kHalf && ahead >= jump_limit_ - next_);
}

PushResult ReorderWindow::push(std::uint32_t number, std::size_t bytes, std::size_t& slot) {
  if (bytes > max_bytes_) {
    ++counts_.too_large;
    return PushResult::too_large;
  }
  const std::uint32_t ahead = number - next_;
  if (is_jump(number)) {
    if (!is_empty() || refused_jump_) {
      if (!refused_jump_) jump_limit_ = next_ + jump_distance_;
      // Of the new stream, the lowest number: its first packets may be out of order, too.
      if (!refused_jump_ || *refused_jump_ - number < jump_distance_) refused_jump_ = number;
      return PushResult::queue_full;
    }
    jump_to(number);
  } else if (ahead >= kHalf) {
    ++counts_.late;
    return PushResult::dropped;
  } else if (ahead < sizes_.size() && sizes_[slot_of(number)] != kFree) {
    ++counts_.duplicates;
    return PushResult::dropped;
  } else if (ahead >= sizes_.size() || (ahead != 0 && counts_.bytes > max_bytes_ - bytes)) {
    if (!lowest_refused_ || ahead < *lowest_refused_ - next_) lowest_refused_ = number;
    return PushResult::queue_full;
  }
  slot = slot_of(number);
  sizes_[slot] = bytes;
  ++counts_.stored;
  counts_.bytes += bytes;
  counts_.peak_packets = std::max(counts_.peak_packets, ++counts_.packets);
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.bytes);
  return PushResult::accepted;
}

std::optional<std::size_t> ReorderWindow::take(std::int64_t now_ns) {
  if (!is_next_stored()) {
    if (is_empty() && refused_jump_) jump_to(*refused_jump_);
    if (!must_skip(now_ns)) return std::nullopt;
    skip();
    if (!is_next_stored()) return std::nullopt;
  }
  ++counts_.delivered;
  lowest_refused_.reset();  // to be pushed again
  return remove_next();
}

std::optional<std::size_t> ReorderWindow::discard() noexcept {
  if (counts_.packets == 0) return std::nullopt;
  while (!is_next_stored()) advance(1);
  ++counts_.discarded;
  return remove_next();
}

/// Frees the slot of the stored packet next_, and returns it.
std::size_t ReorderWindow::remove_next() noexcept {
  const std::size_t slot = head_;
  --counts_.packets;
  counts_.bytes -= std::exchange(sizes_[slot], kFree);
  advance(1);
  return slot;
}

void ReorderWindow::advance(std::uint32_t numbers) noexcept {
  head_ = (head_ + numbers) % sizes_.size();
  next_ += numbers;
  skip_at_ns_.reset();
}

/// Whether the missing packet next_ is to be skipped now. Starts the time-out when later packets exist.
bool ReorderWindow::must_skip(std::int64_t now_ns) {
  if (is_empty()) {
    skip_at_ns_.reset();
    return false;
  }
  if (finishing_ || refused_jump_) return true;
  if (!skip_at_ns_) skip_at_ns_ = add_limit_ns(now_ns, skip_after_ns_);
  return *skip_at_ns_ != std::numeric_limits<std::int64_t>::max() && now_ns >= *skip_at_ns_;
}

/// Continues with the lowest number that is stored or has been refused for lack of space.
void ReorderWindow::skip() {
  std::uint32_t missing = 0;
  if (counts_.packets != 0) {
    while (sizes_[(head_ + missing) % sizes_.size()] == kFree &&
           !(lowest_refused_ && next_ + missing == *lowest_refused_)) {
      ++missing;
    }
  } else {
    missing = *lowest_refused_ - next_;
  }
  advance(missing);
  counts_.skipped += missing;
  lowest_refused_.reset();  // to be pushed again
}

}  // namespace orbweaver::streams::detail
