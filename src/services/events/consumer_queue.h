#pragma once

#include <orbweaver/services/event_service.h>
#include <orbweaver/streams/bounded_queue.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "services/events/event.h"
#include "services/events/pause.h"
#include "services/events/waiting_suppliers.h"

namespace orbweaver::services::events {

/// Number of events of a channel that are queued or being delivered. Thread-safe.
class PendingEvents {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void remove() noexcept {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }
  /// Waits until there are none. False at the deadline.
  bool wait_for_none(Deadline deadline);

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;
};

/// An event in one queue. Counts as pending while it exists, if it has a counter.
class QueuedEvent {
 public:
  QueuedEvent() = default;
  QueuedEvent(EventRef event, PendingEvents* pending) : event_(std::move(event)), pending_(pending) {
    if (pending_ != nullptr) pending_->add();
  }
  QueuedEvent(QueuedEvent&& other) noexcept
      : event_(std::move(other.event_)), pending_(std::exchange(other.pending_, nullptr)) {}
  QueuedEvent& operator=(QueuedEvent&& other) noexcept {
    QueuedEvent moved(std::move(other));
    std::swap(event_, moved.event_);
    std::swap(pending_, moved.pending_);
    return *this;
  }
  ~QueuedEvent() {
    event_.reset();
    if (pending_ != nullptr) pending_->remove();
  }

  const Event& event() const noexcept { return *event_; }

 private:
  EventRef event_;
  PendingEvents* pending_ = nullptr;
};

/// The queue of one consumer. Thread-safe.
class ConsumerQueue {
 public:
  /// `pending` counts the events; null for a pull consumer. `suppliers` is told of space; null unless the
  /// policy is WhenFull::block. Both outlive the queue.
  ConsumerQueue(EventConsumerKind kind, const streams::QueueLimits& limits, PendingEvents* pending,
                WaitingSuppliers* suppliers)
      : kind_(kind), pending_(pending), suppliers_(suppliers), queue_(limits) {}

  /// Queues an event, without waiting. Returns false if it does not fit, and the policy is WhenFull::block.
  bool offer(const EventRef& event);
  /// With WhenFull::block: whether a supplier has waited without success since the consumer last took an
  /// event.
  bool stalled() const noexcept { return stalled_.load(std::memory_order_relaxed); }
  /// With WhenFull::block: counts an event as discarded, for which there was no space in time.
  void give_up() noexcept;
  void count_wait() noexcept { waits_.fetch_add(1, std::memory_order_relaxed); }
  /// Takes the oldest event. `end` once the queue has been closed.
  streams::TakeResult take(QueuedEvent& event, Deadline deadline);
  /// Discards the oldest events: as many as take `bytes`, or all. False if there are none.
  bool discard_oldest(std::size_t bytes);
  /// Ends the queue and discards its events. Ends also pauses of the consumer's thread.
  void close();

  /// For the thread of the consumer: waits between two attempts; false once the queue is closed.
  bool pause_ms(std::int64_t ms) { return pause_.wait_ms(ms); }
  bool closed() const { return pause_.ended(); }

  /// Called for each event that has been taken, when its delivery has ended.
  void count_delivered() noexcept { delivered_.fetch_add(1, std::memory_order_relaxed); }
  void count_failed() noexcept { failed_.fetch_add(1, std::memory_order_relaxed); }
  /// Called for each failed call.
  void count_failed_call() noexcept { failed_calls_.fetch_add(1, std::memory_order_relaxed); }

  std::size_t bytes() const { return queue_.counts().bytes; }
  EventConsumerCounts counts() const;

 private:
  const EventConsumerKind kind_;
  PendingEvents* const pending_;
  WaitingSuppliers* const suppliers_;
  streams::BoundedQueue<QueuedEvent> queue_;
  Pause pause_;
  std::atomic<bool> stalled_{false};
  std::atomic<std::uint64_t> waits_{0};
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> failed_calls_{0};
  std::atomic<std::uint64_t> lost_{0};       // discarded without having been accepted, with WhenFull::block
  std::atomic<std::uint64_t> discarded_{0};  // by discard_oldest()
};

}  // namespace orbweaver::services::events
