// Requests with SYNC_NONE that a client connection queues: see SendQueue.
#include <algorithm>
#include <cstring>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "giop/request.h"
#include "orb/client/reply_reader.h"
#include "orb/client/request_sender.h"
#include "orb/client/send_queueing.h"
#include "orb/flusher.h"

namespace orbweaver::orb {
namespace {

constexpr std::uint64_t kAll = UINT64_MAX;
// Intervals at which the flusher tries again to send to a transport without room. Doubled up to the longest.
constexpr std::int64_t kShortestRetry_ns = 100'000, kLongestRetry_ns = 10'000'000;
constexpr std::int64_t kFlushBatchBeforeClose_ms = 100;

}  // namespace

/// Whether a claimed message of `bytes` bytes, and the batch before it, can be committed without a wait. A
/// channel that cannot be polled (-ORBWait spin) does not say: it has room in its ring for a small message.
bool RequestSender::commits_at_once(std::size_t bytes) const noexcept {
  constexpr std::size_t kSmallBytes = 1024;
  const transport::Readiness* const readiness = state_.channel->capabilities().readiness;
  const std::size_t all = queued_.bytes() + bytes;
  return readiness != nullptr ? readiness->commits_without_waiting(all) : all <= kSmallBytes;
}

Result<MutableBytes> RequestSender::claim_at_once(std::size_t bytes) {
  const auto would_wait = [&] {
    return Error{ErrorKind::timed_out, state_.description + ": sending would wait"};
  };
  if (!lock_.try_lock()) return would_wait();
  if (has_any(kHasSendQueue)) {
    const QueueProgress queue = send_queued(kAll, MayWait::no, Deadline{0});
    if (queue == QueueProgress::failed)
      return close_sending({ErrorKind::disconnected, state_.description + ": the connection has ended"});
    if (queue != QueueProgress::done) {
      lock_.unlock();
      return would_wait();
    }
  }
  check_after_idle();
  auto room = state_.channel->claim(bytes, Deadline{0});
  if (!room) return claim_failed(room.take_error());
  if (commits_at_once(bytes)) return room;
  state_.channel->abandon();
  lock_.unlock();
  return would_wait();
}

Result<bool> RequestSender::queue_request(QueuedRequest& request) {
  if (!state_.usable.load(std::memory_order_acquire))
    return Error{ErrorKind::disconnected, state_.description + ": the connection has ended"};
  const SendQueue::PushResult result = send_queue_.push(request);
  if (result.schedule == SendQueue::Schedule::no) return result.queued;
  if (queueing_->flusher().add(connection_, now_ns(), &Flushable::send_queued_due)) return true;
  // The ORB is shut down, or there is no thread or memory for the flusher: closing the connection, or the
  // next call, sends or drops the request.
  send_queue_.unschedule();
  return true;
}

bool RequestSender::has_sent_code_sets() noexcept {
  const std::unique_lock lock(lock_, std::try_to_lock);
  return lock && code_sets_sent_;
}

/// Sends one queued request. Called with the send lock, which stays taken.
RequestSender::QueueProgress RequestSender::send_queued_request(const QueuedRequest& request,
                                                                MayWait may_wait, Deadline deadline) {
  const std::size_t bytes = request.message.size();
  auto room = state_.channel->claim(bytes, deadline);
  if (!room) {
    if (room.error().kind == ErrorKind::timed_out) return QueueProgress::no_room;
    if (room.error().kind == ErrorKind::disconnected) return QueueProgress::failed;
    log::debug([&] { return "dropped: " + room.error().message; });
    send_queue_.pop(false);  // such as too large for the transport
    return QueueProgress::done;
  }
  if (may_wait == MayWait::no && !commits_at_once(bytes)) {
    state_.channel->abandon();
    return QueueProgress::must_wait;
  }
  std::memcpy(room->data(), request.message.data(), bytes);
  if (request.has_leading_id) giop::RequestTemplate::complete(room->data(), bytes, next_request_id());
  count(bytes);
  if (const auto sent = state_.channel->commit(bytes, deadline); !sent) {
    if (sent.error().kind == ErrorKind::timed_out && is_open()) {  // nothing was sent
      committed_.store(send_position() - bytes, std::memory_order_release);
      if (is_unreliable_) queued_.mark_sent();  // the queued messages were dropped with it
      return QueueProgress::no_room;
    }
    state_.mark_unusable();
    lose_queued_calls(sent.error().message);
    return QueueProgress::failed;
  }
  queued_.mark_sent();
  if (request.has_code_sets) exchange_code_sets_sent();
  send_queue_.pop(true);
  return QueueProgress::done;
}

/// Sends the queued requests whose numbers are below `end`. Called with the send lock, which stays taken.
RequestSender::QueueProgress RequestSender::send_queued(std::uint64_t end, MayWait may_wait,
                                                        Deadline deadline) {
  QueueProgress progress = QueueProgress::done;
  while (progress == QueueProgress::done) {
    const QueuedRequest* const next = send_queue_.front(end);
    if (next == nullptr) return QueueProgress::done;
    progress = state_.usable.load(std::memory_order_acquire) ? send_queued_request(*next, may_wait, deadline)
                                                             : QueueProgress::failed;
  }
  if (progress == QueueProgress::failed) lose_send_queue();
  return progress;
}

/// Drops the queued requests of a connection that has ended. Called with the send lock.
void RequestSender::lose_send_queue() noexcept {
  state_.mark_unusable();
  const std::uint64_t lost = send_queue_.drop_all(SendQueue::Drop::connection_ended);
  if (lost == 0) return;
  catch_and_log("logging lost one-way calls", [&] {
    log::write_limited(log::Level::warn, "queued calls lost", log::origin(state_.channel->peer()), [&] {
      return state_.description + ": " + std::to_string(lost) +
             " queued one-way calls lost: the connection has ended";
    });
  });
}

/// Sends the requests that are queued now, before another message. Called with the send lock, which is
/// released if it fails.
Result<void> RequestSender::send_queued_first(Deadline deadline) {
  switch (send_queued(send_queue_.pushed(), MayWait::yes, deadline)) {
    case QueueProgress::done: return {};
    case QueueProgress::failed:
      return close_sending({ErrorKind::disconnected, state_.description + ": the connection has ended"});
    default: break;
  }
  lock_.unlock();
  return Error{ErrorKind::timed_out,
               state_.description + ": deadline exceeded while sending queued one-way calls"};
}

std::int64_t RequestSender::send_queued_due() {
  if (std::unique_lock lock(lock_, std::try_to_lock); lock) {
    const QueueProgress progress = send_queued(kAll, MayWait::no, Deadline{0});
    lock.unlock();
    if (progress == QueueProgress::failed) reader_.check_for_close();
    if (progress == QueueProgress::must_wait && !has_thread_.exchange(true) &&
        !queueing_->start_thread(connection_)) {
      has_thread_.store(false);
    }
  }
  if (send_queue_.unschedule_if_empty()) {
    retry_ns_ = 0;
    return 0;
  }
  const std::uint64_t popped = send_queue_.popped();
  const bool has_progressed = std::exchange(retried_at_, popped) != popped;
  retry_ns_ =
      has_progressed ? kShortestRetry_ns : std::clamp(2 * retry_ns_, kShortestRetry_ns, kLongestRetry_ns);
  return now_ns() + retry_ns_;
}

/// Ends when the queue is empty, and when a call waits for the send lock, which sends the rest itself.
void RequestSender::send_queued_waiting() {
  bool goes_on = true;
  while (goes_on && lock_.lock(Deadline::never())) {
    const QueueProgress progress = send_queued(send_queue_.popped() + 1, MayWait::yes, Deadline::never());
    goes_on = progress == QueueProgress::done && has_any(kHasSendQueue) &&
              waiting_behind_queue_.load(std::memory_order_relaxed) == 0;
    lock_.unlock();
    if (progress == QueueProgress::failed) reader_.check_for_close();
  }
  has_thread_.store(false);
}

void RequestSender::flush_before_close(Deadline lock_deadline, Deadline deadline) noexcept {
  if (!lock_.lock(lock_deadline)) return;
  if (has_any(kHasSendQueue))
    catch_and_log("sending queued one-way calls", [&] { send_queued(kAll, MayWait::yes, deadline); });
  if (!queued_.empty()) {
    if (const auto sent = flush_channel(Deadline::in_ms(kFlushBatchBeforeClose_ms)))
      queued_.mark_sent();
    else
      lose_queued_calls(sent.error().message);
  }
  send_queue_.drop_all(SendQueue::Drop::closed);
  lock_.unlock();
}

}  // namespace orbweaver::orb
