#include "transport/ring/ring_frames.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace orbweaver::transport {

using shmem::Kind;
using shmem::RingReader;

Error RingFrames::gone() const {
  return Error{Remedy::reconnect, life_.closed ? "the connection was closed at this end" : "the peer has gone"};
}

Result<MutableBytes> RingFrames::claim_apart(std::size_t bytes) {
  if (bytes > options_.max_frame_bytes) {
    return Error{Remedy::give_up, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                      std::to_string(options_.max_frame_bytes)};
  }
  claimed_in_ring_ = false;
  if (life_.closed || life_.peer_gone) return gone();
  if (!outgoing_.grow(bytes, 0)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data(), bytes);
}

Result<void> RingFrames::queue(std::size_t bytes, Deadline deadline, bool& broken) {
  if (!claimed_in_ring_) return commit(bytes, deadline, broken);
  if (life_.closed || life_.peer_gone) return gone();
  writer_.keep(bytes, Kind::frame);
  return {};
}

Result<void> RingFrames::flush() {
  if (life_.closed || life_.peer_gone) return gone();
  writer_.publish_kept();
  return {};
}

Result<void> RingFrames::commit_parts(std::size_t bytes, Deadline deadline, bool& broken) {
  // Quarters of the ring, so that the reader copies one while the next is written.
  const std::size_t part_bytes = writer_.max_piece() / 2;
  for (std::size_t sent = 0; sent < bytes;) {
    const std::size_t now = std::min(part_bytes, bytes - sent);
    Result<MutableBytes> room = writer_.claim(now, deadline);
    if (!room) {
      broken = sent > 0;  // the reader waits for the rest, and would take anything for it
      return room.take_error();
    }
    std::memcpy(room->data(), outgoing_.data() + sent, now);
    sent += now;
    writer_.publish(now, sent == bytes ? Kind::last : Kind::part);
  }
  outgoing_.used(bytes);
  return {};
}

Result<Bytes> RingFrames::receive_parts(RingReader::Piece piece, Deadline deadline) {
  if (assembled_ == kDropped) return gone();  // the rest of a frame whose beginning was dropped
  Result<Bytes> frame = assemble(piece, deadline);
  if (!frame && frame.error().remedy == Remedy::reconnect) drop();
  return frame;
}

Result<Bytes> RingFrames::assemble(RingReader::Piece piece, Deadline deadline) {
  for (;;) {
    if (piece.kind == Kind::frame || piece.bytes.empty()) {
      return Error{Remedy::reconnect, "a new frame inside of one that is not finished"};
    }
    const std::size_t total = assembled_ + piece.bytes.size();
    if (total > options_.max_frame_bytes) {
      return Error{Remedy::reconnect, "a frame grew to " + std::to_string(total) + " bytes; the limit is " +
                                          std::to_string(options_.max_frame_bytes) + " (-ORBMaxMessageBytes)"};
    }
    if (total > incoming_.size() &&
        !incoming_.grow(storage_for(Bytes(incoming_.data(), assembled_), total, options_), assembled_)) {
      return Error{Remedy::reconnect, "no memory for a frame of more than " + std::to_string(total) + " bytes"};
    }
    std::memcpy(incoming_.data() + assembled_, piece.bytes.data(), piece.bytes.size());
    reader_.release();
    assembled_ = total;
    if (piece.kind == Kind::last) {
      assembled_ = 0;
      large_received_ = total;
      share_.complete(incoming_.size() - total);
      return checked_frame(Bytes(incoming_.data(), total), options_);
    }
    if (!share_.hold(assembled_, incoming_.size())) {
      return Error{Remedy::reconnect, "no room left of -ORBMaxReceiveBytes for a frame of more than " +
                                          std::to_string(assembled_) + " bytes"};
    }
    Result<RingReader::Piece> next = reader_.receive(deadline);
    if (!next) return next.take_error();  // at a deadline, what is here waits for the next call
    piece = *next;
  }
}

void RingFrames::drop() noexcept {
  assembled_ = kDropped;
  large_received_ = 0;
  incoming_.give_back();
  share_.done(0);
}

void RingFrames::release_parts() noexcept {
  incoming_.used(large_received_);
  if (share_.done(incoming_.size())) return;
  incoming_.give_back();
  share_.done(0);
}

}  // namespace orbweaver::transport
