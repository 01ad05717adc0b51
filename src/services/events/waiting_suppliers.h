#pragma once

#include <orbweaver/deadline.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "services/events/event.h"

namespace orbweaver::services::events {

class ConsumerQueue;

/// Suppliers of a channel with WhenFull::block that wait for full queues. A supplier waits for all of its
/// full queues at once, so that each gets its event as soon as it has space; the suppliers that wait for one
/// queue get space in the order in which they began to wait. Thread-safe.
class WaitingSuppliers {
 public:
  using Queues = std::vector<std::shared_ptr<ConsumerQueue>>;

  /// Queues the event in all of `queues`, waiting for those that are full. At the deadline, gives up.
  void offer(const Queues& queues, const EventRef& event, Deadline deadline);
  /// `queue` has space or has been closed: queues the events that wait for it.
  void space_made(ConsumerQueue& queue) noexcept;

 private:
  struct Waiting {
    EventRef event;
    std::size_t full_queues = 0;
    std::condition_variable done{};
  };
  using WaitingByQueue = std::map<ConsumerQueue*, std::deque<Waiting*>>;  // the oldest first
  void leave(const Queues& queues, Waiting& self) noexcept;
  void serve(WaitingByQueue::iterator entry) noexcept;

  std::mutex mutex_;
  WaitingByQueue waiting_;  // for each full queue
};

}  // namespace orbweaver::services::events
