#include "transport/stream/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace orbweaver::transport {

namespace {

[[gnu::cold]] Error too_short(std::size_t bytes) {
  return {ErrorKind::disconnected,
          "a frame announced " + std::to_string(bytes) + " bytes, fewer than its header has"};
}
[[gnu::cold]] Error too_long(std::size_t bytes, std::size_t limit) {
  return {ErrorKind::disconnected, "a frame announced " + std::to_string(bytes) + " bytes; the limit is " +
                                       std::to_string(limit) + " (-ORBMaxMessageBytes)"};
}

}  // namespace

Result<Bytes> FrameReader::next_frame_slow() {
  const std::size_t available = end_ - begin_;
  if (available < kFrameHeaderBytes) return Bytes{};
  std::uint8_t* const start = storage_.data() + begin_;
  if (length_ == 0) {
    const Result<std::size_t> length = frame_length_(Bytes(start, kFrameHeaderBytes));
    if (!length) return Error{ErrorKind::disconnected, length.error().message};
    if (*length < kFrameHeaderBytes) return too_short(*length);
    if (*length > max_frame_bytes_) return too_long(*length, max_frame_bytes_);
    length_ = *length;
  }
  if (available < length_) return Bytes{};
  if (partial_reported_) {
    partial_reported_ = false;
    share_->complete(storage_.grown() - std::min(storage_.grown(), length_));
  }
  if (const std::size_t misalignment = begin_ % 8; misalignment != 0) {
    std::memmove(start - misalignment, start, length_);
    begin_ -= misalignment;
    moved_by_ = misalignment;
  }
  return Bytes(storage_.data() + begin_, length_);
}

void FrameReader::release() noexcept {
  begin_ += length_ + moved_by_;
  moved_by_ = 0;
  if (begin_ == end_) {
    begin_ = end_ = 0;
    storage_.note_use(length_);
    if (share_ != nullptr && share_->counts() && !share_->done(storage_.grown())) {
      storage_.release_memory();
      share_->done(0);
    }
  }
  length_ = 0;
}

void FrameReader::drop() noexcept {
  storage_.release_memory();
  begin_ = end_ = length_ = moved_by_ = 0;
  partial_reported_ = false;
  if (share_ != nullptr) share_->done(0);
}

MutableBytes FrameReader::more_room() noexcept {
  const std::size_t available = end_ - begin_;
  const bool large = length_ > kLargeFrame;
  const std::size_t ahead = std::max(storage_.size(), kUsualBytes) / 2;
  const std::size_t needed = large ? length_ : std::max(ahead, length_);
  if (begin_ + needed > storage_.size()) {
    if (begin_ != 0) std::memmove(storage_.data(), storage_.data() + begin_, available);
    begin_ = 0;
    end_ = available;
    // Grows only when full, and at most to twice the bytes that have arrived.
    if (end_ == storage_.size() && !storage_.grow(std::min(needed, 2 * std::max(end_, ahead)), end_))
      return {};
  }
  if (!hold()) return {};
  const std::size_t until = large ? begin_ + length_ : end_ + ahead;
  return MutableBytes(storage_.data() + end_, std::min(until, storage_.size()) - end_);
}

bool FrameReader::hold() noexcept {
  const std::size_t available = end_ - begin_;
  if (share_ == nullptr || available == 0) return true;
  partial_reported_ = true;
  const std::size_t grown = storage_.grown();
  return share_->hold(available, grown != 0 ? grown : available >= kMinCountedBytes ? available : 0);
}

}  // namespace orbweaver::transport
