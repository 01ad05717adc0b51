#include "transport/stream/stream_channel.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>

#include "transport/out_of_memory.h"

namespace orbweaver::transport {

using platform::Blocking;
using platform::IoResult;

namespace {

constexpr std::size_t kMaxGathered = 64;  // segments per system call

}  // namespace

StreamChannel::StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer)
    : SocketChannel(std::move(socket), options, std::move(peer)) {
  capabilities_.gathering = this;
}

Result<MutableBytes> StreamChannel::claim(std::size_t bytes, Deadline deadline) noexcept try {
  if (deadline.ns <= 0 && state_.is_open() && !send_failed_ && bytes <= options_.max_frame_bytes &&
      platform::poll(socket_.fd(), platform::kWritable, deadline) == 0) {
    return Error{ErrorKind::timed_out, peer_.address + ": send would block"};
  }
  return claim_behind(pending_.empty() ? 0 : pending_.back().end, bytes);
} catch (...) {
  return close_out_of_memory(*this);
}

void StreamChannel::append_claimed(std::size_t bytes) {
  assert(claimed_at_ + bytes <= outgoing_.size());
  const std::size_t end = claimed_at_ + bytes;
  if (!pending_.empty() && pending_.back().end == claimed_at_)
    pending_.back().end = end;
  else
    pending_.push_back({claimed_at_, end});
}

/// A writable socket has space for a third of its buffer, which is 85 KiB or more.
bool StreamChannel::commits_without_waiting(std::size_t bytes) const noexcept {
  constexpr std::size_t kAlways = std::size_t{16} * 1024, kIfEmpty = std::size_t{64} * 1024;
  return bytes <= kAlways || (bytes <= kIfEmpty && platform::unsent(socket_.fd()) == 0);
}

Result<void> StreamChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (!state_.is_open()) return not_open_error();
  if (pending_.empty()) [[likely]] {
    const IoResult sent = send_first(bytes, socket_.may_block(deadline));
    if (sent.error == 0 && sent.bytes == bytes) [[likely]] {
      outgoing_.note_use(bytes);
      return {};
    }
    copy_segment_inline();
    append_claimed(bytes);
    note_sent(sent.bytes);
  } else {
    copy_segment_inline();
    append_claimed(bytes);
  }
  return send_all(bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> StreamChannel::send(Bytes frame, Deadline deadline) noexcept try {
  if (!state_.is_open() || send_failed_ || !pending_.empty() || deadline.ns <= 0 ||
      frame.size() > options_.max_frame_bytes) [[unlikely]]
    return Channel::send(frame, deadline);
  const IoResult sent = platform::send(socket_.fd(), frame, socket_.may_block(deadline));
  if (sent.error != 0 || sent.bytes != frame.size()) [[unlikely]]
    return send_rest(frame, sent.bytes, deadline);
  outgoing_.note_use(frame.size());
  return {};
} catch (...) {
  return close_out_of_memory(*this);
}

/// Sends what is left of a frame of which `sent` bytes were sent.
Result<void> StreamChannel::send_rest(Bytes frame, std::size_t sent, Deadline deadline) {
  const Result<MutableBytes> room = claim_behind(0, frame.size());
  if (!room) {
    if (sent == 0) return room.error();
    close_as(ChannelState::lost);  // the peer could not find the beginning of a next frame
    return Error{ErrorKind::disconnected, room.error().message};
  }
  std::memcpy(room->data(), frame.data(), frame.size());
  append_claimed(frame.size());
  note_sent(sent);
  return send_all(frame.size(), deadline);
}

/// Sends a frame with no queued frame before it, as far as possible without waiting.
IoResult StreamChannel::send_first(std::size_t bytes, Blocking block) noexcept {
  const std::uint8_t* const frame = outgoing_.data();
  if (gathered_segment_.empty()) [[likely]]
    return platform::send(socket_.fd(), Bytes(frame, bytes), block);
  const std::size_t behind = segment_offset_ + gathered_segment_.size();
  assert(behind <= bytes);
  const std::array pieces{Bytes(frame, segment_offset_), gathered_segment_,
                          Bytes(frame + behind, bytes - behind)};
  const IoResult sent =
      platform::send(socket_.fd(), std::span<const Bytes>(pieces).first(behind < bytes ? 3 : 2), block);
  if (sent.bytes == bytes) gathered_segment_ = {};
  return sent;
}

/// Copies the gathered segment into the queued frame, as it must outlive the caller's memory.
void StreamChannel::copy_segment_inline() noexcept {
  if (gathered_segment_.empty()) return;
  std::memcpy(outgoing_.data() + claimed_at_ + segment_offset_, gathered_segment_.data(),
              gathered_segment_.size());
  gathered_segment_ = {};
}

Result<void> StreamChannel::queue(std::size_t bytes, Deadline) noexcept try {
  if (!state_.is_open()) return not_open_error();
  append_claimed(bytes);
  return {};
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> StreamChannel::flush(Deadline deadline) noexcept try {
  if (pending_.empty()) return {};
  if (!state_.is_open()) return not_open_error();
  if (send_failed_) return lost_while_sending_error();
  return send_all(0, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

void StreamChannel::note_sent(std::size_t bytes) noexcept {
  while (bytes > 0) {
    PendingRange& piece = pending_[first_pending_];
    const std::size_t here = std::min(bytes, piece.end - piece.begin);
    piece.begin += here;
    bytes -= here;
    if (piece.begin == piece.end) ++first_pending_;
  }
}

IoResult StreamChannel::send_some(Blocking block) noexcept {
  const auto bytes_of = [&](const PendingRange& piece) {
    return Bytes(outgoing_.data() + piece.begin, piece.end - piece.begin);
  };
  const std::size_t n = std::min(pending_.size() - first_pending_, kMaxGathered);
  if (n == 1) return platform::send(socket_.fd(), bytes_of(pending_[first_pending_]), block);
  std::array<Bytes, kMaxGathered> gathered;
  for (std::size_t i = 0; i < n; ++i) gathered[i] = bytes_of(pending_[first_pending_ + i]);
  return platform::send(socket_.fd(), std::span<const Bytes>(gathered).first(n), block);
}

/// Sends all queued ranges. The last frame, of `last_frame_bytes` bytes, is the caller's; 0: none is.
Result<void> StreamChannel::send_all(std::size_t last_frame_bytes, Deadline deadline) {
  const Blocking block = socket_.may_block(deadline);
  while (first_pending_ < pending_.size()) {
    const IoResult sent = send_some(block);
    if (sent.error == 0) {
      note_sent(sent.bytes);
    } else if (would_wait(sent)) {
      if (deadline.passed()) return fail_at_deadline(last_frame_bytes);
      socket_.wait_for_room(deadline);
    } else {
      if (!state_.is_open()) return not_open_error();
      // Receiving continues: frames that the peer sent before its end can still be read.
      send_failed_ = true;
      return Error{ErrorKind::disconnected,
                   "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    }
  }
  outgoing_.note_use(pending_.back().end);
  pending_.clear();
  first_pending_ = 0;
  return {};
}

/// Ends a send at its deadline. Earlier queued frames stay queued.
Error StreamChannel::fail_at_deadline(std::size_t last_frame_bytes) {
  if (last_frame_bytes == 0) return Error{ErrorKind::timed_out, peer_.address + ": send timed out"};
  PendingRange& last = pending_.back();
  const std::size_t to_go = last.end - last.begin;
  const std::size_t sent_bytes = last_frame_bytes - std::min(last_frame_bytes, to_go);
  if (sent_bytes != 0) {
    close_as(ChannelState::lost);  // the peer could not find the beginning of a next frame
  } else {
    last.end -= last_frame_bytes;
    if (last.begin == last.end) pending_.pop_back();
    if (first_pending_ == pending_.size()) {
      pending_.clear();
      first_pending_ = 0;
    }
  }
  return Error{ErrorKind::timed_out, peer_.address + ": send timed out after " + std::to_string(sent_bytes) +
                                         " of " + std::to_string(last_frame_bytes) + " bytes"};
}

Result<Bytes> StreamChannel::receive(Deadline deadline) noexcept try {
  if (!receive_ended_.empty()) return Error{ErrorKind::disconnected, receive_ended_};
  for (;;) {
    if (!state_.is_open()) return end_receiving_closed();
    if (reader_.partial_bytes() != 0) {
      Result<Bytes> frame = reader_.next_frame();
      if (!frame) return end_receiving_malformed(frame.error());
      if (!frame->empty()) return frame;
    }
    const MutableBytes room = reader_.room();
    if (room.empty()) return end_receiving_without_room();
    const IoResult got = socket_.read_some(room, deadline);
    if (got.error != 0 || got.bytes == 0) [[unlikely]]
      return end_of_stream(got, deadline);
    reader_.arrived(got.bytes);
  }
} catch (...) {
  return close_out_of_memory(*this);
}

/// The error of a read that returned no bytes.
Error StreamChannel::end_of_stream(const IoResult& got, Deadline deadline) {
  if (!state_.is_open()) return end_receiving_closed();
  if (would_wait(got)) return receive_timed_out_error();
  if (got.error == 0 && !deadline.passed()) {  // a polling thread has sent nothing, or also serves others
    const std::size_t refused = socket_.rejected_bytes();
    if (!state_.is_open()) return end_receiving_closed();  // this end has closed it meanwhile
    undelivered_bytes_ = refused;
  }
  return end_receiving(peer_.address +
                       (got.error == 0 || got.error == ECONNRESET ? " closed the connection"
                                                                  : ": " + platform::error_text(got.error)) +
                       within_frame());
}

/// The socket is polled directly, unless frames were read ahead.
bool StreamChannel::arm() noexcept try {
  if (!receive_ended_.empty() || !state_.is_open()) return false;
  const Result<Bytes> ahead = reader_.next_frame();
  return ahead && ahead->empty();
} catch (...) {
  static_cast<void>(close_out_of_memory(*this));
  return false;
}

}  // namespace orbweaver::transport
