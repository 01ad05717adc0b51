#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "platform/clock.h"

namespace orbweaver::orb {

class SendQueueing;

/// A one-way request with SYNC_NONE, encoded as a GIOP message.
struct QueuedRequest {
  std::vector<std::uint8_t> message;
  /// GIOP 1.2: the request id is set when the request is sent. In earlier versions it stays 0, which a
  /// request without reply may have.
  bool has_leading_id = true;
  bool has_code_sets = false;  ///< It contains the CodeSets context.

  /// Bytes that it counts against the limits.
  std::size_t bytes() const noexcept { return message.capacity() + sizeof(QueuedRequest); }
};

/// The requests with SYNC_NONE of one connection that the ORB has accepted and not yet given to the
/// transport. Bounded by -ORBTune oneway-queue-…; what happens to each request is counted in
/// orbweaver::oneway_queue_statistics.
///
/// Lock rule: `front`, `pop` and `drop_all` are called with the send lock of the connection, all other
/// functions by any thread.
class SendQueue {
 public:
  /// Result of `push`. Unless the request is queued, it is unchanged.
  enum class PushResult : std::uint8_t {
    scheduled,
    to_schedule,  ///< Queued. The caller schedules sending, then calls `unschedule` if that failed.
    no_room,      ///< The queue is full.
    closed,
  };

  /// While requests are queued, `bit` is set in `flags`, which outlive this.
  SendQueue(std::atomic<std::uint8_t>& flags, std::uint8_t bit) noexcept : flags_(flags), bit_(bit) {}
  ~SendQueue() {
    close();
    drop_all();
  }
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;

  /// Sets the limits, and where to count. Before the first call.
  void set(SendQueueing& queueing) noexcept { queueing_ = &queueing; }

  /// Whether a request of `bytes` bytes could be queued now. An empty queue has room for one request of any
  /// size that fits into the limit of the ORB.
  bool has_room(std::size_t bytes) const noexcept;
  /// Appends a request. May throw std::bad_alloc, and then has no effect.
  PushResult push(QueuedRequest& request);
  /// Number of requests that have been queued since the beginning.
  std::uint64_t pushed() const noexcept;
  /// Number of requests that were dropped, or are still queued. Of a connection that has ended: those lost.
  std::uint64_t lost_or_queued() const noexcept;
  bool empty() const noexcept;
  /// Accepts no more requests, as this end closes the connection: queued requests that are dropped after this
  /// are counted as discarded, others as lost.
  void close() noexcept;
  /// As `close`, if the queue is empty; else returns false.
  bool close_if_empty() noexcept;
  /// Undoes `close_if_empty`.
  void reopen() noexcept;

  /// The oldest request, if its number is below `end`; else null. Valid until `pop` or `drop_all`.
  const QueuedRequest* front(std::uint64_t end) const noexcept;
  /// Number of requests that have left the queue since the beginning.
  std::uint64_t popped() const noexcept;
  /// Waits until `end` requests have left the queue. False: not until `deadline`.
  bool wait_until_popped(std::uint64_t end, platform::Deadline deadline) const noexcept;
  /// Removes the oldest request. `sent`: whether the transport has accepted it.
  void pop(bool sent) noexcept;
  /// Requests removed by `drop_all`.
  struct Dropped {
    std::uint64_t number = 0;
    bool discarded = false;  ///< After `close`; else they are lost.
  };
  /// Removes all requests.
  Dropped drop_all() noexcept;
  /// Ends the schedule if the queue is empty, and returns whether it is.
  bool unschedule_if_empty() noexcept;
  /// Ends the schedule because it failed: the next `push` asks for it again. Any thread.
  void unschedule() noexcept;

 private:
  bool has_room_locked(std::size_t bytes) const noexcept;

  void set_flag() noexcept {
    // Read by the later calls of this thread; calls of other threads have no order with this one.
    flags_.fetch_or(bit_, std::memory_order_relaxed);
  }
  void clear_flag() noexcept {
    flags_.fetch_and(static_cast<std::uint8_t>(~bit_), std::memory_order_relaxed);
  }

  std::atomic<std::uint8_t>& flags_;
  const std::uint8_t bit_;
  SendQueueing* queueing_ = nullptr;
  mutable std::mutex mutex_;  // guards the rest
  mutable std::condition_variable popped_changed_;
  std::list<QueuedRequest> requests_;
  std::size_t bytes_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t dropped_ = 0;
  bool scheduled_ = false;
  bool closed_ = false;
};

}  // namespace orbweaver::orb
