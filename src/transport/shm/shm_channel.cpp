#include "transport/shm/shm_channel.h"

#include <algorithm>
#include <cstring>

#include "platform/socket.h"

namespace orbweaver::transport::shmem {

ShmChannel::ShmChannel(Side side, Segment segment, platform::Fd socket, Peer peer, const ChannelOptions& options)
    : max_frame_bytes_(options.max_frame_bytes),
      segment_(std::move(segment)),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      writer_(side == Side::client ? segment_.to_server() : segment_.to_client(), options.wait, life_),
      reader_(side == Side::client ? segment_.to_client() : segment_.to_server(), options.wait, life_) {
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] {
    life_.peer_gone.store(true, std::memory_order_seq_cst);
    writer_.wake();
    reader_.wake();
  });
}

ShmChannel::~ShmChannel() { close(); }

void ShmChannel::close() noexcept {
  if (life_.closed.exchange(true, std::memory_order_seq_cst)) return;
  platform::shutdown_both(socket_);
  writer_.wake();
  reader_.wake();
}

/// After a protocol violation nothing of this connection is believed any more.
Error ShmChannel::broken(Error error) noexcept {
  if (error.remedy == Remedy::reconnect) close();
  return error;
}

Result<MutableBytes> ShmChannel::claim(std::size_t bytes, Deadline deadline) noexcept {
  claimed_in_ring_ = bytes <= writer_.max_piece();
  if (claimed_in_ring_) [[likely]] {
    auto room = writer_.claim(bytes, deadline);
    if (!room) return broken(room.take_error());
    return room;
  }
  if (bytes > max_frame_bytes_) {
    return Error{Remedy::give_up, "a message of " + std::to_string(bytes) + " bytes is beyond the limit of " +
                                      std::to_string(max_frame_bytes_)};
  }
  if (life_.closed || life_.peer_gone) return Error{Remedy::reconnect, "the peer has gone"};
  if (!outgoing_.grow(bytes, 0)) {
    return Error{Remedy::give_up, "no memory for a message of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data(), bytes);
}

Result<void> ShmChannel::commit(std::size_t bytes, Deadline deadline) noexcept {
  if (claimed_in_ring_) [[likely]] {
    writer_.publish(bytes, Kind::frame);
    return {};
  }
  auto sent = commit_parts(bytes, deadline);
  if (!sent) close();  // half a frame has left
  outgoing_.used(bytes);
  return sent;
}

Result<void> ShmChannel::commit_parts(std::size_t bytes, Deadline deadline) noexcept {
  // Quarters of the ring, so that the reader copies one part while the next is written.
  const std::size_t part = std::max(segment_.ring_bytes() / 4 - kLine, kLine);
  for (std::size_t sent = 0; sent < bytes;) {
    const std::size_t n = std::min(part, bytes - sent);
    auto room = writer_.claim(n, deadline);
    if (!room) return room.take_error();
    std::memcpy(room->data(), outgoing_.data() + sent, n);
    sent += n;
    writer_.publish(n, sent == bytes ? Kind::last : Kind::part);
  }
  return {};
}

Result<Bytes> ShmChannel::receive(Deadline deadline) noexcept {
  auto piece = reader_.receive(deadline);
  if (!piece) [[unlikely]] return broken(piece.take_error());
  if (piece->kind == Kind::frame && assembled_ == 0) [[likely]] {
    if (piece->bytes.size() < kFrameHeaderBytes) {
      return broken({Remedy::reconnect, "a frame of " + std::to_string(piece->bytes.size()) + " bytes is none"});
    }
    received_in_ring_ = true;
    return piece->bytes;
  }
  return receive_parts(*piece, deadline);
}

Result<Bytes> ShmChannel::receive_parts(RingReader::Piece piece, Deadline deadline) noexcept {
  for (;;) {
    if (piece.kind == Kind::frame || piece.bytes.empty()) {
      return broken({Remedy::reconnect, "a new frame inside of an unfinished one"});
    }
    const std::size_t total = assembled_ + piece.bytes.size();
    if (total > max_frame_bytes_) {
      return broken({Remedy::reconnect, "a frame grows beyond the limit of " + std::to_string(max_frame_bytes_) + " bytes"});
    }
    // Room grows with what has arrived, to twice as much at most.
    if (total > incoming_.size() && !incoming_.grow(std::max(total, 2 * assembled_), assembled_)) {
      return broken({Remedy::reconnect, "no memory for a frame of more than " + std::to_string(total) + " bytes"});
    }
    std::memcpy(incoming_.data() + assembled_, piece.bytes.data(), piece.bytes.size());
    reader_.release();
    assembled_ = total;
    if (piece.kind == Kind::last) {
      assembled_ = 0;
      received_in_ring_ = false;
      if (total < kFrameHeaderBytes) return broken({Remedy::reconnect, "a frame too short for its header"});
      return Bytes(incoming_.data(), total);
    }
    auto next = reader_.receive(deadline);
    if (!next) return broken(next.take_error());  // at a deadline, what there is waits for the next receive
    piece = *next;
  }
}

void ShmChannel::release() noexcept {
  if (received_in_ring_) {
    reader_.release();
  } else {
    incoming_.used(0);
  }
}

}  // namespace orbweaver::transport::shmem
