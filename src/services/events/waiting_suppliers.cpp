#include "services/events/waiting_suppliers.h"

#include <orbweaver/streams/detail/wait_until.h>

#include <algorithm>

#include "base/catch_and_log.h"
#include "services/events/consumer_queue.h"

namespace orbweaver::services::events {

void WaitingSuppliers::offer(const Queues& queues, const EventRef& event, Deadline deadline) {
  Waiting self{event};
  std::unique_lock lock(mutex_);
  // Also after an exception of a container, no reference to `self` remains.
  struct Leave {
    WaitingSuppliers& all;
    const Queues& queues;
    Waiting& self;
    ~Leave() { all.leave(queues, self); }
  } const leave{*this, queues, self};
  for (const auto& queue : queues) {
    if (waiting_.count(queue.get()) == 0 && queue->offer(event)) continue;
    if (queue->stalled()) {
      queue->give_up();
      continue;
    }
    waiting_[queue.get()].push_back(&self);
    ++self.full_queues;
    queue->count_wait();
  }
  while (self.full_queues > 0 && !deadline.passed()) streams::detail::wait_until(self.done, lock, deadline);
}

/// Gives up the queues for which the supplier still waits. With the lock held.
void WaitingSuppliers::leave(const Queues& queues, Waiting& self) noexcept {
  for (auto queue = queues.begin(); queue != queues.end() && self.full_queues > 0; ++queue) {
    const auto found = waiting_.find(queue->get());
    if (found == waiting_.end()) continue;
    auto& suppliers = found->second;
    const auto place = std::find(suppliers.begin(), suppliers.end(), &self);
    if (place == suppliers.end()) continue;
    suppliers.erase(place);
    --self.full_queues;
    (*queue)->give_up();
    serve(found);  // an event behind this one may be smaller
  }
}

/// Queues the events that wait for a queue, in their order, while the next one fits. With the lock held.
void WaitingSuppliers::serve(WaitingByQueue::iterator entry) noexcept {
  ConsumerQueue& queue = *entry->first;
  std::deque<Waiting*>& suppliers = entry->second;
  while (!suppliers.empty()) {
    Waiting& supplier = *suppliers.front();
    const bool done = catch_and_log("queue of an event consumer", [&] {
      if (!queue.offer(supplier.event)) return;
      suppliers.pop_front();
      if (--supplier.full_queues == 0) supplier.done.notify_one();
    });
    if (!done || (!suppliers.empty() && suppliers.front() == &supplier)) break;
  }
  if (suppliers.empty()) waiting_.erase(entry);
}

void WaitingSuppliers::space_made(ConsumerQueue& queue) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(&queue);
  if (found != waiting_.end()) serve(found);
}

}  // namespace orbweaver::services::events
