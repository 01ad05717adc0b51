#include "transport/stream/stream_channel.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/log.h"
#include "transport/memory_failure.h"
#include "transport/refused.h"

namespace orbweaver::transport {

using platform::Block;
using platform::IoResult;

namespace {

constexpr std::size_t kGathered = 64;  // pieces given to the system at once

constexpr std::size_t round_up_8(std::size_t n) noexcept { return (n + 7) & ~std::size_t{7}; }

}  // namespace

StreamChannel::StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer)
    : socket_(std::move(socket), options.wait),
      options_(options),
      peer_(std::move(peer)),
      outgoing_(limits::kFirstMessageBytes, options_.budget),
      reader_(options.frame_length, options.max_frame_bytes, &share_),
      share_(
          options.budget,
          [this](const std::string& why) {
            log::write_limited(
                log::Level::warn, "connection ended for what was received", log::origin(peer_),
                [&] { return "the connection with " + peer_.address + " is ended: " + why; });
            close_as(kLost);
          },
          ReceiveBudget::Timed::yes, [this] { return socket_.has_input(); }) {
  share_.count_for(peer_);
}

StreamChannel::~StreamChannel() { StreamChannel::close(); }

Error StreamChannel::not_open() const {
  return Error{Remedy::reconnect, "the connection to " + peer_.address +
                                      (state_ == kLost ? " is lost" : " was closed at this end")};
}

Result<MutableBytes> StreamChannel::claim(std::size_t bytes, Deadline deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  if (send_failed_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  if (bytes > options_.max_frame_bytes) {
    return Error{Remedy::give_up, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                      std::to_string(options_.max_frame_bytes)};
  }
  if (deadline.ns <= 0 && platform::poll(socket_.fd(), platform::kWritable, deadline) == 0) {
    return Error{Remedy::wait, peer_.address + " takes nothing at present"};
  }
  const std::size_t queued = pieces_.empty() ? 0 : pieces_.back().end;
  claimed_at_ = round_up_8(queued);
  if (!outgoing_.grow(claimed_at_ + bytes, queued)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data() + claimed_at_, bytes);
} catch (...) {
  return close_without_memory(*this);
}

void StreamChannel::add(std::size_t bytes) {
  assert(claimed_at_ + bytes <= outgoing_.size());
  const std::size_t end = claimed_at_ + bytes;
  if (!pieces_.empty() && pieces_.back().end == claimed_at_) pieces_.back().end = end;
  else pieces_.push_back({claimed_at_, end});
}

/// A socket that says that it is writable has room for a third of its buffer, which is 85 KiB or more.
bool StreamChannel::commits_at_once(std::size_t bytes) const noexcept {
  constexpr std::size_t kAlways = std::size_t{16} * 1024, kIfEmpty = std::size_t{64} * 1024;
  return bytes <= kAlways || (bytes <= kIfEmpty && platform::unsent(socket_.fd()) == 0);
}

Result<void> StreamChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  if (pieces_.empty()) [[likely]] {
    const IoResult sent = send_first(bytes, socket_.may_block(deadline));
    if (sent.error == 0 && sent.bytes == bytes) [[likely]] {
      outgoing_.used(bytes);
      return {};
    }
    write_borrowed();
    add(bytes);
    left(sent.bytes);
  } else {
    write_borrowed();
    add(bytes);
  }
  return send_all(bytes, deadline);
} catch (...) {
  return close_without_memory(*this);
}

/// A frame before which nothing is queued, as far as it leaves at once.
IoResult StreamChannel::send_first(std::size_t bytes, Block block) noexcept {
  const std::uint8_t* const frame = outgoing_.data();
  if (borrowed_.empty()) [[likely]] return platform::send(socket_.fd(), Bytes(frame, bytes), block);
  const std::size_t behind = borrowed_at_ + borrowed_.size();
  assert(behind <= bytes);
  const std::array pieces{Bytes(frame, borrowed_at_), borrowed_, Bytes(frame + behind, bytes - behind)};
  const IoResult sent = platform::send(socket_.fd(), std::span<const Bytes>(pieces).first(behind < bytes ? 3 : 2), block);
  if (sent.bytes == bytes) borrowed_ = {};
  return sent;
}

/// What was borrowed has to wait, in its place.
void StreamChannel::write_borrowed() noexcept {
  if (borrowed_.empty()) return;
  std::memcpy(outgoing_.data() + claimed_at_ + borrowed_at_, borrowed_.data(), borrowed_.size());
  borrowed_ = {};
}

Result<void> StreamChannel::queue(std::size_t bytes, Deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  add(bytes);
  return {};
} catch (...) {
  return close_without_memory(*this);
}

Result<void> StreamChannel::flush(Deadline deadline) noexcept try {
  if (pieces_.empty()) return {};
  if (state_ != kOpen) return not_open();
  if (send_failed_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  return send_all(0, deadline);
} catch (...) {
  return close_without_memory(*this);
}

void StreamChannel::left(std::size_t bytes) noexcept {
  while (bytes > 0) {
    Piece& piece = pieces_[first_piece_];
    const std::size_t here = std::min(bytes, piece.end - piece.begin);
    piece.begin += here;
    bytes -= here;
    if (piece.begin == piece.end) ++first_piece_;
  }
}

IoResult StreamChannel::send_some(Block block) noexcept {
  const auto bytes_of = [&](const Piece& piece) { return Bytes(outgoing_.data() + piece.begin, piece.end - piece.begin); };
  const std::size_t n = std::min(pieces_.size() - first_piece_, kGathered);
  if (n == 1) return platform::send(socket_.fd(), bytes_of(pieces_[first_piece_]), block);
  std::array<Bytes, kGathered> gathered;
  for (std::size_t i = 0; i < n; ++i) gathered[i] = bytes_of(pieces_[first_piece_ + i]);
  return platform::send(socket_.fd(), std::span<const Bytes>(gathered).first(n), block);
}

/// All that is queued, of which the last frame is the caller's; of 0 bytes: it has none.
Result<void> StreamChannel::send_all(std::size_t last_frame_bytes, Deadline deadline) {
  const Block block = socket_.may_block(deadline);
  while (first_piece_ < pieces_.size()) {
    const IoResult sent = send_some(block);
    if (sent.error == 0) {
      left(sent.bytes);
    } else if (would_wait(sent)) {
      if (deadline.passed()) return give_up_waiting(last_frame_bytes);
      socket_.wait_for_room(deadline);
    } else {
      if (state_ != kOpen) return not_open();
      // Receiving goes on: what the peer sent before it went is still to be read.
      send_failed_ = true;
      return Error{Remedy::reconnect,
                   "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    }
  }
  outgoing_.used(pieces_.back().end);
  pieces_.clear();
  first_piece_ = 0;
  return {};
}

/// At the deadline. The frames queued before it stay.
Error StreamChannel::give_up_waiting(std::size_t last_frame_bytes) {
  if (last_frame_bytes == 0) return Error{Remedy::wait, peer_.address + " took nothing more before the deadline"};
  Piece& last = pieces_.back();
  const std::size_t to_go = last.end - last.begin;
  const std::size_t gone = last_frame_bytes - std::min(last_frame_bytes, to_go);
  if (gone != 0) {
    close_as(kLost);  // the peer cannot find the beginning of a next frame
  } else {
    last.end -= last_frame_bytes;
    if (last.begin == last.end) pieces_.pop_back();
    if (first_piece_ == pieces_.size()) {
      pieces_.clear();
      first_piece_ = 0;
    }
  }
  return Error{Remedy::wait, peer_.address + " took " + std::to_string(gone) + " of " +
                                 std::to_string(last_frame_bytes) + " bytes before the deadline"};
}

Error StreamChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  reader_.drop();
  close_as(kLost);
  return Error{Remedy::reconnect, receive_ended_};
}

Error StreamChannel::end_receiving_closed() {
  reader_.drop();
  return not_open();
}

Result<Bytes> StreamChannel::receive(Deadline deadline) noexcept try {
  if (!receive_ended_.empty()) return Error{Remedy::reconnect, receive_ended_};
  for (;;) {
    if (state_ != kOpen) return end_receiving_closed();
    if (reader_.begun_bytes() != 0) {
      Result<Bytes> frame = reader_.take();
      if (!frame) {
        log_refused(peer_, frame.error().message);
        return end_receiving(peer_.address + ": " + frame.error().message);
      }
      if (!frame->empty()) return frame;
    }
    const MutableBytes room = reader_.room();
    if (room.empty()) {
      return end_receiving("no memory, or none left of -ORBMaxReceiveBytes, for a frame of " +
                           std::to_string(reader_.announced_bytes()) + " bytes from " + peer_.address);
    }
    const IoResult got = socket_.read_some(room, deadline);
    if (got.error == 0 && got.bytes > 0) {
      reader_.arrived(got.bytes);
      continue;
    }
    if (state_ != kOpen) return end_receiving_closed();
    if (would_wait(got)) return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    if (got.error == 0 && !deadline.passed()) {  // who only looks has sent nothing, or serves others
      const std::size_t refused = socket_.refused_bytes();
      if (state_ != kOpen) return end_receiving_closed();  // this end has shut it down meanwhile
      not_taken_ = refused;
    }
    std::string what = peer_.address + (got.error == 0 || got.error == ECONNRESET
                                            ? " closed the connection"
                                            : ": " + platform::error_text(got.error));
    if (reader_.begun_bytes() > 0) {
      what += " after " + std::to_string(reader_.begun_bytes()) + " bytes of a frame";
      if (reader_.announced_bytes() > 0) what += " of " + std::to_string(reader_.announced_bytes());
    }
    return end_receiving(std::move(what));
  }
} catch (...) {
  return close_without_memory(*this);
}

/// The socket speaks for itself, but for what was read ahead of it.
bool StreamChannel::arm() noexcept try {
  if (!receive_ended_.empty() || state_ != kOpen) return false;
  const Result<Bytes> ahead = reader_.take();
  return ahead && ahead->empty();
} catch (...) {
  static_cast<void>(close_without_memory(*this));
  return false;
}

void StreamChannel::close() noexcept { close_as(kClosedHere); }

void StreamChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  socket_.part();
}

}  // namespace orbweaver::transport
