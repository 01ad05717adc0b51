#include "transport/udp/reassembly.h"

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

Result<Bytes> Reassembly::take(const Part& part) noexcept {
  const PartHeader& header = part.header;
  if (!is_wanted(header)) return Bytes();
  if (header.frame_bytes > max_frame_bytes_) {
    return Error{Remedy::reconnect, "a frame announced " + std::to_string(header.frame_bytes) + " bytes; the limit is " +
                                        std::to_string(max_frame_bytes_)};
  }
  if (current_.parts == 0 || header.frame != current_.frame) {
    counters_.frames_lost.add(header.frame - done_ - 1);  // the one in work among them
    done_ = header.frame - 1;
    done_was_delivered_ = false;
    current_ = header;
    missing_ = header.parts;
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
  if (!in_place) {
    if (!storage_.grow(header.frame_bytes, 0)) return no_memory_for(header.frame_bytes);
    std::memcpy(storage_.data() + std::size_t{header.part} * header.stride, part.bytes.data(), part.bytes.size());
  }
  if (--missing_ > 0) return Bytes();
  done_ = header.frame;
  done_was_delivered_ = true;
  current_ = {};
  ++counters_.frames;
  if (in_place) return part.bytes;
  in_use_ = header.frame_bytes;
  return Bytes(storage_.data(), in_use_);
}

void Reassembly::end(std::uint32_t last_frame) noexcept {
  if (static_cast<std::int32_t>(last_frame - done_) <= 0) return;
  counters_.frames_lost.add(last_frame - done_);
  done_ = last_frame;
  done_was_delivered_ = false;
  current_ = {};
}

void Reassembly::release() noexcept {
  if (in_use_ == 0) return;
  storage_.used(in_use_);
  in_use_ = 0;
}

}  // namespace orbweaver::transport::datagram
