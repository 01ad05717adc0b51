#include "orb/client/async_replies.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/catch_and_log.h"
#include "giop/reply.h"
#include "orb/client/async_calls.h"
#include "orb/client/client_call.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {
namespace {

using CORBA::CompletionStatus;

thread_local const AsyncReplies* dispatched = nullptr;  // whose reply handlers this thread calls

/// The exception that `work` throws; null if none. The caller moves it into the call that it ends, so that
/// this thread holds no reference to it when the thread that waits for the call reads and destroys it.
template <class Work>
std::exception_ptr thrown_by(Work&& work) noexcept {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

std::exception_ptr timed_out(CompletionStatus completed) {
  return thrown_by([&] {
    raise_for({ErrorKind::timed_out, "deadline exceeded while waiting for the reply"}, completed);
  });
}

std::exception_ptr cancelled(CompletionStatus completed) {
  return std::make_exception_ptr(
      CORBA::TRANSIENT(minor::kCallCancelled, completed, "this program has cancelled the call"));
}

}  // namespace

AsyncReplies::AsyncReplies(Core& core, ClientConnection& connection)
    : core_(core), calls_(core.async_calls()), connection_(connection) {
  calls_.add(*this);
}

AsyncReplies::~AsyncReplies() { calls_.remove(*this); }

bool AsyncReplies::in_reply_handler() noexcept { return dispatched != nullptr; }

ClientConnectionPtr AsyncReplies::share_connection() noexcept {
  connection_._add_ref();
  return ClientConnectionPtr::adopt(&connection_);
}

void AsyncReplies::add(AsyncCall& call, std::uint32_t id, std::uint64_t send_position, giop::Version version,
                       std::int64_t deadline_ns) {
  ClientConnection* before = nullptr;  // released without the lock
  {
    const std::lock_guard lock(calls_.mutex());
    deadlines_.reserve_one();
    call.request_id_ = id;
    if (!has_reader_ && handler_ == nullptr) need_dispatcher();
    table_.insert(call);
    version_ = version;
    call.send_position_ = send_position;
    call.deadline_ns_ = deadline_ns;
    call.state_ = AsyncCall::State::sent;
    if (call.connection_ != &connection_) {
      before = std::exchange(call.connection_, &connection_);
      connection_._add_ref();
      call.replies_ = this;
    }
    if (deadline_ns != Deadline::never().ns) deadlines_.push(call);
    if (table_.size() == 1 && (parked_ || handler_ != nullptr)) wake_dispatcher();
  }
  if (before != nullptr) before->_remove_ref();
}

bool AsyncReplies::take_back(AsyncCall& call) noexcept {
  const std::lock_guard lock(calls_.mutex());
  if (call.state_ != AsyncCall::State::sent || call.replies_ != this) return false;
  detach(call);
  call.state_ = AsyncCall::State::unsent;
  return true;
}

/// Removes a call from its container. Locked.
void AsyncReplies::detach(AsyncCall& call) noexcept {
  deadlines_.erase(call);
  if (call.state_ == AsyncCall::State::sent) table_.take(call.request_id_);
  if (call.state_ == AsyncCall::State::queued) {
    queue_.erase(call);
    queued_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void AsyncReplies::queue(AsyncCall& call) {
  ClientConnection* before = nullptr;
  {
    const std::lock_guard lock(calls_.mutex());
    deadlines_.reserve_one();
    if (!has_reader_ && handler_ == nullptr) need_dispatcher();
    if (!has_sender_) {
      calls_.start_thread("ow-async", share_connection(), [this] { run_sender(); });
      has_sender_ = true;
    }
    if (call.connection_ != &connection_) {
      before = std::exchange(call.connection_, &connection_);
      connection_._add_ref();
      call.replies_ = this;
    }
    call.state_ = AsyncCall::State::queued;
    queue_.push_back(call);
    queued_.fetch_add(1, std::memory_order_relaxed);
    if (call.deadline_ns_ != Deadline::never().ns) deadlines_.push(call);
    changed_.notify_all();
    wake_dispatcher();
  }
  if (before != nullptr) before->_remove_ref();
}

/// Queues a call whose request was not executed. If that fails, the call ends.
void AsyncReplies::send_again(AsyncCall& call) noexcept {
  if (call.observer_ != nullptr) {
    call.is_repeated_ = true;
    return keep_reply(call);
  }
  if (std::exception_ptr failure = thrown_by([&] { queue(call); })) fail(call, std::move(failure));
}

void AsyncReplies::run_sender() {
  constexpr std::chrono::seconds kIdle{1};
  Lock lock(calls_.mutex());
  for (;;) {
    AsyncCall* const call = queue_.pop_front();
    if (call == nullptr) {
      if (calls_.stopping()) break;
      const bool idle = changed_.wait_for(lock, kIdle) == std::cv_status::timeout;
      if (idle && queue_.empty()) break;
      continue;
    }
    deadlines_.erase(*call);
    call->state_ = AsyncCall::State::sending;
    call->_add_ref();
    lock.unlock();
    catch_and_log("sending an asynchronous call", [&] {
      std::exception_ptr failure = thrown_by([&] { ClientCall::send(*call); });
      if (failure) fail(*call, std::move(failure));
    });
    lock.lock();
    queued_.fetch_sub(1, std::memory_order_relaxed);
    if (call->state_ == AsyncCall::State::sending) call->state_ = AsyncCall::State::ended;  // failed
    changed_.notify_all();
    if (call->cancelled_ && call->state_ == AsyncCall::State::sent)
      call->replies_->end_early(lock, *call, nullptr);
    lock.unlock();
    call->_remove_ref();
    lock.lock();
  }
  has_sender_ = false;
}

void AsyncReplies::wait_until_sent(AsyncCall& call) {
  if (in_reply_handler()) return;
  const auto is_unsent = [&] {
    return call.state_ == AsyncCall::State::queued || call.state_ == AsyncCall::State::sending;
  };
  Lock lock(calls_.mutex());
  while (is_unsent()) {
    if (core_.must_serve_while_waiting()) {
      lock.unlock();
      read_arrived();
      core_.serve_while_waiting(Deadline::in_ms(kServeInterval_ms));
      lock.lock();
    } else {
      wait_once(lock, Deadline::in_ms(kServeInterval_ms), call);
    }
  }
}

AsyncCall* AsyncReplies::take_sent(std::uint32_t id, bool& abandoned) noexcept {
  const std::lock_guard lock(calls_.mutex());
  AsyncCall* const call = table_.take(id);
  if (call == nullptr) {
    abandoned = !abandoned_.empty() && abandoned_.erase(id) != 0;
    return nullptr;
  }
  deadlines_.erase(*call);
  call->state_ = AsyncCall::State::ended;
  return call;
}

bool AsyncReplies::take_plain(std::uint32_t id, Bytes message) noexcept {
  bool abandoned = false;
  AsyncCall* const call = take_sent(id, abandoned);
  if (call == nullptr) return abandoned;
  try {
    cdr::Decoder in(message.data(), message.size(), false);
    in.skip(ReplyReader::kPlainReplyBytes);
    in.broker(&core_);
    call->decode(in);
    if (!in.ok()) [[unlikely]]
      raise_results_malformed(*call->operation_, in);
  } catch (...) {
    call->failure_ = std::current_exception();
  }
  if (call->observer_ == nullptr && dispatcher_reads_.load(std::memory_order_relaxed))
    keep_for_dispatcher(*call);
  else
    finish(*call);
  return true;
}

bool AsyncReplies::take(std::uint32_t id, const giop::MessageHeader& header, Bytes message) noexcept {
  bool abandoned = false;
  AsyncCall* const call = take_sent(id, abandoned);
  if (call == nullptr) return abandoned;
  take_read();
  std::exception_ptr failure = thrown_by([&] { decode_reply(*call, header, message); });
  if (failure) fail(*call, std::move(failure));
  return true;
}

void AsyncReplies::decode_reply(AsyncCall& call, const giop::MessageHeader& header, Bytes message) {
  // A call that has moved is sent again by another thread: sending may need a wait.
  if (ClientCall::take_reply(call, header, message)) return finish(call);
  send_again(call);
}

/// Completes a call whose reply the dispatcher has read, which calls its handler when it stops reading.
void AsyncReplies::keep_for_dispatcher(AsyncCall& call) noexcept {
  call.complete_.store(true, std::memory_order_seq_cst);  // as in complete()
  const bool has_handler = call.arrived();
  if (has_handler) {
    read_.push_back(call);
    has_ready_.store(true, std::memory_order_relaxed);
  }
  if (waiters_.load(std::memory_order_seq_cst) != 0) {
    const std::lock_guard lock(calls_.mutex());
    changed_.notify_all();
  }
  if (!has_handler) calls_.end(call);
}

/// Makes the calls whose replies the dispatcher has read ready to be run. Called by the reader.
void AsyncReplies::take_read() noexcept {
  if (read_.empty()) return;
  const std::lock_guard lock(calls_.mutex());
  ready_.append(std::exchange(read_, CallList()));
}

/// Completes a call that is in no container, or keeps it for its observer.
void AsyncReplies::finish(AsyncCall& call) noexcept {
  call.observer_ == nullptr ? complete(call) : keep_reply(call);
}

void AsyncReplies::complete(AsyncCall& call) noexcept {
  // seq_cst, as the increment of waiters_: one of the two threads sees the other.
  call.complete_.store(true, std::memory_order_seq_cst);
  if (call.arrived()) {
    const std::lock_guard lock(calls_.mutex());
    ready_.push_back(call);
    has_ready_.store(true, std::memory_order_relaxed);
    if (!dispatcher_reads_.load(std::memory_order_relaxed)) wake_dispatcher();
    if (waiters_.load(std::memory_order_relaxed) != 0) changed_.notify_all();
    return;
  }
  if (waiters_.load(std::memory_order_seq_cst) != 0) {
    const std::lock_guard lock(calls_.mutex());
    changed_.notify_all();
  }
  calls_.end(call);
}

void AsyncReplies::fail(AsyncCall& call, std::exception_ptr failure) noexcept {
  call.failure_ = std::move(failure);
  finish(call);
}

/// Calls the reply handlers of the calls that are complete, unless another thread does. Locked.
void AsyncReplies::dispatch(Lock& lock) {
  if (dispatching_) return;
  dispatching_ = true;
  while (!ready_.empty() || !replied_.empty()) {
    AsyncCall* const replied = replied_.pop_front();
    CallList batch = std::exchange(ready_, CallList());
    has_ready_.store(!replied_.empty(), std::memory_order_relaxed);
    if (replied != nullptr) replied->state_ = AsyncCall::State::ended;
    lock.unlock();
    while (AsyncCall* const call = batch.pop_front()) run(*call);
    if (replied != nullptr) {
      const NoObjectScope scope(NoObjectScope::Calls::manager);
      const AsyncReplies* const before = std::exchange(dispatched, this);
      observe_reply(*replied);
      dispatched = before;
    }
    lock.lock();
  }
  dispatching_ = false;
  changed_.notify_all();
}

void AsyncReplies::run(AsyncCall& call) noexcept {
  const NoObjectScope scope(NoObjectScope::Calls::manager);  // shutdown(true) would deadlock, as in an upcall
  const AsyncReplies* const before = std::exchange(dispatched, this);
  catch_and_log("exception in a reply handler", [&] { call.run(); });
  dispatched = before;
  calls_.end(call);
}

/// The time until which the dispatcher may wait. A call that is made meanwhile may have an earlier deadline,
/// which the dispatcher notices at the end of this time. Locked.
AsyncReplies::Deadline AsyncReplies::next_deadline() const noexcept {
  constexpr std::int64_t kLongest_ms = 100, kLongestWithDeadlines_ms = 10, kLongestWithStarting_ms = 1;
  // A thread that ends the start of a call does not wake the reader.
  if (starting_ != 0) return Deadline::in_ms(kLongestWithStarting_ms);
  if (deadlines_.empty()) return Deadline::in_ms(kLongest_ms);
  return {std::min(deadlines_.first_ns(), Deadline::in_ms(kLongestWithDeadlines_ms).ns)};
}

void AsyncReplies::end_early(Lock& lock, AsyncCall& call, const Error* error) {
  using State = AsyncCall::State;
  if (call.state_ == State::sending && error == nullptr) call.cancelled_ = true;
  if (call.replies_ != this || (call.state_ != State::sent && call.state_ != State::queued)) return;
  const bool sent = call.state_ == State::sent;
  detach(call);
  call.state_ = State::ended;
  // A later reply is ignored. If as many replies are missing as calls may be in progress, the server does not
  // reply at all.
  bool closes = false;
  if (sent) {
    try {
      abandoned_.insert(call.request_id_);
      closes = abandoned_.size() > core_.options().async_calls;
    } catch (const std::bad_alloc&) {
      closes = true;
    }
  }
  const giop::Version version = version_;
  call._add_ref();
  lock.unlock();
  const auto completed = sent ? CompletionStatus::COMPLETED_MAYBE : CompletionStatus::COMPLETED_NO;
  const std::uint32_t id = call.request_id_;
  fail(call, error == nullptr ? cancelled(completed) : timed_out(completed));
  if (sent) connection_.sender().cancel(version, id);
  if (closes) connection_.close();
  call._remove_ref();
  lock.lock();
}

/// Ends the calls whose time is over. Locked.
void AsyncReplies::expire(Lock& lock) {
  if (deadlines_.empty()) return;
  const std::int64_t now = now_ns();
  const Error late{ErrorKind::timed_out, {}};
  while (AsyncCall* const call = deadlines_.first()) {
    if (call->deadline_ns_ > now) return;
    end_early(lock, *call, &late);
  }
}

/// Takes the reader role and reads until `read_until`, or until `awaited` is complete; false: another thread
/// has the role, and `until` has passed, or something has changed. Locked.
bool AsyncReplies::try_follow(Lock& lock, Deadline until, Deadline read_until, const AsyncCall* awaited) {
  ReplyReader& reader = connection_.reader();
  connection_.replies().add_follower();
  const bool reads = reader.try_take_role();
  if (reads) {
    connection_.replies().remove_follower();
    lock.unlock();
    read(read_until, awaited, awaited == nullptr ? Reads::as_dispatcher : Reads::for_waiter);
    lock.lock();
    return true;
  }
  // The thread that releases the role takes the lock before it notifies.
  changed_.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(until.ns)));
  connection_.replies().remove_follower();
  return false;
}

void AsyncReplies::wait_once(Lock& lock, Deadline until, const AsyncCall& call) {
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  const Deadline latest{std::min(until.ns, next_deadline().ns)};
  if (!call.is_complete()) try_follow(lock, latest, latest, &call);
  waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void AsyncReplies::read_arrived() {
  if (connection_.reader().try_take_role()) read(Deadline{0}, nullptr, Reads::for_waiter);
}

/// Reads replies, as the reader, and releases the role.
void AsyncReplies::read(Deadline until, const AsyncCall* awaited, Reads reads) {
  dispatcher_reads_.store(reads == Reads::as_dispatcher, std::memory_order_relaxed);
  std::size_t starting = 0;
  {
    const std::lock_guard lock(calls_.mutex());
    starting = starting_;
  }
  const auto stop = [&] {
    if (awaited != nullptr ? awaited->is_complete() : has_ready_.load(std::memory_order_relaxed)) return true;
    const std::lock_guard lock(calls_.mutex());
    return table_.empty() || starting_ != starting ||
           (awaited != nullptr && awaited->state_ == AsyncCall::State::replied);
  };
  Result<void> done = connection_.reader().read_replies(until, *this, stop, [&] {
    dispatcher_reads_.store(false, std::memory_order_relaxed);
    take_read();
  });
  if (!done && done.error().kind == ErrorKind::disconnected) connection_ended(done.error());
}

/// Ends the calls on a connection that has ended, or sends those again that the server has not begun.
void AsyncReplies::connection_ended(const Error& error) {
  std::vector<AsyncCall*> calls;
  try {
    const std::lock_guard lock(calls_.mutex());
    calls = table_.take_all();
    for (AsyncCall* call : calls) {
      deadlines_.erase(*call);
      call->state_ = AsyncCall::State::unsent;
    }
    abandoned_.clear();
  } catch (const std::bad_alloc&) {
    return;  // the next attempt to read comes here again
  }
  core_.connections().drop_closed();
  // One exception for all calls that the server may have begun. Each ends when the next is found, and the
  // last takes the exception with it (thrown_by).
  std::exception_ptr lost;
  AsyncCall* last_lost = nullptr;
  for (AsyncCall* call : calls) {
    bool is_lost = false;
    std::exception_ptr failure = thrown_by([&] {
      try {
        if (ClientCall::recover(*call, connection_, error)) send_again(*call);
      } catch (const CORBA::COMM_FAILURE&) {
        is_lost = true;
        throw;
      }
    });
    if (!failure) continue;
    if (!is_lost) {
      fail(*call, std::move(failure));
      continue;
    }
    if (!lost) lost = std::move(failure);
    if (last_lost != nullptr) fail(*last_lost, lost);
    last_lost = call;
  }
  if (last_lost != nullptr) fail(*last_lost, std::move(lost));
}

void AsyncReplies::end_all() {
  std::shared_ptr<Handler> handler;  // refers to the connection, which has this; released without the lock
  Lock lock(calls_.mutex());
  while (!is_idle()) {
    while (AsyncCall* const call = queue_.pop_front()) {
      queued_.fetch_sub(1, std::memory_order_relaxed);
      deadlines_.erase(*call);
      lock.unlock();
      std::exception_ptr failure = thrown_by([&] { core_.check_running(); });
      if (failure) fail(*call, std::move(failure));
      lock.lock();
    }
    if (!table_.empty()) {
      lock.unlock();
      connection_ended({ErrorKind::disconnected, connection_.description() + ": the ORB has been shut down"});
      lock.lock();
    }
    dispatch(lock);
    if (starting_ != 0) changed_.wait_for(lock, std::chrono::milliseconds(10));  // for another thread
  }
  handler = std::move(handler_);
}

}  // namespace orbweaver::orb
