#include "transport/stream/stream_channel.h"

#include <cassert>
#include <cerrno>

#include "platform/futex.h"

namespace orbweaver::transport {
namespace {

using platform::Block;
using platform::IoResult;

constexpr std::int64_t kLinger_ms = 100;

bool would_wait(const IoResult& result) noexcept {
  return result.error == EAGAIN || result.error == EWOULDBLOCK;
}

}  // namespace

StreamChannel::StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer)
    : socket_(std::move(socket)),
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
  // The kernel may do the waiting only where nothing ends it but the peer and close().
  const Block block = deadline.is_never() && options_.wait != Wait::spin ? Block::yes : Block::no;
  assert(bytes <= outgoing_.size());
  Bytes rest(outgoing_.data(), bytes);
  while (!rest.empty()) {
    const IoResult sent = platform::send(socket_, rest, block);
    if (sent.error == 0) {
      rest = rest.subspan(sent.bytes);
    } else if (would_wait(sent)) {
      if (deadline.passed()) {
        const std::size_t left = bytes - rest.size();
        if (left != 0) close_as(kLost);  // the peer cannot find the beginning of a next frame
        return Error{Remedy::wait, peer_.address + " took " + std::to_string(left) + " of " +
                                       std::to_string(bytes) + " bytes before the deadline"};
      }
      if (options_.wait == Wait::spin) {
        platform::cpu_relax();
      } else {
        platform::poll(socket_, platform::kWritable, deadline);
      }
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
    const IoResult got = read_some(room, deadline);
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

IoResult StreamChannel::read_some(MutableBytes room, Deadline deadline) noexcept {
  if (options_.wait == Wait::spin) return read_spinning(room, deadline);
  if (options_.wait == Wait::adaptive) {
    if (const std::int64_t spin_ns = spin_.next_ns(); spin_ns > 0) {
      IoResult got = platform::recv(socket_, room, Block::no);
      if (!would_wait(got)) return got;  // there already: says nothing about spinning
      Deadline until = Deadline::in_ns(spin_ns);
      if (deadline.ns < until.ns) until = deadline;
      got = read_spinning(room, until);
      if (!would_wait(got)) {
        spin_.paid();
        return got;
      }
      spin_.wasted();
    }
  }
  if (deadline.is_never()) return platform::recv(socket_, room, Block::yes);
  if (platform::poll(socket_, platform::kReadable, deadline) == 0) return {0, EAGAIN};
  return platform::recv(socket_, room, Block::no);
}

IoResult StreamChannel::read_spinning(MutableBytes room, Deadline deadline) noexcept {
  for (;;) {
    const IoResult got = platform::recv(socket_, room, Block::no);
    if (!would_wait(got) || deadline.passed()) return got;
    platform::cpu_relax();
  }
}

void StreamChannel::close() noexcept { close_as(kClosedHere); }

void StreamChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  platform::shutdown_sending(socket_);
  linger();
  platform::shutdown_both(socket_);
  // Bytes that came after all tell of a peer that still sends, and may wait for room for ever: nobody here
  // will make any. A reset wakes it; what we sent is with its host already.
  if (discard_incoming() == Incoming::some) platform::abort_tcp(socket_);
}

/// A stream that is shut for reading answers further bytes with a reset, which throws away what has been
/// committed but has not left for want of room at the peer. So first let it leave, for a while.
void StreamChannel::linger() noexcept {
  const Deadline enough = Deadline::in_ms(kLinger_ms);
  for (;;) {
    // Taking in what comes makes room for the peer's sender, whose thread may be the one that would read.
    if (discard_incoming() == Incoming::ended) return;  // nothing will come that could be answered so
    if (platform::unsent(socket_) == 0 || enough.passed()) return;
    platform::poll(socket_, platform::kReadable, Deadline::in_ms(1));
  }
}

StreamChannel::Incoming StreamChannel::discard_incoming() noexcept {
  std::uint8_t scratch[4096];
  Incoming seen = Incoming::none;
  // Bounded: a peer that sends without end must not keep close() busy.
  for (int i = 0; i < 4096; ++i) {
    const IoResult got = platform::recv(socket_, scratch, Block::no);
    if (would_wait(got)) return seen;
    if (got.error != 0 || got.bytes == 0) return seen == Incoming::some ? seen : Incoming::ended;
    seen = Incoming::some;
  }
  return seen;
}

}  // namespace orbweaver::transport
