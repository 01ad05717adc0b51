#include "transport/mqueue/mqueue_channel.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "platform/futex.h"
#include "platform/socket.h"
#include "transport/memory_failure.h"
#include "transport/refused.h"

namespace orbweaver::transport::mqueues {
namespace {

constexpr Deadline kNow{0};  // long ago: what cannot be done at once fails

/// All channels of the process, a list.
struct Channels {
  std::mutex mutex;
  MqueueChannel* first = nullptr;
};
Channels& channels() {
  static auto& all = *new Channels;  // never destroyed: a channel may outlive static objects
  return all;
}

}  // namespace

bool queues_will_be_free() noexcept {
  const std::lock_guard lock(channels().mutex);
  for (const MqueueChannel* each = channels().first; each != nullptr; each = each->next_) {
    if (each->closed_ || each->peer_gone_) return true;
    if (platform::poll(each->socket_, platform::kReadable, kNow) != 0) return true;  // its peer has just gone
  }
  return false;
}

MqueueChannel::MqueueChannel(Queues queues, platform::Fd socket, Peer peer, const ChannelOptions& options)
    : queues_(std::move(queues)),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      options_(options),
      share_(
          options.budget,
          [this](const std::string& why) {
            log::write_limited(
                log::Level::warn, "connection ended for what was received", log::origin(peer_),
                [&] { return "the connection with " + peer_.address + " is ended: " + why; });
            MqueueChannel::close();
          },
          ReceiveBudget::Timed::yes,
          [this] { return platform::poll(queues_.in, platform::kReadable, kNow) != 0; }),
      frames_(options_, queues_.in_message_bytes, &share_) {
  share_.count_for(peer_);
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] {
    peer_gone_.store(true);
    wake_receiver();
  });
  const std::lock_guard lock(channels().mutex);
  next_ = std::exchange(channels().first, this);
  if (next_ != nullptr) next_->previous_ = this;
}

MqueueChannel::~MqueueChannel() {
  MqueueChannel::close();
  const std::lock_guard lock(channels().mutex);
  (previous_ != nullptr ? previous_->next_ : channels().first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void MqueueChannel::close() noexcept {
  // Wakes who polls, and the watch of either end, which wakes who sleeps in the queue.
  if (!closed_.exchange(true)) platform::shutdown_both(socket_);
}

/// After closed_ or peer_gone_ was set, at which the receiver looks before it waits. Where the queue is full, it does
/// not wait, and will look.
void MqueueChannel::wake_receiver() noexcept { platform::send_message(queues_.in, {}, kNow); }

int MqueueChannel::descriptor() noexcept try {
  if (both_ == nullptr) {
    auto both = std::make_unique<platform::PollSet>();
    if (both->add(queues_.in.get(), 0, platform::PollSet::Report::always) != 0 ||
        both->add(socket_.get(), 0, platform::PollSet::Report::always) != 0) {
      return -1;
    }
    both_ = std::move(both);
  }
  return both_->fd().get();
} catch (const std::bad_alloc&) {
  return -1;
}

/// The queue and the socket speak for themselves.
bool MqueueChannel::arm() noexcept { return !closed_ && !frames_.has_some(); }

Error MqueueChannel::gone() const {
  return Error{Remedy::reconnect, closed_ ? "the connection was closed at this end" : peer_.address + " has gone"};
}

Error MqueueChannel::nothing_yet() const {
  return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
}

bool MqueueChannel::sleep(const platform::Fd& queue, unsigned wanted, Deadline deadline) noexcept {
  std::array<platform::PollItem, 2> items{{{queue.get(), wanted}, {socket_.get(), platform::kReadable}}};
  if (platform::poll(items, deadline) == 0) return false;
  // Nothing is ever sent over the socket once a connection has begun: whatever is to be read there is its end.
  if (items[1].ready != 0) peer_gone_ = true;
  return true;
}

Result<MutableBytes> MqueueChannel::claim(std::size_t bytes, Deadline deadline) noexcept try {
  if (closed_ || peer_gone_) [[unlikely]] return gone();
  if (bytes > options_.max_frame_bytes) [[unlikely]] {
    return Error{Remedy::give_up, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                      std::to_string(options_.max_frame_bytes)};
  }
  if (deadline.ns <= 0 && platform::poll(queues_.out, platform::kWritable, deadline) == 0) {
    return Error{Remedy::wait, peer_.address + " takes nothing at present"};
  }
  const std::size_t at = kHeaderBytes + round_up_8(queued_);
  if (!outgoing_.grow(at + bytes, queued_ == 0 ? 0 : kHeaderBytes + queued_)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data() + at, bytes);
} catch (...) {
  return close_without_memory(*this);
}

Result<void> MqueueChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (queued_ == 0) [[likely]] return send_frame(0, bytes, deadline);
  const std::size_t at = round_up_8(queued_);
  if (kHeaderBytes + at + bytes <= queues_.out_message_bytes) {  // it takes the others along
    Result<void> sent = send_one(outgoing_.data(), kFrames, at + bytes, deadline);
    if (sent) queued_ = queued_frames_ = 0;
    return sent;
  }
  if (Result<void> sent = flush(deadline); !sent) return sent;
  return send_frame(at, bytes, deadline);
} catch (...) {
  return close_without_memory(*this);
}

Result<void> MqueueChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  if (closed_ || peer_gone_) [[unlikely]] return gone();
  const std::size_t at = round_up_8(queued_);
  if (kHeaderBytes + at + bytes > queues_.out_message_bytes) {
    if (Result<void> sent = flush(deadline); !sent) return sent;
    if (kHeaderBytes + bytes > queues_.out_message_bytes) return send_frame(at, bytes, deadline);
    std::memmove(outgoing_.data() + kHeaderBytes, outgoing_.data() + kHeaderBytes + at, bytes);
    queued_ = bytes;
  } else {
    queued_ = at + bytes;
  }
  ++queued_frames_;
  return {};
} catch (...) {
  return close_without_memory(*this);
}

Result<void> MqueueChannel::flush(Deadline deadline) noexcept try {
  if (queued_ == 0) return {};
  Result<void> sent = send_one(outgoing_.data(), queued_frames_ == 1 ? kFrame : kFrames, queued_, deadline);
  if (sent) queued_ = queued_frames_ = 0;
  return sent;
} catch (...) {
  return close_without_memory(*this);
}

Result<void> MqueueChannel::send_frame(std::size_t at, std::size_t bytes, Deadline deadline) {
  assert(kHeaderBytes + at + bytes <= outgoing_.size());
  const std::size_t most = queues_.out_message_bytes - kHeaderBytes;
  for (std::size_t sent = 0; sent < bytes;) {
    const std::size_t now = std::min(most, bytes - sent);
    const bool is_last = sent + now == bytes;
    // The header goes over the end of what was before it and has left: nothing is copied for its sake.
    Result<void> done = send_one(outgoing_.data() + at + sent, sent == 0 && is_last ? kFrame : is_last ? kLast : kPart,
                                 now, deadline);
    if (!done) [[unlikely]] {
      // The peer waits for the rest of this frame, and would take anything for it.
      if (sent > 0 && done.error().remedy == Remedy::wait) close();
      return done;
    }
    sent += now;
  }
  outgoing_.used(kHeaderBytes + at + bytes);
  return {};
}

/// `message`: room for a header, and `bytes` behind it.
Result<void> MqueueChannel::send_one(std::uint8_t* message, std::uint32_t kind, std::size_t bytes,
                                     Deadline deadline) {
  const MessageHeader header{kind, 0};
  std::memcpy(message, &header, kHeaderBytes);
  for (;;) {
    if (closed_ || peer_gone_) [[unlikely]] return gone();
    const platform::IoResult sent = platform::try_send_message(queues_.out, Bytes(message, kHeaderBytes + bytes));
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

platform::IoResult MqueueChannel::take(MutableBytes room, Deadline deadline) noexcept {
  const bool was_gone = peer_gone_;  // asked before the queue is: all it sent was there by then
  if (deadline.is_never() && !was_gone) return platform::receive_message(queues_.in, room, deadline);
  const platform::IoResult got = platform::receive_message(queues_.in, room, kNow);
  if (got.error == EAGAIN && was_gone) return {0, EPIPE};
  return got;
}

Result<void> MqueueChannel::fetch(Deadline deadline) {
  const MutableBytes room = frames_.room();
  if (room.empty()) {
    return Error{Remedy::reconnect, "no memory for a message of " + std::to_string(queues_.in_message_bytes) + " bytes"};
  }
  const std::int64_t spin_ns = options_.wait == Wait::adaptive && deadline.ns > 0 ? spin_.next_ns() : 0;
  const Deadline until = options_.wait == Wait::spin ? Deadline::never() : Deadline::in_ns(spin_ns);
  bool spins = options_.wait == Wait::spin || spin_ns > 0;
  for (bool first = true;; first = false) {
    if (closed_) [[unlikely]] return gone();
    // One who may wait for ever sleeps in the queue itself, by one system call. One with a deadline polls, since the
    // queue's own clock is the wall's.
    if (!spins && !deadline.is_never() && deadline.ns > 0) {
      if (!sleep(queues_.in, platform::kReadable, deadline)) return nothing_yet();
    }
    const platform::IoResult got = take(room, spins ? kNow : deadline);
    if (closed_) [[unlikely]] return gone();
    if (got.error == 0) [[likely]] {
      if (got.bytes == 0) [[unlikely]] {
        if (peer_gone_) continue;  // woken for that; what is behind it, if anything, is still read
        return Error{Remedy::reconnect, peer_.address + " sent a message of no bytes"};
      }
      if (spins && !first) spin_.paid();
      frames_.arrived(got.bytes);
      return {};
    }
    if (got.error == EPIPE) return gone();
    if (got.error != EAGAIN) {
      return Error{Remedy::reconnect, "cannot receive from " + peer_.address + ": " + platform::error_text(got.error)};
    }
    if (!spins && (deadline.ns <= 0 || deadline.is_never())) {
      // The socket may tell of the peer's end before the watch does. And a peer may have made this queue one that
      // does not wait.
      if (!sleep(queues_.in, platform::kReadable, deadline)) return nothing_yet();
      continue;
    }
    if (!spins) continue;
    if (deadline.passed()) return nothing_yet();
    if (options_.wait == Wait::adaptive && until.passed()) {
      spin_.wasted();
      spins = false;
    }
    platform::cpu_relax();
  }
}

Result<Bytes> MqueueChannel::next_frame(Deadline deadline) {
  for (;;) {
    Result<Bytes> frame = frames_.take();
    if (!frame && !closed_) [[unlikely]] log_refused(peer_, frame.error().message);
    if (!frame || !frame->empty()) [[likely]] return frame;
    if (Result<void> got = fetch(deadline); !got) return got.take_error();
  }
}

Result<Bytes> MqueueChannel::receive(Deadline deadline) noexcept try {
  Result<Bytes> frame = next_frame(deadline);
  // After a protocol violation nothing of this connection is believed any more.
  if (!frame && frame.error().remedy == Remedy::reconnect) [[unlikely]] {
    close();
    frames_.drop();
  }
  return frame;
} catch (...) {
  return close_without_memory(*this);
}

}  // namespace orbweaver::transport::mqueues
