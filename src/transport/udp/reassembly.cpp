#include "transport/udp/reassembly.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace orbweaver::transport::datagram {

/// Whether a part belongs to the frame in work or begins a later one, which is then the frame in work.
bool Reassembly::is_wanted(const PartHeader& header) noexcept {
  // By the difference: numbers may wrap.
  const auto ahead = static_cast<std::int32_t>(header.frame - done_);
  if (ahead <= 0) {
    ++(ahead == 0 && done_was_delivered_ ? counters_.duplicates : counters_.late);
    return false;
  }
  if (current_.parts != 0 && header.frame == current_.frame) {
    const bool same = header.parts == current_.parts && header.frame_bytes == current_.frame_bytes &&
                      header.stride == current_.stride;
    if (!same) ++counters_.malformed;
    return same;
  }
  return true;
}

Error Reassembly::no_memory_for(std::uint32_t bytes) const {
  return Error{Remedy::reconnect, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
}

Result<Bytes> Reassembly::take(const Part& part) {
  const PartHeader& header = part.header;
  if (!is_wanted(header)) return Bytes();
  if (header.frame_bytes > max_frame_bytes_) {
    return Error{Remedy::reconnect, "a frame announced " + std::to_string(header.frame_bytes) + " bytes; the limit is " +
                                        std::to_string(max_frame_bytes_) + " (-ORBMaxMessageBytes)"};
  }
  if (current_.parts == 0 || header.frame != current_.frame) {
    counters_.frames_lost.add(header.frame - done_ - 1);  // the one in work among them
    done_ = header.frame - 1;
    done_was_delivered_ = false;
    current_ = header;
    stride_ = header.stride;
    missing_ = header.parts;
    kept_ = 0;
    order_.clear();
    came_in_order_ = true;
    try {
      seen_.assign((header.parts + 63u) / 64u, 0);
    } catch (const std::bad_alloc&) {
      return no_memory_for(header.frame_bytes);
    }
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
  if (share_ != nullptr)
    share_->complete(storage_bytes() - std::min<std::size_t>(storage_bytes(), header.frame_bytes));
  done_ = header.frame;
  done_was_delivered_ = true;
  current_ = {};
  ++counters_.frames;
  if (in_place) {
    give_up_storage();
    return part.bytes;
  }
  in_use_ = header.frame_bytes;
  if (came_in_order_) return Bytes(storage_.data(), in_use_);
  const Bytes whole = in_order();
  if (whole.empty()) return no_memory_for(header.frame_bytes);
  return whole;
}

/// Behind the parts that are there. Room for what has arrived, and as much again at most, whatever is announced.
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

/// The frame in use, whose parts are all there. Empty: no memory.
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
  if (static_cast<std::int32_t>(last_frame - done_) <= 0) return;
  counters_.frames_lost.add(last_frame - done_);
  done_ = last_frame;
  done_was_delivered_ = false;
  current_ = {};
  give_up_storage();
}

/// What a frame that was given up has left, where the budget counts it.
void Reassembly::give_up_storage() noexcept {
  if (in_use_ != 0 || share_ == nullptr || !share_->counts()) return;
  storage_.give_back();
  ordered_.give_back();
  share_->done(0);
}

void Reassembly::release() noexcept {
  if (in_use_ == 0) return;
  storage_.used(in_use_);
  ordered_.used(came_in_order_ ? 0 : in_use_);
  in_use_ = 0;
  if (share_ == nullptr || share_->done(storage_.grown() + ordered_.grown())) return;
  storage_.give_back();
  ordered_.give_back();
  share_->done(0);
}

}  // namespace orbweaver::transport::datagram
