#include "transport/udp/reassembly.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace orbweaver::transport::udp {

/// Returns whether a part belongs to the partial frame or begins a later one, which then replaces it.
bool Reassembly::accepts_part(const PartHeader& header) noexcept {
  // By the difference, as numbers may wrap.
  const auto ahead = static_cast<std::int32_t>(header.frame - last_done_);
  if (ahead <= 0) {
    ++(ahead == 0 && last_was_delivered_ ? counters_.duplicates : counters_.late);
    return false;
  }
  if (partial_frame_.parts != 0 && header.frame == partial_frame_.frame) {
    const bool same = header.parts == partial_frame_.parts &&
                      header.frame_bytes == partial_frame_.frame_bytes &&
                      header.stride == partial_frame_.stride;
    if (!same) ++counters_.malformed;
    return same;
  }
  return true;
}

Error Reassembly::no_memory_for(std::uint32_t bytes) const {
  return Error{ErrorKind::disconnected, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
}

/// Begins another frame. False: no memory.
bool Reassembly::begin_frame(const PartHeader& header) noexcept try {
  counters_.frames_lost.add(header.frame - last_done_ - 1);  // including the partial frame
  last_done_ = header.frame - 1;
  last_was_delivered_ = false;
  partial_frame_ = header;
  stride_ = header.stride;
  missing_ = header.parts;
  kept_ = 0;
  order_.clear();
  came_in_order_ = true;
  seen_.assign((header.parts + 63u) / 64u, 0);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

Result<Bytes> Reassembly::take(const Part& part) {
  const PartHeader& header = part.header;
  if (!accepts_part(header)) return Bytes();
  if (header.frame_bytes > max_frame_bytes_) {
    return Error{ErrorKind::disconnected, "a frame announced " + std::to_string(header.frame_bytes) +
                                              " bytes; the limit is " + std::to_string(max_frame_bytes_) +
                                              " (-ORBMaxMessageBytes)"};
  }
  if (partial_frame_.parts == 0 || header.frame != partial_frame_.frame) {
    if (!begin_frame(header)) return no_memory_for(header.frame_bytes);
  }
  std::uint64_t& word = seen_[header.part / 64];
  const std::uint64_t bit = std::uint64_t{1} << (header.part % 64);
  if ((word & bit) != 0) {
    ++counters_.duplicates;
    return Bytes();
  }
  word |= bit;
  const bool in_place = header.parts == 1 && reinterpret_cast<std::uintptr_t>(part.bytes.data()) % 8 == 0;
  if (!in_place && !keep(part)) return no_memory_for(header.frame_bytes);
  if (--missing_ > 0) {
    if (share_ == nullptr || share_->hold(kept_, storage_bytes())) return Bytes();
    return no_memory_for(header.frame_bytes);
  }
  return complete_frame(header, in_place ? part.bytes : Bytes());
}

/// Ends the frame in progress and returns it. `in_place`: the whole frame; empty: it is in `storage_`.
Result<Bytes> Reassembly::complete_frame(const PartHeader& header, Bytes in_place) {
  if (share_ != nullptr)
    share_->complete(storage_bytes() - std::min<std::size_t>(storage_bytes(), header.frame_bytes));
  last_done_ = header.frame;
  last_was_delivered_ = true;
  partial_frame_ = {};
  ++counters_.frames;
  if (!in_place.empty()) {
    release_incomplete();
    return in_place;
  }
  in_use_ = header.frame_bytes;
  if (came_in_order_) return Bytes(storage_.data(), in_use_);
  const Bytes whole = in_order();
  if (whole.empty()) return no_memory_for(header.frame_bytes);
  return whole;
}

/// Appends a part. The buffer grows with the bytes that have arrived, at most to twice those, whatever length
/// is announced.
bool Reassembly::keep(const Part& part) noexcept try {
  const std::size_t end = kept_ + part.bytes.size();
  if (end > storage_.size()) {
    const std::size_t wanted = std::max(end, std::min<std::size_t>(part.header.frame_bytes, 2 * kept_));
    if (!storage_.grow(wanted, kept_)) return false;
  }
  came_in_order_ = came_in_order_ && order_.size() == part.header.part;
  order_.push_back(part.header.part);
  std::memcpy(storage_.data() + kept_, part.bytes.data(), part.bytes.size());
  kept_ = end;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

/// Returns the complete frame with its parts in order. Empty: no memory.
Bytes Reassembly::in_order() noexcept {
  if (!ordered_.grow(in_use_, 0)) return {};
  const std::uint8_t* from = storage_.data();
  for (const std::uint16_t part : order_) {
    const std::size_t at = std::size_t{part} * stride_;
    const std::size_t bytes = std::min<std::size_t>(stride_, in_use_ - at);
    std::memcpy(ordered_.data() + at, from, bytes);
    from += bytes;
  }
  return Bytes(ordered_.data(), in_use_);
}

void Reassembly::end(std::uint32_t last_frame) noexcept {
  if (static_cast<std::int32_t>(last_frame - last_done_) <= 0) return;
  counters_.frames_lost.add(last_frame - last_done_);
  last_done_ = last_frame;
  last_was_delivered_ = false;
  partial_frame_ = {};
  release_incomplete();
}

/// Frees the buffer of an incomplete frame that was abandoned, if the budget counts it.
void Reassembly::release_incomplete() noexcept {
  if (in_use_ != 0 || share_ == nullptr || !share_->counts()) return;
  storage_.release_memory();
  ordered_.release_memory();
  share_->done(0);
}

void Reassembly::release() noexcept {
  if (in_use_ == 0) return;
  storage_.note_use(in_use_);
  ordered_.note_use(came_in_order_ ? 0 : in_use_);
  in_use_ = 0;
  if (share_ == nullptr || share_->done(storage_.grown() + ordered_.grown())) return;
  storage_.release_memory();
  ordered_.release_memory();
  share_->done(0);
}

}  // namespace orbweaver::transport::udp
