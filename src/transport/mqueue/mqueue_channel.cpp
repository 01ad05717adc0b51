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

#include "platform/futex.h"
#include "platform/socket.h"
#include "transport/channel_state.h"
#include "transport/malformed_input.h"
#include "transport/out_of_memory.h"

namespace orbweaver::transport::mqueue {
namespace {

constexpr Deadline kNow{0};  // in the past: fails instead of waiting

/// Intrusive list of all channels of the process.
struct Channels {
  std::mutex mutex;
  ChannelEntry* first = nullptr;
};
Channels& channels() {
  static auto& all = *new Channels;  // never destroyed: a channel may outlive static objects
  return all;
}

}  // namespace

bool queues_will_be_free() noexcept {
  const std::lock_guard lock(channels().mutex);
  for (const ChannelEntry* each = channels().first; each != nullptr; each = each->next_) {
    const MqueueChannel* const channel = each->channel_;
    if (channel == nullptr || channel->closed_ || channel->peer_disconnected_) return true;
    // its peer has just disconnected
    if (platform::poll(channel->socket_, platform::kReadable, kNow) != 0) return true;
  }
  return false;
}

void ChannelEntry::add(MqueueChannel& channel) noexcept {
  const std::lock_guard lock(channels().mutex);
  channel_ = &channel;
  listed_ = true;
  next_ = std::exchange(channels().first, this);
  if (next_ != nullptr) next_->previous_ = this;
}

ChannelEntry::~ChannelEntry() {
  const std::lock_guard lock(channels().mutex);
  if (!listed_) return;
  (previous_ != nullptr ? previous_->next_ : channels().first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void ChannelEntry::begin_destruction() noexcept {
  const std::lock_guard lock(channels().mutex);
  channel_ = nullptr;
}

MqueueChannel::MqueueChannel(Queues queues, platform::Fd socket, Peer peer, const ChannelOptions& options)
    : queues_(std::move(queues)), socket_(std::move(socket)), peer_(std::move(peer)), options_(options),
      share_(
          options.budget,
          [this](const std::string& why) {
            log_refused(peer_, why);
            MqueueChannel::close();
          },
          ReceiveBudget::Timed::yes,
          [this] { return platform::poll(queues_.in, platform::kReadable, kNow) != 0; }),
      frames_(options_, queues_.in_message_bytes, &share_) {
  share_.count_for(peer_);
  capabilities_.batches_replies = true;
  capabilities_.batching = this;
  capabilities_.readiness = this;
  capabilities_.receive_status = this;
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] {
    peer_disconnected_.store(true);
    wake_receiver();
  });
  entry_.add(*this);
}

MqueueChannel::~MqueueChannel() {
  MqueueChannel::close();
  entry_.begin_destruction();
}

void MqueueChannel::close() noexcept {
  // Wakes a polling thread and the watch of either end, which wakes a thread that sleeps in the queue.
  if (!closed_.exchange(true)) platform::shutdown_both(socket_);
}

/// Wakes the receiver by an empty message, after closed_ or peer_disconnected_ was set; the receiver checks
/// both before it waits. If the queue is full, it does not wait.
void MqueueChannel::wake_receiver() noexcept { platform::send_message(queues_.in, {}, kNow); }

int MqueueChannel::descriptor() noexcept try {
  if (poll_set_ == nullptr) {
    auto both = std::make_unique<platform::PollSet>();
    if (both->add(queues_.in.get(), 0, platform::PollSet::Trigger::level) != 0 ||
        both->add(socket_.get(), 0, platform::PollSet::Trigger::level) != 0) {
      return -1;
    }
    poll_set_ = std::move(both);
  }
  return poll_set_->fd().get();
} catch (const std::bad_alloc&) {
  return -1;
}

/// Nothing to arm: the descriptors of the queue and the socket are always polled.
bool MqueueChannel::arm() noexcept { return !closed_ && !frames_.has_some(); }

Error MqueueChannel::disconnected_error() const {
  return Error{ErrorKind::disconnected,
               closed_ ? "the connection was closed at this end" : peer_.address + " has disconnected"};
}

Error MqueueChannel::deadline_error() const {
  return Error{ErrorKind::timed_out, peer_.address + ": receive timed out"};
}

bool MqueueChannel::sleep(const platform::Fd& queue, unsigned events, Deadline deadline) noexcept {
  std::array<platform::PollItem, 2> items{{{queue.get(), events}, {socket_.get(), platform::kReadable}}};
  if (platform::poll(items, deadline) == 0) return false;
  // No data is sent over the socket once a connection has begun: a readable socket means disconnect.
  if (items[1].ready != 0) peer_disconnected_ = true;
  return true;
}

Result<MutableBytes> MqueueChannel::claim(std::size_t bytes, Deadline deadline) noexcept try {
  if (closed_ || peer_disconnected_) [[unlikely]]
    return disconnected_error();
  if (bytes > options_.max_frame_bytes) [[unlikely]]
    return frame_limit_error(bytes, options_.max_frame_bytes);
  if (deadline.ns <= 0 && platform::poll(queues_.out, platform::kWritable, deadline) == 0) {
    return Error{ErrorKind::timed_out, peer_.address + ": send would block"};
  }
  const std::size_t at = kHeaderBytes + round_up(queued_, 8);
  if (!outgoing_.grow(at + bytes, queued_ == 0 ? 0 : kHeaderBytes + queued_))
    return no_memory_for_frame_error(bytes);
  return MutableBytes(outgoing_.data() + at, bytes);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> MqueueChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (queued_ == 0) [[likely]]
    return send_frame(0, bytes, deadline);
  const std::size_t at = round_up(queued_, 8);
  // one message holds this frame and the queued ones
  if (kHeaderBytes + at + bytes <= queues_.out_message_bytes) {
    Result<void> sent = send_one(outgoing_.data(), kFrames, at + bytes, deadline);
    if (sent) queued_ = queued_frames_ = 0;
    return sent;
  }
  if (Result<void> sent = flush(deadline); !sent) return sent;
  return send_frame(at, bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> MqueueChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  if (closed_ || peer_disconnected_) [[unlikely]]
    return disconnected_error();
  const std::size_t at = round_up(queued_, 8);
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
  return close_out_of_memory(*this);
}

Result<void> MqueueChannel::flush(Deadline deadline) noexcept try {
  if (queued_ == 0) return {};
  Result<void> sent = send_one(outgoing_.data(), queued_frames_ == 1 ? kFrame : kFrames, queued_, deadline);
  if (sent) queued_ = queued_frames_ = 0;
  return sent;
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> MqueueChannel::send_frame(std::size_t at, std::size_t bytes, Deadline deadline) {
  assert(kHeaderBytes + at + bytes <= outgoing_.size());
  const std::size_t part_bytes = queues_.out_message_bytes - kHeaderBytes;
  for (std::size_t sent = 0; sent < bytes;) {
    const std::size_t now = std::min(part_bytes, bytes - sent);
    const bool is_last = sent + now == bytes;
    // The header overwrites the end of the part before, which has been sent: no copy is needed.
    Result<void> done = send_one(outgoing_.data() + at + sent,
                                 sent == 0 && is_last ? kFrame
                                 : is_last            ? kLast
                                                      : kPart,
                                 now, deadline);
    if (!done) [[unlikely]] {
      // The peer expects the rest of this frame and would take later data for it.
      if (sent > 0 && done.error().kind == ErrorKind::timed_out) close();
      return done;
    }
    sent += now;
  }
  outgoing_.note_use(kHeaderBytes + at + bytes);
  return {};
}

/// `message` has room for a header, followed by `bytes` of payload.
Result<void> MqueueChannel::send_one(std::uint8_t* message, std::uint32_t kind, std::size_t bytes,
                                     Deadline deadline) {
  const MessageHeader header{kind, 0};
  std::memcpy(message, &header, kHeaderBytes);
  for (;;) {
    if (closed_ || peer_disconnected_) [[unlikely]]
      return disconnected_error();
    const platform::IoResult sent =
        platform::try_send_message(queues_.out, Bytes(message, kHeaderBytes + bytes));
    if (sent.error == 0) [[likely]]
      return {};
    if (sent.error != EAGAIN) {
      return Error{ErrorKind::disconnected,
                   "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    }
    bool in_time = true;
    if (options_.wait == WaitStrategy::spin) {
      in_time = !deadline.passed();
      platform::cpu_relax();
    } else {
      in_time = sleep(queues_.out, platform::kWritable, deadline);
    }
    if (!in_time) return Error{ErrorKind::timed_out, peer_.address + ": send timed out: queue full"};
  }
}

platform::IoResult MqueueChannel::take(MutableBytes room, Deadline deadline) noexcept {
  // read before the queue: everything that the peer sent is then in the queue
  const bool was_disconnected = peer_disconnected_;
  if (deadline.is_never() && !was_disconnected) return platform::receive_message(queues_.in, room, deadline);
  const platform::IoResult got = platform::receive_message(queues_.in, room, kNow);
  if (got.error == EAGAIN && was_disconnected) return {0, EPIPE};
  return got;
}

Result<void> MqueueChannel::fetch_message(Deadline deadline) {
  const MutableBytes room = frames_.room();
  if (room.empty()) {
    return Error{ErrorKind::disconnected,
                 "no memory for a message of " + std::to_string(queues_.in_message_bytes) + " bytes"};
  }
  Result<bool> fetched = spin_for_message(room, deadline);
  if (fetched && !*fetched) fetched = sleep_for_message(room, deadline);
  return fetched ? Result<void>() : fetched.take_error();
}

Result<bool> MqueueChannel::try_fetch_message(MutableBytes room, Deadline deadline) {
  for (;;) {
    if (closed_) [[unlikely]]
      return disconnected_error();
    const platform::IoResult got = take(room, deadline);
    if (closed_) [[unlikely]]
      return disconnected_error();
    if (got.error == EAGAIN) return false;
    if (got.error == EPIPE) return disconnected_error();
    if (got.error != 0) {
      return Error{ErrorKind::disconnected,
                   "cannot receive from " + peer_.address + ": " + platform::error_text(got.error)};
    }
    if (got.bytes != 0) [[likely]] {
      frames_.arrived(got.bytes);
      return true;
    }
    // An empty message of wake_receiver reports the disconnect; the messages after it are still read.
    if (!peer_disconnected_)
      return Error{ErrorKind::disconnected, peer_.address + " sent a message of no bytes"};
  }
}

Result<bool> MqueueChannel::spin_for_message(MutableBytes room, Deadline deadline) {
  const bool always = options_.wait == WaitStrategy::spin;
  const std::int64_t spin_ns =
      options_.wait == WaitStrategy::adaptive && deadline.ns > 0 ? spin_.next_ns() : 0;
  if (!always && spin_ns <= 0) return false;
  const Deadline until = always ? Deadline::never() : Deadline::in_ns(spin_ns);
  for (bool first = true;; first = false) {
    Result<bool> fetched = try_fetch_message(room, kNow);
    if (!fetched) return fetched;
    if (*fetched) {
      if (!first) spin_.record_success();
      return fetched;
    }
    // sleep_for_message then polls the socket, too: the watch may not have reported a disconnect yet.
    if (deadline.passed()) return false;
    if (!always && until.passed()) {
      spin_.record_failure();
      return false;
    }
    platform::cpu_relax();
  }
}

Result<bool> MqueueChannel::sleep_for_message(MutableBytes room, Deadline deadline) {
  // Without a deadline the thread sleeps in the queue itself, by one system call. With a deadline it polls,
  // since the queue's clock is the wall clock.
  const bool polls_first = !deadline.is_never() && deadline.ns > 0;
  for (;;) {
    if (polls_first && !closed_ && !sleep(queues_.in, platform::kReadable, deadline)) return deadline_error();
    Result<bool> fetched = try_fetch_message(room, deadline);
    if (!fetched || *fetched) return fetched;
    // The socket may show the disconnect before the watch does. A peer may also have made this queue
    // non-blocking.
    if (!polls_first && !sleep(queues_.in, platform::kReadable, deadline)) return deadline_error();
  }
}

Result<Bytes> MqueueChannel::next_frame(Deadline deadline) {
  for (;;) {
    Result<Bytes> frame = frames_.next_frame();
    if (!frame && !closed_) [[unlikely]]
      log_refused(peer_, frame.error().message);
    if (!frame || !frame->empty()) [[likely]]
      return frame;
    if (Result<void> got = fetch_message(deadline); !got) return got.take_error();
  }
}

Result<Bytes> MqueueChannel::receive(Deadline deadline) noexcept try {
  Result<Bytes> frame = next_frame(deadline);
  // The data after a protocol violation cannot be parsed.
  if (!frame && frame.error().kind == ErrorKind::disconnected) [[unlikely]] {
    close();
    frames_.drop();
  }
  return frame;
} catch (...) {
  return close_out_of_memory(*this);
}

}  // namespace orbweaver::transport::mqueue
