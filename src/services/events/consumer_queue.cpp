#include "services/events/consumer_queue.h"

#include <orbweaver/streams/detail/wait_until.h>

namespace orbweaver::services::events {

using streams::PushResult;
using streams::TakeResult;

bool PendingEvents::wait_for_none(Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (count_ > 0) {
    if (deadline.passed()) return false;
    streams::detail::wait_until(none_, lock, deadline);
  }
  return true;
}

bool ConsumerQueue::offer(const EventRef& event) {
  QueuedEvent queued(event, pending_);
  return queue_.push(std::move(queued), event->bytes(), Deadline{0}) != PushResult::timed_out;
}

void ConsumerQueue::give_up() noexcept {
  stalled_.store(true, std::memory_order_relaxed);
  lost_.fetch_add(1, std::memory_order_relaxed);
}

TakeResult ConsumerQueue::take(QueuedEvent& event, Deadline deadline) {
  const TakeResult result = queue_.take(event, deadline);
  if (result != TakeResult::taken) return result;
  stalled_.store(false, std::memory_order_relaxed);
  if (suppliers_ != nullptr) suppliers_->space_made(*this);
  return result;
}

bool ConsumerQueue::discard_oldest(std::size_t bytes) {
  std::size_t discarded = 0;
  QueuedEvent oldest;
  while (discarded < bytes && queue_.take(oldest, Deadline{0}) == TakeResult::taken) {
    discarded += oldest.event().bytes();
    discarded_.fetch_add(1, std::memory_order_relaxed);
  }
  if (discarded > 0 && suppliers_ != nullptr) suppliers_->space_made(*this);
  return discarded > 0;
}

void ConsumerQueue::close() {
  queue_.close();
  queue_.discard();
  pause_.end();
  if (suppliers_ != nullptr) suppliers_->space_made(*this);
}

EventConsumerCounts ConsumerQueue::counts() const {
  const streams::QueueCounts queue = queue_.counts();
  EventConsumerCounts counts;
  counts.kind = kind_;
  counts.accepted = queue.accepted;
  counts.delivered = delivered_.load(std::memory_order_relaxed);
  counts.failed = failed_.load(std::memory_order_relaxed);
  counts.failed_calls = failed_calls_.load(std::memory_order_relaxed);
  counts.discarded = queue.dropped_oldest + queue.dropped_newest + queue.discarded +
                     lost_.load(std::memory_order_relaxed) + discarded_.load(std::memory_order_relaxed);
  counts.waits = waits_.load(std::memory_order_relaxed);
  counts.queued = queue.packets;
  counts.queued_bytes = queue.bytes;
  return counts;
}

}  // namespace orbweaver::services::events
