// Sending of requests over a client connection: in order, at once or in batches.
#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/client/client_connection.h"
#include "orb/flusher.h"
#include "platform/socket.h"

namespace orbweaver {
namespace {

/// Idle time after which a connection is checked before use, by one system call, whose cost is small beside
/// the pause. A server that closes later is detected by the bytes that its host did not receive.
constexpr std::int64_t kIdleBeforeCheck_ns = 100'000;

}  // namespace

/// Takes the send lock. Each thread waits until its own deadline, however many wait before it.
Result<void> ClientConnection::lock_to_send(Deadline deadline) {
  if (send_lock_.lock(deadline)) [[likely]]
    return {};
  return Error{ErrorKind::timed_out, description_ + ": deadline exceeded while waiting for the send lock"};
}

Result<MutableBytes> ClientConnection::claim(std::size_t bytes, Deadline deadline) {
  if (reactor_ == nullptr) [[likely]]
    return claim_blocking(bytes, deadline);
  return claim_while_serving(bytes, deadline);
}

Result<MutableBytes> ClientConnection::claim_blocking(std::size_t bytes, Deadline deadline) {
  if (auto locked = lock_to_send(deadline); !locked) [[unlikely]]
    return locked.take_error();
  check_after_idle();
  auto room = channel_->claim(bytes, deadline);
  if (!room) {
    send_lock_.unlock();
    return fail(room.take_error());
  }
  return room;
}

/// Processes what the server has sent since the last use, such as CloseConnection, before anything is sent.
/// Not while one-way calls are queued, as their sending has begun. Called with the send lock.
void ClientConnection::check_after_idle() {
  if (!checks_after_idle_ || queued_bytes_ != 0) return;
  const std::int64_t now = now_ns();
  const bool paused = now - last_used_ns_.load(std::memory_order_relaxed) >= kIdleBeforeCheck_ns;
  last_used_ns_.store(now, std::memory_order_relaxed);
  if (!paused || has_reader_.exchange(true, std::memory_order_seq_cst)) return;  // the reader detects it
  const int fd = channel_->descriptor();
  platform::PollItem item{fd, platform::kReadable};
  const bool nothing = fd >= 0 && channel_->arm() && platform::poll(std::span(&item, 1), Deadline{0}) == 0;
  if (nothing) return release_reader_role();
  read_pending();
}

Result<void> ClientConnection::commit(std::size_t bytes, bool two_way, Deadline deadline) {
  // Counted before a reply can arrive; written only with the send lock.
  committed_.store(committed_.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
  bool has_sent = false;
  if (fragments_) [[unlikely]] {
    has_sent = fragments_->has_sent();
    const Error* const failure = fragments_->failure();
    if (has_sent) mark_queue_sent();
    if (failure != nullptr) {
      Error error = *failure;
      fragments_.reset();
      return handle_send_failure(bytes, two_way, has_sent, std::move(error));
    }
    fragments_.reset();
  } else if (two_way) {
    count_request(1);
  }
  if (!two_way && batching_.delay_ns != 0 && !has_sent) [[unlikely]]
    return queue(bytes, deadline);
  Result<void> sent = channel_->commit(bytes, deadline);
  if (!sent) [[unlikely]]
    return handle_send_failure(bytes, two_way, has_sent, sent.take_error());
  mark_queue_sent();
  send_lock_.unlock();
  return {};
}

/// Handles a message that was not sent completely. `has_sent`: an earlier fragment of it was sent.
Result<void> ClientConnection::handle_send_failure(std::size_t bytes, bool two_way, bool has_sent,
                                                   Error error) {
  if (error.kind == ErrorKind::timed_out && !has_sent && is_open()) {  // nothing was sent: undo
    committed_.store(committed_.load(std::memory_order_relaxed) - bytes, std::memory_order_release);
    if (two_way) mark_incomplete(last_request_id_);
    if (code_sets_request_ == last_request_id_) code_sets_sent_ = false;
    if (is_unreliable_) mark_queue_sent();  // the queued messages were dropped with it
    send_lock_.unlock();
    return error;
  }
  usable_.store(false, std::memory_order_release);
  fail_queued_calls(error.message);
  return close_sending(std::move(error));
}

/// Whether the channel is open. Called with the send lock after ErrorKind::timed_out: nothing is claimed.
bool ClientConnection::is_open() noexcept {
  const auto room = channel_->claim(1, Deadline{0});
  if (room) channel_->abandon();
  return room || room.error().kind != ErrorKind::disconnected;
}

Error ClientConnection::close_sending(Error error) {
  usable_.store(false, std::memory_order_release);
  send_lock_.unlock();
  // A server sends CloseConnection before it closes. If sending fails at once (Unix socket), that message is
  // still to be read; it decides whether the call may be repeated.
  if (error.kind == ErrorKind::disconnected) check_for_close();
  return error;
}

/// Records the queued messages as a batch that was sent. Called with the send lock.
void ClientConnection::mark_queue_sent() noexcept {
  if (queued_bytes_ == 0) [[likely]]
    return;
  queued_bytes_ = 0;
  const std::lock_guard lock(reply_mutex_);
  batches_[next_batch_] = {queued_end_, unsent_calls_.exchange(0, std::memory_order_acq_rel)};
  next_batch_ = (next_batch_ + 1) % kBatchesKept;
}

std::uint64_t ClientConnection::lost_calls() const noexcept {
  if (usable()) return 0;
  std::uint64_t lost = unsent_calls_.load(std::memory_order_acquire);
  const std::size_t undelivered = undelivered_bytes();
  if (undelivered == 0) return lost;
  const std::uint64_t delivered = committed_.load(std::memory_order_acquire) - undelivered;
  const std::lock_guard lock(reply_mutex_);
  for (const Batch& batch : batches_) {
    if (batch.end > delivered) lost += batch.calls;
  }
  return lost;
}

/// Records that the queued messages will not be sent: `lost_calls` returns their number. Called with the send
/// lock.
void ClientConnection::fail_queued_calls(const std::string& why) noexcept {
  if (queued_bytes_ == 0) return;
  queued_bytes_ = 0;
  catch_and_log("logging lost one-way calls", [&] {
    log::write_limited(log::Level::warn, "queued calls lost", log::origin(channel_->peer()), [&] {
      return description_ + ": up to " + std::to_string(unsent_calls_.load()) +
             " queued one-way calls lost: " + why;
    });
  });
}

/// Queues a one-way call. The batch is sent when it is full, and at once if the flusher cannot be scheduled.
Result<void> ClientConnection::queue(std::size_t bytes, Deadline deadline) {
  if (queued_bytes_ == 0) {
    queued_since_ns_ = now_ns();
    if (!flush_scheduled_)
      flush_scheduled_ = batching_.flusher->add(*this, queued_since_ns_ + batching_.delay_ns);
  }
  const bool full = queued_bytes_ + bytes >= batching_.bytes || !flush_scheduled_;
  Result<void> sent = full ? channel_->commit(bytes, deadline) : channel_->queue(bytes, deadline);
  // The message would remain here: it is queued, and the server has just closed the connection.
  if (sent && !full && !usable()) [[unlikely]]
    sent = Error{ErrorKind::disconnected, description_ + ": the server closed the connection"};
  if (!sent) [[unlikely]]
    return handle_send_failure(bytes, false, false, sent.take_error());
  if (full) {
    mark_queue_sent();
  } else {
    queued_bytes_ += bytes;
    queued_end_ = send_position();
    unsent_calls_.fetch_add(1, std::memory_order_release);
  }
  send_lock_.unlock();
  return {};
}

Result<void> ClientConnection::flush(Deadline deadline) {
  if (auto locked = lock_to_send(deadline); !locked) return locked.take_error();
  if (queued_bytes_ == 0 || !usable()) {
    fail_queued_calls("the connection is closed");
    send_lock_.unlock();
    return {};
  }
  Result<void> sent = channel_->flush(deadline);
  if (!sent && sent.error().kind != ErrorKind::timed_out) {
    usable_.store(false, std::memory_order_release);
    fail_queued_calls(sent.error().message);
    return close_sending(sent.take_error());
  }
  if (sent) mark_queue_sent();  // otherwise it stays queued, and the connection stays usable
  send_lock_.unlock();
  return sent;
}

std::int64_t ClientConnection::flush_due() {
  constexpr std::int64_t kSoon_ns = 100'000, kLater_ns = 1'000'000;
  const std::unique_lock lock(send_lock_, std::try_to_lock);
  if (!lock) return now_ns() + kSoon_ns;
  flush_scheduled_ = false;
  if (queued_bytes_ == 0) return 0;
  if (!usable()) {
    fail_queued_calls("the connection is closed");
    return 0;
  }
  flush_scheduled_ = true;
  const std::int64_t due_ns = queued_since_ns_ + batching_.delay_ns;
  if (now_ns() < due_ns) return due_ns;  // the scheduled batch has been sent already
  const Result<void> sent = channel_->flush(Deadline::in_ns(0));
  if (!sent && sent.error().kind == ErrorKind::timed_out) return now_ns() + kLater_ns;
  flush_scheduled_ = false;
  if (sent) {
    mark_queue_sent();
  } else {
    usable_.store(false, std::memory_order_release);
    fail_queued_calls(sent.error().message);
  }
  return 0;
}

void ClientConnection::abandon() noexcept {
  channel_->abandon();
  if (fragments_) [[unlikely]]
    cancel_fragments();
  send_lock_.unlock();
}

}  // namespace orbweaver
