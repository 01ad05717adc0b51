#include "transport/mqueue/message_frames.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "transport/checked_frame.h"

namespace orbweaver::transport::mqueue {

MutableBytes MessageFrames::room() noexcept {
  if (!message_.grow(message_bytes_, 0)) return {};
  return MutableBytes(message_.data(), message_bytes_);
}

Result<Bytes> MessageFrames::next_frame() {
  if (assembled_frame_bytes_ != 0) return Bytes(parts_.data(), assembled_frame_bytes_);
  if (size_ == 0) return Bytes{};
  if (at_ != 0) return next_of_batch();
  MessageHeader header{};
  if (size_ > kHeaderBytes) std::memcpy(&header, message_.data(), kHeaderBytes);
  const Bytes bytes = Bytes(message_.data(), size_).subspan(std::min(kHeaderBytes, size_));
  const bool is_part = header.kind == kPart || header.kind == kLast;
  if (header.zero != 0 || (header.kind != kFrame && header.kind != kFrames && !is_part)) {
    return Error{ErrorKind::disconnected, "a message of " + std::to_string(size_) + " bytes without a frame"};
  }
  if (is_part) return assemble(bytes, header.kind == kLast);
  if (assembled_ > 0) return Error{ErrorKind::disconnected, "a frame begins inside a partial frame"};
  if (header.kind == kFrame) return checked_frame(bytes, options_);
  at_ = kHeaderBytes;
  return next_of_batch();
}

/// Adds a part; returns the frame if it is the last one.
Result<Bytes> MessageFrames::assemble(Bytes part, bool is_last) {
  if (Result<void> added = add_part(part); !added) return added.take_error();
  size_ = 0;
  if (!is_last) {
    if (share_ == nullptr || share_->hold(assembled_, parts_.size())) return Bytes{};
    return Error{ErrorKind::disconnected,
                 "receive budget exhausted (-ORBTune receive-bytes) by a frame of more than " +
                     std::to_string(assembled_) + " bytes"};
  }
  if (share_ != nullptr) share_->complete(parts_.size() - assembled_);
  assembled_frame_bytes_ = assembled_;
  assembled_ = 0;
  return checked_frame(Bytes(parts_.data(), assembled_frame_bytes_), options_);
}

/// Returns the next frame of a message with several; its header has its length.
Result<Bytes> MessageFrames::next_of_batch() {
  const Bytes left = Bytes(message_.data(), size_).subspan(at_);
  if (left.size() < kFrameHeaderBytes) return describe_bad_frame(left, options_, nullptr);
  const Result<std::size_t> length = options_.frame_length(left.first(kFrameHeaderBytes));
  if (!length || *length > left.size()) return describe_bad_frame(left, options_, &length);
  length_ = *length;
  return checked_frame(left.first(length_), options_);
}

void MessageFrames::release() noexcept {
  if (assembled_frame_bytes_ != 0) {
    parts_.note_use(assembled_frame_bytes_);
    assembled_frame_bytes_ = 0;
    if (share_ != nullptr && !share_->done(parts_.size())) {
      parts_.release_memory();
      share_->done(0);
    }
    return;
  }
  at_ = at_ == 0 ? size_ : round_up(at_ + length_, 8);
  length_ = 0;
  if (at_ < size_) return;
  size_ = at_ = 0;
}

void MessageFrames::drop() noexcept {
  message_.release_memory();
  parts_.release_memory();
  size_ = at_ = length_ = assembled_ = assembled_frame_bytes_ = 0;
  if (share_ != nullptr) share_->done(0);
}

namespace {

[[gnu::cold]] Error too_long(std::size_t bytes, std::size_t limit) {
  return {ErrorKind::disconnected, "a frame of at least " + std::to_string(bytes) + " bytes; the limit is " +
                                       std::to_string(limit) + " (-ORBMaxMessageBytes)"};
}
[[gnu::cold]] Error no_memory(std::size_t bytes) {
  return {ErrorKind::disconnected, "no memory for a frame of more than " + std::to_string(bytes) + " bytes"};
}

}  // namespace

Result<void> MessageFrames::add_part(Bytes part) {
  const std::size_t total = assembled_ + part.size();
  if (total > options_.max_frame_bytes) return too_long(total, options_.max_frame_bytes);
  if (total > parts_.size()) {
    Result<std::size_t> size = buffer_size_for(Bytes(parts_.data(), assembled_), total, options_);
    if (!size) return size.take_error();
    if (!parts_.grow(*size, assembled_)) return no_memory(total);
  }
  std::memcpy(parts_.data() + assembled_, part.data(), part.size());
  assembled_ = total;
  return {};
}

}  // namespace orbweaver::transport::mqueue
