#include "orb/client/client_connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "base/log.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"

namespace orbweaver {
namespace {

/// Replies of abandoned calls that are ignored when they arrive. If there are more, the server does not reply
/// at all: the connection is closed.
constexpr std::size_t kMaxIgnoredReplies = 1000;
/// Frames that a reader processes after its deadline, if they have already arrived: ignored replies may
/// precede the awaited one. The limit bounds the delay caused by a server that sends continuously.
constexpr std::size_t kMostLateFrames = kMaxIgnoredReplies;

/// Whether `frame` is the most frequent form of a reply: complete, GIOP 1.2, this machine's byte order, to
/// this request, NO_EXCEPTION, no service contexts. Each word is read once.
bool plain_reply_to(std::uint32_t request_id, Bytes frame) noexcept {
  static constexpr std::uint8_t kBeginning[8] = {'G', 'I', 'O', 'P', 1, 2, giop::kThisMachineIsLittleEndian,
                                                 1};
  if (frame.size() < ClientConnection::kPlainReplyBytes) return false;
  std::uint64_t beginning, expected;
  std::uint32_t words[4];  // size, request id, status, number of contexts
  std::memcpy(&beginning, frame.data(), 8);
  std::memcpy(&expected, kBeginning, 8);
  std::memcpy(words, frame.data() + 8, sizeof words);
  return beginning == expected && words[0] == frame.size() - giop::kHeaderBytes && words[1] == request_id &&
         words[2] == 0 && words[3] == 0;
}

}  // namespace

ClientConnection::ClientConnection(std::unique_ptr<transport::Channel> channel, std::string description,
                                   std::size_t max_message_bytes, orb::Reactor* reactor,
                                   std::shared_ptr<ReceiveBudget> budget)
    : channel_(std::move(channel)), takes_fragments_(channel_->allows_fragments()),
      block_sender_(channel_->block_sender()), description_(std::move(description)), reactor_(reactor),
      checks_after_idle_(!channel_->claim_detects_disconnect()),
      share_(std::move(budget), [this](const std::string& why) { end(why); }),
      assembler_(max_message_bytes, limits::kMaxFragmentedMessages, &share_) {
  share_.count_for(channel_->peer());
  last_used_ns_.store(now_ns(), std::memory_order_relaxed);  // a new connection needs no check
}

ClientConnection::~ClientConnection() { place_ = nullptr; }

void ClientConnection::close() noexcept {
  if (const std::unique_lock lock(send_lock_, std::try_to_lock); lock && queued_bytes_ != 0) {
    if (const auto sent = channel_->flush(Deadline::in_ms(100)))
      mark_queue_sent();
    else
      fail_queued_calls(sent.error().message);
  }
  usable_.store(false, std::memory_order_release);
  const std::lock_guard channel(channel_mutex_);
  channel_->close();
}

/// Closes the connection because a limit for received messages was exceeded. Any thread.
void ClientConnection::end(const std::string& why) {
  const std::lock_guard channel(channel_mutex_);
  log::write_limited(log::Level::warn, "connection ended for what was received",
                     log::origin(channel_->peer()),
                     [&] { return "connection to " + description_ + " closed: " + why; });
  usable_.store(false, std::memory_order_release);
  channel_->close();
}

Error ClientConnection::fail(Error error) noexcept {
  if (error.kind == ErrorKind::disconnected) usable_.store(false, std::memory_order_release);
  return error;
}

void ClientConnection::check_for_close() {
  if (has_reader_.exchange(true, std::memory_order_seq_cst)) return;  // the current reader will detect it
  read_pending();
}

/// Processes the frames that have arrived, then releases the reader role. Called by the reader.
void ClientConnection::read_pending() {
  constexpr std::uint32_t kNoRequest = 0;  // request ids begin at 1
  Reply unused;
  if (auto read = read_until(kNoRequest, Deadline::in_ns(0), unused)) {
    release(unused);
  } else {
    fail(read.take_error());
  }
}

Result<void> ClientConnection::await(std::uint32_t request_id, Deadline deadline, Reply& reply) try {
  if (reactor_ == nullptr) [[likely]]
    return await_blocking(request_id, deadline, reply);
  if (reactor_->must_serve_while_waiting()) return await_while_serving(request_id, deadline, reply);
  const orb::ThreadPool::BlockedScope blocked;
  return await_blocking(request_id, deadline, reply);
} catch (const std::bad_alloc&) {
  ignore_reply(request_id);
  return Error{ErrorKind::disconnected, "no memory"};
}

Result<void> ClientConnection::await_blocking(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  Result<void> done;
  if (!has_reader_.exchange(true, std::memory_order_seq_cst)) {
    // Another thread may have read this reply since the commit; it stored the reply before it released the
    // role.
    if (early_reply_count_.load(std::memory_order_relaxed) != 0 && take_early_reply(request_id, reply)) {
      release_reader_role();
    } else {
      done = read_until(request_id, deadline, reply);
    }
  } else {
    auto followed = wait_as_follower(request_id, deadline, reply);
    if (!followed) {
      done = followed.take_error();
    } else if (!*followed) {
      done = read_until(request_id, deadline, reply);
    }
  }
  if (!done) {
    ignore_reply(request_id);
    return fail(done.take_error());
  }
  return {};
}

/// Takes a reply that was received before its thread began to wait.
bool ClientConnection::take_early_reply(std::uint32_t request_id, Reply& reply) {
  const std::lock_guard lock(reply_mutex_);
  return take_early_reply_locked(request_id, reply);
}

bool ClientConnection::take_early_reply_locked(std::uint32_t request_id, Reply& reply) {
  for (auto entry = early_replies_.begin(); entry != early_replies_.end(); ++entry) {
    if (entry->request_id != request_id) continue;
    reply.header = entry->header;
    reply.copied_message = std::move(entry->bytes);
    reply.message = reply.copied_message;
    early_replies_.erase(entry);
    early_reply_count_.store(static_cast<std::uint32_t>(early_replies_.size()), std::memory_order_relaxed);
    return true;
  }
  return false;
}

/// Waits while another thread reads. True: the reply was delivered; false: this thread is the reader now.
Result<bool> ClientConnection::wait_as_follower(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  std::unique_lock lock(reply_mutex_);
  if (take_early_reply_locked(request_id, reply)) return true;
  PendingReply waiter{request_id, &reply};
  pending_replies_.push_back(&waiter);
  // seq_cst, with release_reader_role: either it sees this follower or this follower sees the free role.
  followers_.fetch_add(1, std::memory_order_seq_cst);
  bool reads = false, late = false;
  while (!waiter.ready) {
    reads = !has_reader_.exchange(true, std::memory_order_seq_cst);
    if (reads) break;
    if (deadline.is_never()) {
      reply_changed_.wait(lock);
    } else if (deadline.passed()) {
      late = true;
      break;
    } else {
      reply_changed_.wait_for(lock, std::chrono::nanoseconds(deadline.ns - now_ns()));
    }
  }
  followers_.fetch_sub(1, std::memory_order_relaxed);
  pending_replies_.erase(std::find(pending_replies_.begin(), pending_replies_.end(), &waiter));
  if (late) return Error{ErrorKind::timed_out, "deadline exceeded while waiting for the reply"};
  return !reads;
}

/// Releases the reader role and wakes the followers.
void ClientConnection::release_reader_role() noexcept {
  has_reader_.exchange(false, std::memory_order_seq_cst);
  if (followers_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(reply_mutex_);
  reply_changed_.notify_all();
}

/// Ends reading with `error`. References keep a failed connection until they are used again; the memory of
/// its incomplete messages is released now.
Error ClientConnection::end_reading(Error error) noexcept {
  if (error.kind == ErrorKind::disconnected) assembler_.clear();
  release_reader_role();
  return error;
}

/// Reads until the reply to `request_id` arrives. Called by the reader; the role is kept only if `reply` is
/// in the channel.
Result<void> ClientConnection::read_until(std::uint32_t request_id, Deadline deadline, Reply& reply) {
  bool has_frame = false;
  try {
    return read_frames(request_id, deadline, reply, has_frame);
  } catch (const std::bad_alloc&) {
    channel_->close();  // the reply lost may be another thread's
    if (has_frame) channel_->release();
    return end_reading({ErrorKind::disconnected, "no memory"});
  }
}

Result<void> ClientConnection::read_frames(std::uint32_t request_id, Deadline deadline, Reply& reply,
                                           bool& has_frame) {
  for (std::size_t late_frames = 0;;) {
    auto frame = channel_->receive(deadline);
    if (!frame) return end_reading(frame.take_error());
    has_frame = true;
    if (plain_reply_to(request_id, *frame) && outstanding_replies() != 0) [[likely]] {
      count_reply();
      reply.header.version = giop::kGiop12;
      reply.header.type = giop::MessageType::reply;
      reply.message = *frame;
      reply.plain = true;
      reply.in_channel = true;
      return {};
    }
    giop::MessageHeader header;
    if (!giop::read_header(*frame, header)) {
      Error error = giop::invalid_header_error(*frame);
      channel_->close();
      return end_reading(std::move(error));
    }
    auto message = assembler_.add(*frame, header);
    if (!message) {
      channel_->close();
      return end_reading(message.take_error());
    }
    Result<void> step;
    if (message->empty()) {
      // A fragment; the message is incomplete.
    } else if (header.type == giop::MessageType::reply || header.type == giop::MessageType::locate_reply) {
      // GIOP 1.2 replies and locate replies begin with the request id; GIOP 1.0 and 1.1 replies with the
      // contexts.
      cdr::Decoder in = giop::open_body(*message, header);
      std::uint32_t id = 0;
      if (header.type == giop::MessageType::reply && header.version < giop::kGiop12) {
        giop::ReplyHeader old;
        giop::decode_reply(in, header.version, old);
        id = old.request_id;
      } else {
        id = in.get<std::uint32_t>();
      }
      const bool expected = is_reply_expected(id);
      count_reply();
      if (in.ok() && !expected) {
        step = Error{ErrorKind::disconnected, description_ + ": unexpected reply: request " +
                                                  std::to_string(id) + " is not outstanding"};
      } else if (in.ok() && id == request_id) {
        reply.header = header;
        reply.message = *message;
        reply.in_channel = true;
        return {};
      } else if (in.ok()) {
        deliver_reply(id, header, *message);
      } else {
        step = giop::malformed("reply header", in);
      }
    } else {
      step = control(header);
    }
    has_frame = false;
    channel_->release();
    if (!step) {
      channel_->close();
      return end_reading(step.take_error());
    }
    if (deadline.passed() && ++late_frames == kMostLateFrames) {
      return end_reading({ErrorKind::timed_out,
                          "deadline exceeded while waiting for the reply: the server sends continuously"});
    }
  }
}

/// Whether a reply to `request_id` is expected. If only replies to incomplete requests are outstanding, only
/// those are.
bool ClientConnection::is_reply_expected(std::uint32_t request_id) const noexcept {
  const std::uint64_t outstanding = outstanding_replies();
  if (outstanding > incomplete_count_.load(std::memory_order_relaxed)) [[likely]]
    return true;
  const std::lock_guard lock(reply_mutex_);
  return outstanding != 0 && find_incomplete(request_id) != kMaxIncompleteRequests;
}

/// Index of `request_id` in incomplete_requests_, kMaxIncompleteRequests if it is not there. Called with the
/// lock.
std::size_t ClientConnection::find_incomplete(std::uint32_t request_id) const noexcept {
  const auto end = incomplete_requests_.begin() + incomplete_count_.load(std::memory_order_relaxed);
  const auto at = std::find(incomplete_requests_.begin(), end, request_id);
  return at == end ? kMaxIncompleteRequests : static_cast<std::size_t>(at - incomplete_requests_.begin());
}

/// Called by the reader only.
void ClientConnection::count_reply() noexcept {
  replies_received_.store(replies_received_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Whether a reply is outstanding that is neither ignored nor incomplete: those may have been lost on an
/// unreliable transport.
bool ClientConnection::has_outstanding_beyond_lost() const noexcept {
  const std::lock_guard lock(reply_mutex_);
  return outstanding_replies() > ignored_replies_.size() + incomplete_count_.load(std::memory_order_relaxed);
}

void ClientConnection::deliver_reply(std::uint32_t request_id, const giop::MessageHeader& header,
                                     Bytes message) {
  const std::lock_guard lock(reply_mutex_);
  if (ignored_replies_.erase(request_id) != 0) return;
  if (const std::size_t at = find_incomplete(request_id); at != kMaxIncompleteRequests) {
    const std::uint32_t remaining = incomplete_count_.load(std::memory_order_relaxed) - 1;
    std::copy(incomplete_requests_.begin() + at + 1, incomplete_requests_.begin() + remaining + 1,
              incomplete_requests_.begin() + at);
    incomplete_count_.store(remaining, std::memory_order_relaxed);
    return;
  }
  for (PendingReply* waiter : pending_replies_) {
    if (waiter->request_id != request_id || waiter->ready) continue;
    waiter->reply->header = header;
    waiter->reply->copied_message.assign(message.begin(), message.end());
    waiter->reply->message = waiter->reply->copied_message;
    waiter->ready = true;
    reply_changed_.notify_all();
    return;
  }
  // The thread of the request does not wait yet. Their number is limited by that of the requests: see
  // requests_sent_.
  early_replies_.push_back({request_id, header, {message.begin(), message.end()}});
  early_reply_count_.store(static_cast<std::uint32_t>(early_replies_.size()), std::memory_order_relaxed);
}

Result<void> ClientConnection::control(const giop::MessageHeader& header) {
  switch (header.type) {
    case giop::MessageType::close_connection:
      closed_orderly_.store(true, std::memory_order_release);
      usable_.store(false, std::memory_order_release);
      return Error{ErrorKind::disconnected, description_ + ": the server closed the connection"};
    case giop::MessageType::message_error:
      return Error{ErrorKind::disconnected, description_ + ": the server sent MessageError"};
    default:
      return Error{ErrorKind::disconnected,
                   description_ + ": unexpected message type " + giop::to_string(header.type)};
  }
}

/// Ignores a later reply to `request_id`. `close` is called without the lock: it may block, and other threads
/// may need the lock.
void ClientConnection::ignore_reply(std::uint32_t request_id) noexcept {
  bool remembered = false;
  try {
    const std::lock_guard lock(reply_mutex_);
    Reply arrived;
    if (take_early_reply_locked(request_id, arrived)) return;
    ignored_replies_.insert(request_id);
    remembered = ignored_replies_.size() <= kMaxIgnoredReplies;
  } catch (const std::bad_alloc&) {
  }
  if (!remembered) close();
}

void ClientConnection::release(Reply& reply) noexcept {
  if (!reply.in_channel) return;
  reply.in_channel = false;
  assembler_.release();
  channel_->release();
  release_reader_role();
}

}  // namespace orbweaver
