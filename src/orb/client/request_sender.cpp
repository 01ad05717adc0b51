#include "orb/client/request_sender.h"

#include <algorithm>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/bidirectional/own_listen_points.h"
#include "orb/client/reply_reader.h"
#include "orb/flusher.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"

namespace orbweaver::orb {
namespace {

/// Idle time after which a connection is checked before use, by one system call, whose cost is small beside
/// the pause. A server that closes later is detected by the bytes that its host did not receive.
constexpr std::int64_t kIdleBeforeCheck_ns = 100'000;
constexpr std::int64_t kFlushBatchBeforeClose_ms = 100;

}  // namespace

RequestSender::RequestSender(ConnectionState& state, ReplyTable& replies, ReplyReader& reader,
                             Flushable& connection, Reactor* reactor)
    : state_(state), replies_(replies), reader_(reader), connection_(connection), reactor_(reactor),
      allows_fragments_(state.channel->capabilities().allows_fragments),
      block_sender_(state.channel->capabilities().block_sender),
      checks_after_idle_(!state.channel->capabilities().claim_detects_disconnect),
      special_(reactor != nullptr   ? kClaimsSpecially | kHasReactor
               : checks_after_idle_ ? kClaimsSpecially
                                    : 0),
      queued_requests_(*this, connection, special_, kHasSendQueue) {
  last_used_ns_.store(now_ns(), std::memory_order_relaxed);  // a new connection needs no check
}

void RequestSender::offer(const OwnListenPoints& points, bool secure) noexcept {
  listen_points_ = &points;
  offers_secure_ = secure;
  id_step_ = 2;
  set_special(kOffers, true);
}

RequestSender::UnsentOffer RequestSender::unsent_offer() const {
  const std::uint32_t number = listen_points_->number();
  if (number == offered_.load(std::memory_order_relaxed)) return {};
  return {number, listen_points_->context(offers_secure_)};
}

/// Takes the send lock; false: not until `deadline`.
bool RequestSender::lock_until(Deadline deadline) noexcept {
  if (lock_.try_lock()) return true;
  // Only a hint for let_others_lock: the lock orders what it guards. The decrement must precede the wake-up.
  waiting_.fetch_add(1, std::memory_order_relaxed);
  const bool locked = lock_.lock(deadline);
  if (waiting_.fetch_sub(1, std::memory_order_seq_cst) == 1) waiting_.notify_all();
  return locked;
}

/// Waits while other threads wait for the send lock. For a thread that takes it again and again: the lock is
/// not fair.
void RequestSender::let_others_lock() noexcept {
  for (int waiting; (waiting = waiting_.load(std::memory_order_relaxed)) != 0;)
    waiting_.wait(waiting, std::memory_order_relaxed);
}

/// Takes the send lock. Each thread waits until its own deadline, however many wait before it.
Result<void> RequestSender::lock_to_send(Deadline deadline) {
  if (lock_until(deadline)) [[likely]]
    return {};
  return Error{ErrorKind::timed_out,
               state_.description +
                   ": deadline exceeded while other calls or queued one-way calls are still being sent"};
}

/// Takes the send lock, behind the requests that this thread has queued.
Result<void> RequestSender::lock_in_order(Deadline deadline) {
  return has_any(kHasSendQueue) ? queued_requests_.lock_behind(deadline) : lock_to_send(deadline);
}

Result<MutableBytes> RequestSender::claim_special(std::size_t bytes, Deadline deadline) {
  return reactor_ == nullptr ? claim_blocking(bytes, deadline) : claim_while_serving(bytes, deadline);
}

Result<MutableBytes> RequestSender::claim_blocking(std::size_t bytes, Deadline deadline) {
  if (auto locked = lock_in_order(deadline); !locked) [[unlikely]]
    return locked.take_error();
  check_after_idle();
  auto room = state_.channel->claim(bytes, deadline);
  if (!room) room = claim_failed(room.take_error());
  return room;
}

/// Serves requests while space or the send lock is awaited.
Result<MutableBytes> RequestSender::claim_while_serving(std::size_t bytes, Deadline deadline) {
  const std::uint64_t queued_before = has_any(kHasSendQueue) ? queued_requests_.pushed() : 0;
  for (;;) {
    const bool serves = reactor_->must_serve_while_waiting();
    // A thread that sends queued requests unlocks between two of them, for threads that wait for the lock.
    if (queued_requests_.has_thread() ? lock_until(Deadline::in_ms(kServeInterval_ms)) : lock_.try_lock()) {
      std::unique_lock lock(lock_, std::adopt_lock);
      const QueueProgress queue =
          queued_before == 0 ? QueueProgress::done : queued_requests_.send(queued_before, Deadline{0});
      if (queue == QueueProgress::done) {
        check_after_idle();
        auto room = state_.channel->claim(bytes, Deadline{0});
        if (room) {
          lock.release();  // until commit
          return room;
        }
        lock.unlock();
        if (room.error().kind != ErrorKind::timed_out || deadline.passed())
          return state_.note(room.take_error());
      } else {
        lock.unlock();
        if (queue == QueueProgress::failed) return queued_requests_.ended();
        if (queue == QueueProgress::must_wait) queued_requests_.start_thread();
        if (deadline.passed()) {
          return Error{ErrorKind::timed_out,
                       state_.description + ": deadline exceeded behind queued one-way calls"};
        }
      }
    } else if (serves && deadline.passed()) {
      return Error{ErrorKind::timed_out,
                   state_.description +
                       ": deadline exceeded while other calls or queued one-way calls are still being sent"};
    }
    if (!serves) {
      const ThreadPool::BlockedScope blocked;
      return claim_blocking(bytes, deadline);
    }
    reactor_->serve_while_waiting(Deadline::in_ms(kServeInterval_ms));
  }
}

/// Whether a claimed message of `bytes` bytes, and the batch before it, can be committed without a wait. A
/// channel that cannot be polled (-ORBWait spin) does not say: it has room in its ring for a small message.
bool RequestSender::commits_at_once(std::size_t bytes) const noexcept {
  constexpr std::size_t kSmallBytes = 1024;
  const transport::Readiness* const readiness = state_.channel->capabilities().readiness;
  const std::size_t all = queued_.bytes() + bytes;
  return readiness != nullptr ? readiness->commits_without_waiting(all) : all <= kSmallBytes;
}

Result<MutableBytes> RequestSender::claim_at_once(std::size_t bytes, Deadline until) {
  std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock && until.ns != 0 && lock_until(until)) lock = {lock_, std::adopt_lock};
  QueueProgress queue = lock ? QueueProgress::done : QueueProgress::must_wait;
  if (lock && has_any(kHasSendQueue)) queue = queued_requests_.send(queued_requests_.pushed(), Deadline{0});
  if (queue == QueueProgress::done) {
    check_after_idle();
    // Only a claim that may not wait tells whether a socket has space. A ring may look full until its
    // reader's position is read again, by a claim that waits.
    auto room = state_.channel->claim(bytes, Deadline{0});
    if (!room && room.error().kind == ErrorKind::timed_out && until.ns != 0 &&
        state_.channel->claim(bytes, until)) {
      state_.channel->abandon();
      room = state_.channel->claim(bytes, Deadline{0});
    }
    if (room && commits_at_once(bytes)) {
      lock.release();  // until commit
      return room;
    }
    if (room)
      state_.channel->abandon();
    else if (room.error().kind != ErrorKind::timed_out)
      return state_.note(room.take_error());
  }
  if (lock) lock.unlock();
  if (queue == QueueProgress::failed) return queued_requests_.ended();
  return Error{ErrorKind::timed_out, state_.description + ": sending would wait"};
}

bool RequestSender::has_sent_code_sets() noexcept {
  const std::unique_lock lock(lock_, std::try_to_lock);
  return lock && code_sets_sent_;
}

Result<MutableBytes> RequestSender::claim_failed(Error error) {
  lock_.unlock();
  return state_.note(std::move(error));
}

/// Processes what the server has sent since the last use, such as CloseConnection, before anything is sent.
/// Not while one-way calls are queued, as their sending has begun. Called with the send lock.
void RequestSender::check_after_idle() {
  if (!checks_after_idle_ || !queued_.empty()) return;
  const std::int64_t now = now_ns();
  const bool paused = now - last_used_ns_.load(std::memory_order_relaxed) >= kIdleBeforeCheck_ns;
  last_used_ns_.store(now, std::memory_order_relaxed);
  if (paused) reader_.check_for_close_if_readable();
}

/// Commits a message sent in fragments, or with batching.
Result<void> RequestSender::commit_special(std::size_t bytes, bool two_way, Deadline deadline) {
  count(bytes);
  bool has_sent = false;
  if (fragments_) {
    has_sent = fragments_->has_sent();
    const Error* const failure = fragments_->failure();
    if (has_sent) queued_.mark_sent();
    if (failure != nullptr) {
      Error error = *failure;
      end_fragments();
      return handle_failure(bytes, two_way, has_sent, std::move(error));
    }
    end_fragments();
  } else if (two_way) {
    replies_.count_request();
  }
  if (!two_way && batching_.delay_ns != 0 && !has_sent) return queue(bytes, deadline);
  Result<void> sent = state_.channel->commit(bytes, deadline);
  if (!sent) return handle_failure(bytes, two_way, has_sent, sent.take_error());
  queued_.mark_sent();
  lock_.unlock();
  return {};
}

/// Handles a message that was not sent completely. `has_sent`: an earlier fragment of it was sent.
Result<void> RequestSender::handle_failure(std::size_t bytes, bool two_way, bool has_sent, Error error) {
  if (error.kind == ErrorKind::timed_out && !has_sent && is_open()) {  // nothing was sent: undo
    committed_.store(send_position() - bytes, std::memory_order_release);
    if (two_way) replies_.mark_incomplete(last_request_id_);
    if (code_sets_request_ == last_request_id_) clear_code_sets_sent();
    if (is_unreliable_) queued_.mark_sent();  // the queued messages were dropped with it
    lock_.unlock();
    return error;
  }
  state_.mark_unusable();
  lose_queued_calls(error.message);
  return close_sending(std::move(error));
}

/// Handles a request of which `send` has failed: undoes its count if nothing was sent.
Error RequestSender::handle_send_failure(std::size_t bytes, bool two_way, Error error) {
  if (error.kind != ErrorKind::unavailable && (error.kind != ErrorKind::timed_out || !is_open())) {
    state_.mark_unusable();
    return close_sending(std::move(error));
  }
  committed_.store(send_position() - bytes, std::memory_order_release);
  if (two_way) replies_.count_request(-1);
  lock_.unlock();
  return error;
}

/// Whether the channel is open. Called with the send lock after ErrorKind::timed_out: nothing is claimed.
bool RequestSender::is_open() noexcept {
  const auto room = state_.channel->claim(1, Deadline{0});
  if (room) state_.channel->abandon();
  return room || room.error().kind != ErrorKind::disconnected;
}

/// Ends sending with `error`, and releases the send lock.
Error RequestSender::close_sending(Error error) {
  state_.mark_unusable();
  lock_.unlock();
  // A server sends CloseConnection before it closes. If sending fails at once (Unix socket), that message is
  // still to be read; it decides whether the call may be repeated.
  if (error.kind == ErrorKind::disconnected) reader_.check_for_close();
  return error;
}

std::uint64_t RequestSender::lost_calls() const noexcept {
  if (state_.usable.load(std::memory_order_acquire)) return 0;
  const std::size_t undelivered = state_.undelivered_bytes();
  return queued_requests_.lost() +
         (undelivered == 0 ? queued_.unsent() : queued_.lost(committed() - undelivered));
}

/// Gives up the queued messages: `lost_calls` returns their number. Called with the send lock.
[[gnu::cold]] void RequestSender::lose_queued_calls(const std::string& why) noexcept {
  if (queued_.empty()) return;
  queued_.mark_lost();
  catch_and_log("logging lost one-way calls", [&] {
    log::write_limited(log::Level::warn, "queued calls lost", log::origin(state_.channel->peer()), [&] {
      return state_.description + ": up to " + std::to_string(queued_.unsent()) +
             " queued one-way calls lost: " + why;
    });
  });
}

/// Queues a one-way call. The batch is sent when it is full, and at once if the flusher cannot be scheduled.
Result<void> RequestSender::queue(std::size_t bytes, Deadline deadline) {
  if (queued_.empty()) {
    queued_.begin(now_ns());
    if (!flush_scheduled_)
      flush_scheduled_ = batching_.flusher->add(connection_, queued_.since_ns() + batching_.delay_ns);
  }
  const bool full = queued_.bytes() + bytes >= batching_.bytes || !flush_scheduled_;
  transport::BatchedSending* const batched = full ? nullptr : state_.channel->capabilities().batching;
  Result<void> sent =
      batched != nullptr ? batched->queue(bytes, deadline) : state_.channel->commit(bytes, deadline);
  // The message would remain here: it is queued, and the server has just closed the connection.
  if (sent && !full && !state_.usable.load(std::memory_order_acquire)) [[unlikely]]
    sent = Error{ErrorKind::disconnected, state_.description + ": the server closed the connection"};
  if (!sent) [[unlikely]]
    return handle_failure(bytes, false, false, sent.take_error());
  if (full) {
    queued_.mark_sent();
  } else {
    queued_.add(bytes, send_position());
  }
  lock_.unlock();
  return {};
}

Result<void> RequestSender::flush_channel(Deadline deadline) noexcept {
  transport::BatchedSending* const batched = state_.channel->capabilities().batching;
  return batched != nullptr ? batched->flush(deadline) : Result<void>();
}

/// Sends the queued messages. After ErrorKind::timed_out they stay queued, and the connection stays usable;
/// after other errors they are lost. Called with the send lock.
Result<void> RequestSender::flush_locked(Deadline deadline) {
  if (queued_.empty()) return {};
  if (!state_.usable.load(std::memory_order_acquire)) {
    lose_queued_calls("the connection is closed");
    return {};
  }
  Result<void> sent = flush_channel(deadline);
  if (sent) {
    queued_.mark_sent();
  } else if (sent.error().kind != ErrorKind::timed_out) {
    state_.mark_unusable();
    lose_queued_calls(sent.error().message);
  }
  return sent;
}

Result<void> RequestSender::flush(Deadline deadline) {
  if (auto locked = lock_in_order(deadline); !locked) return locked;
  Result<void> sent = flush_locked(deadline);
  if (!sent && sent.error().kind != ErrorKind::timed_out) return close_sending(sent.take_error());
  lock_.unlock();
  return sent;
}

std::int64_t RequestSender::flush_due() {
  constexpr std::int64_t kSoon_ns = 100'000, kLater_ns = 1'000'000;
  const std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock) return now_ns() + kSoon_ns;
  const std::int64_t due_ns = queued_.since_ns() + batching_.delay_ns;
  const bool usable = state_.usable.load(std::memory_order_acquire);
  flush_scheduled_ = !queued_.empty() && usable;
  if (flush_scheduled_ && now_ns() < due_ns) return due_ns;  // the scheduled batch has been sent already
  const Result<void> sent = flush_locked(Deadline::in_ns(0));
  if (!sent && sent.error().kind == ErrorKind::timed_out) return now_ns() + kLater_ns;
  flush_scheduled_ = false;
  return 0;
}

void RequestSender::flush_before_close(Deadline lock_deadline, Deadline deadline) noexcept {
  queued_requests_.close();
  if (!lock_until(queued_requests_.has_thread() ? deadline : lock_deadline)) return;
  queued_requests_.send_before_close(deadline);
  if (!queued_.empty()) {
    const Deadline soon = Deadline::in_ms(kFlushBatchBeforeClose_ms);
    if (const auto sent = flush_channel({std::min(deadline.ns, soon.ns)}))
      queued_.mark_sent();
    else
      lose_queued_calls(sent.error().message);
  }
  lock_.unlock();
}

std::unique_lock<platform::TimedMutex> RequestSender::lock_if_unused() {
  std::unique_lock lock(lock_, std::try_to_lock);
  if (lock && (!queued_.empty() || fragments_ || has_any(kHasSendQueue))) lock.unlock();
  return lock;
}

void RequestSender::abandon() noexcept {
  state_.channel->abandon();
  if (fragments_) [[unlikely]]
    cancel_fragments();
  lock_.unlock();
}

}  // namespace orbweaver::orb
