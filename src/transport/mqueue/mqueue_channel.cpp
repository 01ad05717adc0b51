#include "transport/mqueue/mqueue_channel.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>

#include "platform/futex.h"
#include "platform/socket.h"
#include "transport/checked_frame.h"

namespace orbweaver::transport::mqueues {
namespace {

constexpr Deadline kNow{0};  // long ago: what cannot be done at once fails

}  // namespace

MqueueChannel::MqueueChannel(Queues queues, platform::Fd socket, Peer peer, const ChannelOptions& options)
    : queues_(std::move(queues)), socket_(std::move(socket)), peer_(std::move(peer)), options_(options) {
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] { peer_gone_.store(true); });
}

MqueueChannel::~MqueueChannel() { MqueueChannel::close(); }

void MqueueChannel::close() noexcept {
  // Whoever sleeps, here and there, polls the socket beside its queue.
  if (!closed_.exchange(true)) platform::shutdown_both(socket_);
}

int MqueueChannel::descriptor() noexcept {
  if (both_ == nullptr) {
    auto both = std::make_unique<platform::PollSet>();
    if (both->add(queues_.in.get(), 0, platform::PollSet::Report::always) != 0 ||
        both->add(socket_.get(), 0, platform::PollSet::Report::always) != 0) {
      return -1;
    }
    both_ = std::move(both);
  }
  return both_->fd().get();
}

/// The queue and the socket speak for themselves.
bool MqueueChannel::arm() noexcept { return !closed_ && message_size_ == 0; }

Error MqueueChannel::gone() const {
  return Error{Remedy::reconnect, closed_ ? "the connection was closed at this end" : peer_.address + " has gone"};
}

bool MqueueChannel::sleep(const platform::Fd& queue, unsigned wanted, Deadline deadline) noexcept {
  std::array<platform::PollItem, 2> items{{{queue.get(), wanted}, {socket_.get(), platform::kReadable}}};
  if (platform::poll(items, deadline) == 0) return false;
  // Nothing is ever sent over the socket once a connection has begun: whatever is to be read there is its end.
  if (items[1].ready != 0) peer_gone_ = true;
  return true;
}

Result<MutableBytes> MqueueChannel::claim(std::size_t bytes, Deadline deadline) noexcept {
  if (closed_ || peer_gone_) [[unlikely]] return gone();
  if (bytes > options_.max_frame_bytes) [[unlikely]] {
    return Error{Remedy::give_up, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                      std::to_string(options_.max_frame_bytes)};
  }
  if (deadline.ns <= 0 && platform::poll(queues_.out, platform::kWritable, deadline) == 0) {
    return Error{Remedy::wait, peer_.address + " takes nothing at present"};
  }
  if (!outgoing_.grow(kHeaderBytes + bytes, 0)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data() + kHeaderBytes, bytes);
}

Result<void> MqueueChannel::commit(std::size_t bytes, Deadline deadline) noexcept {
  assert(kHeaderBytes + bytes <= outgoing_.size());
  const std::size_t most = queues_.out_message_bytes - kHeaderBytes;
  for (std::size_t sent = 0; sent < bytes;) {
    const std::size_t now = std::min(most, bytes - sent);
    const bool is_last = sent + now == bytes;
    const MessageHeader header{sent == 0 && is_last ? kFrame : is_last ? kLast : kPart, 0};
    // Over the end of the part before, which has left: no part is copied to get its header.
    std::uint8_t* const message = outgoing_.data() + sent;
    std::memcpy(message, &header, kHeaderBytes);
    Result<void> done = send_one(Bytes(message, kHeaderBytes + now), deadline);
    if (!done) [[unlikely]] {
      // The peer waits for the rest of this frame, and would take anything for it.
      if (sent > 0 && done.error().remedy == Remedy::wait) close();
      return done;
    }
    sent += now;
  }
  outgoing_.used(kHeaderBytes + bytes);
  return {};
}

Result<void> MqueueChannel::send_one(Bytes message, Deadline deadline) noexcept {
  for (;;) {
    if (closed_ || peer_gone_) [[unlikely]] return gone();
    const platform::IoResult sent = platform::send_message(queues_.out, message, kNow);
    if (sent.error == 0) [[likely]] return {};
    if (sent.error != EAGAIN) {
      return Error{Remedy::reconnect, "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    }
    bool in_time = true;
    if (options_.wait == Wait::spin) {
      in_time = !deadline.passed();
      platform::cpu_relax();
    } else {
      in_time = sleep(queues_.out, platform::kWritable, deadline);
    }
    if (!in_time) return Error{Remedy::wait, peer_.address + " took no message before the deadline"};
  }
}

Result<void> MqueueChannel::fetch(Deadline deadline) noexcept {
  const std::size_t room = queues_.in_message_bytes;
  if (!message_.grow(room, 0)) {
    return Error{Remedy::reconnect, "no memory for a message of " + std::to_string(room) + " bytes"};
  }
  const bool may_spin = options_.wait != Wait::block;
  const std::int64_t spin_ns = options_.wait == Wait::adaptive ? spin_.next_ns() : 0;
  const Deadline until = options_.wait == Wait::adaptive ? Deadline::in_ns(spin_ns) : Deadline::never();
  bool spins = may_spin && (options_.wait == Wait::spin || spin_ns > 0);
  for (bool first = true;; first = false) {
    if (closed_) [[unlikely]] return gone();
    // One who sleeps asks poll first: a message that is there costs two system calls, one that is not no more.
    if (!spins && !sleep(queues_.in, platform::kReadable, deadline)) {
      return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    }
    const bool was_gone = peer_gone_;  // asked before the queue is: all it sent was there by then
    const platform::IoResult got = platform::receive_message(queues_.in, MutableBytes(message_.data(), room), kNow);
    if (got.error == 0) [[likely]] {
      if (spins && !first) spin_.paid();
      if (closed_) [[unlikely]] return gone();
      message_size_ = got.bytes;
      return {};
    }
    if (got.error != EAGAIN) {
      return Error{Remedy::reconnect, "cannot receive from " + peer_.address + ": " + platform::error_text(got.error)};
    }
    if (closed_ || was_gone) return gone();
    if (!spins) continue;
    if (deadline.passed()) return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    if (until.passed()) {
      spin_.wasted();
      spins = false;
    }
    platform::cpu_relax();
  }
}

Result<void> MqueueChannel::add_part(Bytes part) noexcept {
  const std::size_t total = assembled_ + part.size();
  if (total > options_.max_frame_bytes) {
    return Error{Remedy::reconnect, "a frame grew to " + std::to_string(total) + " bytes; the limit is " +
                                        std::to_string(options_.max_frame_bytes)};
  }
  // Room for what has arrived, and as much again at most, whatever is announced.
  if (total > incoming_.size() && !incoming_.grow(std::max(total, 2 * assembled_), assembled_)) {
    return Error{Remedy::reconnect, "no memory for a frame of more than " + std::to_string(total) + " bytes"};
  }
  std::memcpy(incoming_.data() + assembled_, part.data(), part.size());
  assembled_ = total;
  return {};
}

Result<Bytes> MqueueChannel::next_frame(Deadline deadline) noexcept {
  for (;;) {
    if (message_size_ == 0) {
      if (Result<void> got = fetch(deadline); !got) return got.take_error();
    }
    MessageHeader header{};
    if (message_size_ > kHeaderBytes) std::memcpy(&header, message_.data(), kHeaderBytes);
    const Bytes bytes = Bytes(message_.data(), message_size_).subspan(std::min(kHeaderBytes, message_size_));
    const bool is_part = header.kind == kPart || header.kind == kLast;
    if (header.zero != 0 || (header.kind != kFrame && !is_part)) {
      return Error{Remedy::reconnect, "a message of " + std::to_string(message_size_) + " bytes that holds no frame"};
    }
    if (!is_part) {
      if (assembled_ > 0) return Error{Remedy::reconnect, "a new frame inside of one that is not finished"};
      return checked_frame(bytes, options_);
    }
    if (Result<void> added = add_part(bytes); !added) return added.take_error();
    message_size_ = 0;
    if (header.kind == kLast) {
      large_received_ = assembled_;
      assembled_ = 0;
      return checked_frame(Bytes(incoming_.data(), large_received_), options_);
    }
  }
}

Result<Bytes> MqueueChannel::receive(Deadline deadline) noexcept {
  Result<Bytes> frame = next_frame(deadline);
  // After a protocol violation nothing of this connection is believed any more.
  if (!frame && frame.error().remedy == Remedy::reconnect) [[unlikely]] close();
  return frame;
}

void MqueueChannel::release() noexcept {
  message_size_ = 0;
  incoming_.used(large_received_);
  large_received_ = 0;
}

}  // namespace orbweaver::transport::mqueues
