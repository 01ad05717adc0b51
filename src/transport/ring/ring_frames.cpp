#include "transport/ring/ring_frames.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "transport/channel_state.h"

namespace orbweaver::transport {

using shm::FrameKind;
using shm::RingReader;

namespace {

[[gnu::cold]] Error malformed_error(const char* what) { return {ErrorKind::disconnected, what}; }
/// "no memory for a frame of more than 4096 bytes" and the like.
[[gnu::cold]] Error size_error(const char* what, std::size_t bytes, const std::string& more = {}) {
  return {ErrorKind::disconnected, what + std::to_string(bytes) + " bytes" + more};
}

}  // namespace

[[gnu::cold]] Error RingFrames::disconnected_error() const {
  return Error{ErrorKind::disconnected,
               connection_.closed ? "the connection was closed at this end" : "the peer has disconnected"};
}

Result<MutableBytes> RingFrames::claim_in_buffer(std::size_t bytes) {
  if (bytes > options_.max_frame_bytes) return frame_limit_error(bytes, options_.max_frame_bytes);
  claimed_in_ring_ = false;
  if (connection_.has_ended()) return disconnected_error();
  if (!outgoing_.grow(bytes, 0)) return no_memory_for_frame_error(bytes);
  return MutableBytes(outgoing_.data(), bytes);
}

Result<void> RingFrames::send(Bytes frame, Deadline deadline, bool& broken) {
  Result<MutableBytes> room = claim(frame.size(), deadline);
  if (!room) return room.take_error();
  std::memcpy(room->data(), frame.data(), frame.size());
  return commit(frame.size(), deadline, broken);
}

Result<void> RingFrames::queue(std::size_t bytes, Deadline deadline, bool& broken) {
  if (!claimed_in_ring_) return commit(bytes, deadline, broken);
  if (connection_.has_ended()) return disconnected_error();
  writer_.queue(bytes, FrameKind::frame);
  return {};
}

Result<void> RingFrames::flush() {
  if (connection_.has_ended()) return disconnected_error();
  writer_.publish_queued();
  return {};
}

Result<void> RingFrames::commit_special(std::size_t bytes, Deadline deadline, bool& broken) {
  if (connection_.has_ended()) return disconnected_error();
  return commit_parts(bytes, deadline, broken);
}

Result<void> RingFrames::commit_parts(std::size_t bytes, Deadline deadline, bool& broken) {
  // Parts of a quarter of the ring, so that the reader copies one while the next is written.
  const std::size_t part_bytes = writer_.max_piece() / 2;
  for (std::size_t sent = 0; sent < bytes;) {
    const std::size_t now = std::min(part_bytes, bytes - sent);
    Result<MutableBytes> room = writer_.claim(now, deadline);
    if (!room) {
      broken = sent > 0;  // the peer expects the rest, and would take later data for it
      return room.take_error();
    }
    std::memcpy(room->data(), outgoing_.data() + sent, now);
    sent += now;
    writer_.publish(now, sent == bytes ? FrameKind::last : FrameKind::part);
  }
  outgoing_.note_use(bytes);
  return {};
}

Result<Bytes> RingFrames::receive_other(Entry entry, Deadline deadline) {
  Result<RingReader::Piece> piece = entry.frame.empty()
                                        ? reader_.receive_other(entry.word)
                                        : Result<RingReader::Piece>({FrameKind::frame, entry.frame});
  if (!piece) {
    if (piece.error().kind == ErrorKind::disconnected) drop();
    return piece.take_error();
  }
  if (piece->kind != FrameKind::frame || assembled_ != 0) return receive_parts(*piece, deadline);
  return check(piece->bytes);
}

Result<Bytes> RingFrames::receive_parts(RingReader::Piece piece, Deadline deadline) {
  // the rest of a frame whose beginning was discarded
  if (assembled_ == kDropped) return disconnected_error();
  Result<Bytes> frame = assemble(piece, deadline);
  if (!frame && frame.error().kind == ErrorKind::disconnected) drop();
  return frame;
}

Result<Bytes> RingFrames::assemble(RingReader::Piece piece, Deadline deadline) {
  for (;;) {
    if (piece.kind == FrameKind::frame || piece.bytes.empty()) {
      return malformed_error("a frame begins inside a partial frame");
    }
    const std::size_t total = assembled_ + piece.bytes.size();
    if (total > options_.max_frame_bytes) {
      return size_error(
          "a frame of at least ", total,
          "; the limit is " + std::to_string(options_.max_frame_bytes) + " (-ORBMaxMessageBytes)");
    }
    if (total > incoming_.size()) {
      Result<std::size_t> size = buffer_size_for(Bytes(incoming_.data(), assembled_), total, options_);
      if (!size) return size.take_error();
      if (!incoming_.grow(*size, assembled_)) return size_error("no memory for a frame of more than ", total);
    }
    std::memcpy(incoming_.data() + assembled_, piece.bytes.data(), piece.bytes.size());
    reader_.release();
    assembled_ = total;
    if (piece.kind == FrameKind::last) {
      assembled_ = 0;
      large_received_ = total;
      share_.complete(incoming_.size() - total);
      return checked_frame(Bytes(incoming_.data(), total), options_);
    }
    if (!share_.hold(assembled_, incoming_.size())) {
      return size_error("receive budget exhausted (-ORBTune receive-bytes) by a frame of more than ",
                        assembled_);
    }
    Result<RingReader::Piece> next = reader_.receive(deadline);
    if (!next) return next.take_error();  // at the deadline the parts received are kept for the next call
    piece = *next;
  }
}

/// As checked_frame, from a copy of the header, which is kept for the comparison with the next frame.
Result<Bytes> RingFrames::check(Bytes frame) {
  checked_bytes_ = kNoneChecked;
  if (frame.size() < kFrameHeaderBytes || frame.size() > options_.max_frame_bytes)
    return describe_bad_frame(frame, options_, nullptr);
  std::memcpy(checked_words_, frame.data(), sizeof checked_words_);
  const Result<std::size_t> length =
      options_.frame_length({reinterpret_cast<const std::uint8_t*>(checked_words_), sizeof checked_words_});
  if (!length || *length != frame.size()) return describe_bad_frame(frame, options_, &length);
  checked_bytes_ = frame.size();
  return frame;
}

void RingFrames::drop() noexcept {
  assembled_ = kDropped;
  large_received_ = 0;
  incoming_.release_memory();
  share_.done(0);
}

void RingFrames::release_parts() noexcept {
  incoming_.note_use(large_received_);
  large_received_ = 0;
  if (share_.done(incoming_.size())) return;
  incoming_.release_memory();
  share_.done(0);
}

}  // namespace orbweaver::transport
