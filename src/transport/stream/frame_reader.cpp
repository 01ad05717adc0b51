#include "transport/stream/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace orbweaver::transport {

Result<Bytes> FrameReader::take_with_care() {
  const std::size_t there = end_ - begin_;
  if (there < kFrameHeaderBytes) return Bytes{};
  std::uint8_t* const start = storage_.data() + begin_;
  if (length_ == 0) {
    const Result<std::size_t> length = frame_length_(Bytes(start, kFrameHeaderBytes));
    if (!length) return Error{Remedy::reconnect, length.error().message};
    if (*length < kFrameHeaderBytes) {
      return Error{Remedy::reconnect, "a frame announced " + std::to_string(*length) +
                                          " bytes, fewer than its header has"};
    }
    if (*length > max_frame_bytes_) {
      return Error{Remedy::reconnect, "a frame announced " + std::to_string(*length) +
                                          " bytes; the limit is " + std::to_string(max_frame_bytes_) +
                                          " (-ORBMaxMessageBytes)"};
    }
    length_ = *length;
  }
  if (there < length_) return Bytes{};
  if (waiting_) {
    waiting_ = false;
    share_->complete(storage_.grown() - std::min(storage_.grown(), length_));
  }
  if (const std::size_t askew = begin_ % 8; askew != 0) {
    std::memmove(start - askew, start, length_);
    begin_ -= askew;
    moved_by_ = askew;
  }
  return Bytes(storage_.data() + begin_, length_);
}

void FrameReader::release() noexcept {
  begin_ += length_ + moved_by_;
  moved_by_ = 0;
  if (begin_ == end_) {
    begin_ = end_ = 0;
    storage_.used(length_);
    if (share_ != nullptr && share_->counts() && !share_->done(storage_.grown())) {
      storage_.give_back();
      share_->done(0);
    }
  }
  length_ = 0;
}

void FrameReader::drop() noexcept {
  storage_.give_back();
  begin_ = end_ = length_ = moved_by_ = 0;
  waiting_ = false;
  if (share_ != nullptr) share_->done(0);
}

MutableBytes FrameReader::more_room() noexcept {
  const std::size_t there = end_ - begin_;
  const bool large = length_ > kLargeFrame;
  const std::size_t ahead = std::max(storage_.size(), kUsualBytes) / 2;
  const std::size_t wanted = large ? length_ : std::max(ahead, length_);
  if (begin_ + wanted > storage_.size()) {
    if (begin_ != 0) std::memmove(storage_.data(), storage_.data() + begin_, there);
    begin_ = 0;
    end_ = there;
    // Grow only when full, and only to twice what has arrived.
    if (end_ == storage_.size() && !storage_.grow(std::min(wanted, 2 * std::max(end_, ahead)), end_)) return {};
  }
  if (!hold()) return {};
  const std::size_t until = large ? begin_ + length_ : end_ + ahead;
  return MutableBytes(storage_.data() + end_, std::min(until, storage_.size()) - end_);
}

bool FrameReader::hold() noexcept {
  const std::size_t there = end_ - begin_;
  if (share_ == nullptr || there == 0) return true;
  waiting_ = true;
  const std::size_t grown = storage_.grown();
  return share_->hold(there, grown != 0 ? grown : there >= kLeastCounted ? there : 0);
}

}  // namespace orbweaver::transport
