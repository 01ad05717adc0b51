#include "orb/client/send_queue.h"

#include <utility>

#include "orb/client/send_queueing.h"
#include "platform/steady_time.h"

namespace orbweaver::orb {
namespace {

void add(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) noexcept {
  counter.fetch_add(n, std::memory_order_relaxed);
}

}  // namespace

bool SendQueue::has_room_locked(std::size_t bytes) const noexcept {
  if (queueing_ == nullptr) return false;
  const Options& options = queueing_->options();
  if (requests_.size() >= options.oneway_queue_requests) return false;
  return requests_.empty() ||
         (bytes <= options.oneway_queue_bytes && bytes_ <= options.oneway_queue_bytes - bytes);
}

bool SendQueue::has_room(std::size_t bytes) const noexcept {
  const std::lock_guard lock(mutex_);
  return has_room_locked(bytes);
}

SendQueue::PushResult SendQueue::push(QueuedRequest& request) {
  std::list<QueuedRequest> added(1);
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = request.bytes();
  if (closed_) return PushResult::closed;
  if (!has_room_locked(bytes) || !queueing_->take(bytes)) return PushResult::no_room;
  added.front() = std::move(request);
  requests_.splice(requests_.end(), added);
  bytes_ += bytes;
  add(oneway_queue_counters().queued);
  set_flag();
  return std::exchange(scheduled_, true) ? PushResult::scheduled : PushResult::to_schedule;
}

std::uint64_t SendQueue::pushed() const noexcept {
  const std::lock_guard lock(mutex_);
  return popped_ + requests_.size();
}

std::uint64_t SendQueue::popped() const noexcept {
  const std::lock_guard lock(mutex_);
  return popped_;
}

bool SendQueue::wait_until_popped(std::uint64_t end, platform::Deadline deadline) const noexcept {
  std::unique_lock lock(mutex_);
  return popped_changed_.wait_until(lock, platform::steady_time(deadline.ns), [&] { return popped_ >= end; });
}

std::uint64_t SendQueue::lost_or_queued() const noexcept {
  const std::lock_guard lock(mutex_);
  return dropped_ + requests_.size();
}

bool SendQueue::empty() const noexcept {
  const std::lock_guard lock(mutex_);
  return requests_.empty();
}

void SendQueue::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

bool SendQueue::close_if_empty() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ |= requests_.empty();
  return requests_.empty();
}

void SendQueue::reopen() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = false;
}

const QueuedRequest* SendQueue::front(std::uint64_t end) const noexcept {
  const std::lock_guard lock(mutex_);
  return requests_.empty() || popped_ >= end ? nullptr : &requests_.front();
}

void SendQueue::pop(bool sent) noexcept {
  std::list<QueuedRequest> removed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  removed.splice(removed.end(), requests_, requests_.begin());
  ++popped_;
  const std::size_t bytes = removed.front().bytes();
  bytes_ -= bytes;
  queueing_->give_back(bytes);
  add(sent ? oneway_queue_counters().sent : oneway_queue_counters().lost);
  if (!sent) ++dropped_;
  if (requests_.empty()) clear_flag();
  popped_changed_.notify_all();
}

SendQueue::Dropped SendQueue::drop_all() noexcept {
  std::list<QueuedRequest> dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  if (requests_.empty()) return {};
  dropped.swap(requests_);
  popped_ += dropped.size();
  queueing_->give_back(std::exchange(bytes_, 0));
  OneWayQueueCounters& counters = oneway_queue_counters();
  add(closed_ ? counters.discarded : counters.lost, dropped.size());
  dropped_ += dropped.size();
  clear_flag();
  popped_changed_.notify_all();
  return {dropped.size(), closed_};
}

void SendQueue::unschedule() noexcept {
  const std::lock_guard lock(mutex_);
  scheduled_ = false;
}

bool SendQueue::unschedule_if_empty() noexcept {
  const std::lock_guard lock(mutex_);
  if (!requests_.empty()) return false;
  scheduled_ = false;
  return true;
}

}  // namespace orbweaver::orb
