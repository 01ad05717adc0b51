#include "orb/client/queued_request_sender.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "giop/request.h"
#include "orb/client/reply_reader.h"
#include "orb/client/request_sender.h"
#include "orb/client/send_queueing.h"
#include "orb/flusher.h"

namespace orbweaver::orb {
namespace {

// Intervals at which the flusher tries again to send to a transport without room. Doubled up to the longest.
constexpr std::int64_t kShortestRetry_ns = 100'000, kLongestRetry_ns = 10'000'000;

}  // namespace

Result<bool> QueuedRequestSender::push(QueuedRequest& request) {
  const bool usable = sender_.state_.usable.load(std::memory_order_acquire);
  switch (usable ? queue_.push(request) : SendQueue::PushResult::closed) {
    case SendQueue::PushResult::closed:
      return Error{ErrorKind::disconnected, sender_.state_.description + ": the connection has ended"};
    case SendQueue::PushResult::no_room: return false;
    case SendQueue::PushResult::scheduled: return true;
    case SendQueue::PushResult::to_schedule: break;
  }
  if (queueing_->flusher().add(connection_, now_ns(), &Flushable::send_queued_due)) return true;
  // The ORB is shut down, or there is no thread or memory for the flusher: closing the connection, or the
  // next call, sends or drops the request.
  queue_.unschedule();
  return true;
}

QueueProgress QueuedRequestSender::send_one(const QueuedRequest& request, Deadline deadline) {
  ConnectionState& state = sender_.state_;
  const std::size_t bytes = request.message.size();
  auto room = state.channel->claim(bytes, deadline);
  if (!room) {
    if (room.error().kind == ErrorKind::timed_out) return QueueProgress::no_room;
    if (room.error().kind == ErrorKind::disconnected) return QueueProgress::failed;
    log::debug([&] { return "dropped: " + room.error().message; });
    queue_.pop(false);  // such as too large for the transport
    return QueueProgress::done;
  }
  if (deadline.ns == 0 && !sender_.commits_at_once(bytes)) {
    state.channel->abandon();
    return QueueProgress::must_wait;
  }
  std::memcpy(room->data(), request.message.data(), bytes);
  if (request.has_leading_id) giop::RequestTemplate::complete(room->data(), bytes, sender_.next_request_id());
  sender_.count(bytes);
  if (const auto sent = state.channel->commit(bytes, deadline); !sent) {
    if (sent.error().kind == ErrorKind::timed_out && sender_.is_open()) {  // nothing was sent
      sender_.committed_.store(sender_.send_position() - bytes, std::memory_order_release);
      if (sender_.is_unreliable_) sender_.queued_.mark_sent();  // the queued messages were dropped with it
      return QueueProgress::no_room;
    }
    state.mark_unusable();
    sender_.lose_queued_calls(sent.error().message);
    return QueueProgress::failed;
  }
  sender_.queued_.mark_sent();
  if (request.has_code_sets) sender_.exchange_code_sets_sent();
  queue_.pop(true);
  return QueueProgress::done;
}

QueueProgress QueuedRequestSender::send(std::uint64_t end, Deadline deadline) {
  QueueProgress progress = QueueProgress::done;
  while (progress == QueueProgress::done) {
    const QueuedRequest* const next = queue_.front(end);
    if (next == nullptr) return QueueProgress::done;
    if (!sender_.state_.usable.load(std::memory_order_acquire))
      progress = QueueProgress::failed;
    else if (deadline.ns != 0 && deadline.passed())
      progress = QueueProgress::no_room;
    else
      progress = send_one(*next, deadline);
  }
  if (progress == QueueProgress::failed) lose();
  return progress;
}

/// Drops the requests of a connection that has ended. Called with the send lock.
void QueuedRequestSender::lose() noexcept {
  sender_.state_.mark_unusable();
  drop();
}

/// Drops the requests, and logs their number. Called with the send lock, or when no thread sends.
void QueuedRequestSender::drop() noexcept {
  const SendQueue::Dropped dropped = queue_.drop_all();
  if (dropped.number == 0) return;
  catch_and_log("logging dropped one-way calls", [&] {
    const ConnectionState& state = sender_.state_;
    log::write_limited(
        log::Level::warn, dropped.discarded ? "queued calls discarded" : "queued calls lost",
        log::origin(state.channel->peer()), [&] {
          return state.description + ": " + std::to_string(dropped.number) + " queued one-way calls " +
                 (dropped.discarded ? "discarded: not sent before this process closed the connection"
                                    : "lost: the connection has ended");
        });
  });
}

Error QueuedRequestSender::ended() {
  sender_.reader_.check_for_close();
  return {ErrorKind::disconnected, sender_.state_.description + ": the connection has ended"};
}

Result<void> QueuedRequestSender::lock_behind(Deadline deadline) {
  const std::uint64_t end = queue_.pushed();
  for (;;) {
    if (auto locked = sender_.lock_to_send(deadline); !locked) return locked;
    std::unique_lock lock(sender_.lock_, std::adopt_lock);
    const QueueProgress progress = send(end, deadline.is_never() ? deadline : Deadline{0});
    if (progress == QueueProgress::done) {
      lock.release();  // the caller's
      return {};
    }
    lock.unlock();
    if (progress == QueueProgress::failed) return ended();
    start_thread();
    if (!queue_.wait_until_popped(end, deadline)) {
      return Error{ErrorKind::timed_out,
                   sender_.state_.description + ": deadline exceeded behind queued one-way calls"};
    }
  }
}

void QueuedRequestSender::start_thread() {
  if (has_thread_.exchange(true)) return;
  if (!queueing_->start_thread(connection_)) has_thread_.store(false);
}

std::int64_t QueuedRequestSender::send_due() {
  if (std::unique_lock lock(sender_.lock_, std::try_to_lock); lock) {
    const QueueProgress progress = send(queue_.pushed(), Deadline{0});
    lock.unlock();
    if (progress == QueueProgress::failed) sender_.reader_.check_for_close();
    if (progress == QueueProgress::must_wait) start_thread();
  }
  if (queue_.unschedule_if_empty()) {
    retry_ns_ = 0;
    return 0;
  }
  const std::uint64_t popped = queue_.popped();
  const bool has_progressed = std::exchange(retried_at_, popped) != popped;
  retry_ns_ =
      has_progressed ? kShortestRetry_ns : std::clamp(2 * retry_ns_, kShortestRetry_ns, kLongestRetry_ns);
  return now_ns() + retry_ns_;
}

void QueuedRequestSender::send_waiting() {
  const struct AtEnd {
    std::atomic<bool>& has_thread;
    ~AtEnd() { has_thread.store(false); }
  } at_end{has_thread_};
  QueueProgress progress = QueueProgress::done;
  while (progress == QueueProgress::done && !queue_.empty()) {
    sender_.let_others_lock();
    if (!sender_.lock_.lock(Deadline::never())) return;
    std::unique_lock lock(sender_.lock_, std::adopt_lock);
    progress = send(queue_.popped() + 1, Deadline::never());
    lock.unlock();
    if (progress == QueueProgress::failed) sender_.reader_.check_for_close();
  }
}

void QueuedRequestSender::close() noexcept {
  // After the connection has ended, queued requests count as lost.
  if (sender_.state_.usable.load(std::memory_order_acquire)) queue_.close();
}

void QueuedRequestSender::send_before_close(Deadline deadline) noexcept {
  catch_and_log("sending queued one-way calls", [&] {
    const std::uint64_t end = queue_.pushed();
    // Another connection may have used up the time of all.
    if (send(end, deadline) == QueueProgress::no_room) send(end, Deadline{0});
  });
  drop();
}

}  // namespace orbweaver::orb
