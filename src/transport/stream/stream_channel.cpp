#include "transport/stream/stream_channel.h"

#include <cassert>
#include <cerrno>

namespace orbweaver::transport {

using platform::Block;
using platform::IoResult;

StreamChannel::StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer)
    : socket_(std::move(socket), options.wait),
      options_(options),
      peer_(std::move(peer)),
      outgoing_(limits::kFirstMessageBytes),
      reader_(options.frame_length, options.max_frame_bytes) {}

StreamChannel::~StreamChannel() { StreamChannel::close(); }

Error StreamChannel::not_open() const {
  return Error{Remedy::reconnect, "the connection to " + peer_.address +
                                      (state_ == kLost ? " is lost" : " was closed at this end")};
}

Result<MutableBytes> StreamChannel::claim(std::size_t bytes, Deadline) noexcept {
  if (state_ != kOpen) return not_open();
  if (send_failed_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  if (bytes > options_.max_frame_bytes) {
    return Error{Remedy::give_up, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                      std::to_string(options_.max_frame_bytes)};
  }
  if (!outgoing_.grow(bytes, 0)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data(), bytes);
}

Result<void> StreamChannel::commit(std::size_t bytes, Deadline deadline) noexcept {
  if (state_ != kOpen) return not_open();
  const Block block = socket_.may_block(deadline);
  assert(bytes <= outgoing_.size());
  Bytes rest(outgoing_.data(), bytes);
  while (!rest.empty()) {
    const IoResult sent = platform::send(socket_.fd(), rest, block);
    if (sent.error == 0) {
      rest = rest.subspan(sent.bytes);
    } else if (would_wait(sent)) {
      if (deadline.passed()) {
        const std::size_t left = bytes - rest.size();
        if (left != 0) close_as(kLost);  // the peer cannot find the beginning of a next frame
        return Error{Remedy::wait, peer_.address + " took " + std::to_string(left) + " of " +
                                       std::to_string(bytes) + " bytes before the deadline"};
      }
      socket_.wait_for_room(deadline);
    } else {
      if (state_ != kOpen) return not_open();
      // Receiving goes on: what the peer sent before it went is still to be read.
      send_failed_ = true;
      return Error{Remedy::reconnect,
                   "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    }
  }
  outgoing_.used(bytes);
  return {};
}

Error StreamChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  close_as(kLost);
  return Error{Remedy::reconnect, receive_ended_};
}

Result<Bytes> StreamChannel::receive(Deadline deadline) noexcept {
  if (!receive_ended_.empty()) return Error{Remedy::reconnect, receive_ended_};
  for (;;) {
    if (state_ != kOpen) return not_open();
    Result<Bytes> frame = reader_.take();
    if (!frame) return end_receiving(peer_.address + ": " + frame.error().message);
    if (!frame->empty()) return frame;

    const MutableBytes room = reader_.room();
    if (room.empty()) {
      return end_receiving("no memory for a frame of " + std::to_string(reader_.announced_bytes()) +
                           " bytes from " + peer_.address);
    }
    const IoResult got = socket_.read_some(room, deadline);
    if (got.error == 0 && got.bytes > 0) {
      reader_.arrived(got.bytes);
      continue;
    }
    if (state_ != kOpen) return not_open();
    if (would_wait(got)) return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    std::string what = peer_.address + (got.error == 0 || got.error == ECONNRESET
                                            ? " closed the connection"
                                            : ": " + platform::error_text(got.error));
    if (reader_.begun_bytes() > 0) {
      what += " after " + std::to_string(reader_.begun_bytes()) + " bytes of a frame";
      if (reader_.announced_bytes() > 0) what += " of " + std::to_string(reader_.announced_bytes());
    }
    return end_receiving(std::move(what));
  }
}

/// The socket speaks for itself, but for what was read ahead of it.
bool StreamChannel::arm() noexcept {
  if (!receive_ended_.empty() || state_ != kOpen) return false;
  const Result<Bytes> ahead = reader_.take();
  return ahead && ahead->empty();
}

void StreamChannel::close() noexcept { close_as(kClosedHere); }

void StreamChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  socket_.part();
}

}  // namespace orbweaver::transport
