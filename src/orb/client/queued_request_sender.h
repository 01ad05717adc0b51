#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "orb/client/send_queue.h"
#include "orb/flushable.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class RequestSender;

/// Result of sending from a SendQueue. The others leave requests in it; `failed` leaves none.
enum class QueueProgress : std::uint8_t {
  done,
  no_room,    ///< The transport has no room now, or the deadline has passed.
  must_wait,  ///< The transport cannot accept the next request without a wait.
  failed,     ///< The connection has ended.
};

/// Sends the requests in the SendQueue of a client connection. Every call that takes the send lock afterwards
/// sends them first; without one, the flusher does.
///
/// A deadline that passes within a message ends the connection. Therefore a request for which the transport
/// may wait after it has accepted a part is sent only by threads without a deadline: calls without a time
/// limit, and threads of SendQueueing. Other calls wait for such a thread.
///
/// Lock rule: as of RequestSender, whose send lock it uses.
class QueuedRequestSender {
 public:
  using Deadline = transport::Deadline;

  /// `sender`: the owner. `connection`: called by the flusher and by threads of SendQueueing. `flags`, `bit`:
  /// as of SendQueue.
  QueuedRequestSender(RequestSender& sender, Flushable& connection, std::atomic<std::uint8_t>& flags,
                      std::uint8_t bit) noexcept
      : sender_(sender), connection_(connection), queue_(flags, bit) {}
  ~QueuedRequestSender() {
    queue_.close();
    drop();
  }

  /// Sets the limits; without it nothing is queued. Before the first call.
  void set(SendQueueing& queueing) noexcept {
    queueing_ = &queueing;
    queue_.set(queueing);
  }
  /// Whether a request of `bytes` bytes could be queued now.
  bool has_room(std::size_t bytes) const noexcept { return queue_.has_room(bytes); }
  /// Queues a request. Returns false if the queue is full. ErrorKind::disconnected: the connection has ended.
  /// May throw std::bad_alloc.
  Result<bool> push(QueuedRequest& request);
  /// Number of requests that have been queued since the beginning.
  std::uint64_t pushed() const noexcept { return queue_.pushed(); }
  /// Upper bound of the requests lost with the connection, which is not usable.
  std::uint64_t lost() const noexcept { return queue_.lost_or_queued(); }

  /// Takes the send lock, with all requests sent that were queued before. After an error it is not locked,
  /// and the other requests stay queued.
  Result<void> lock_behind(Deadline deadline);
  /// Sends the requests whose numbers are below `end`. Called with the send lock, which stays taken. With a
  /// deadline of 0 it does not wait; another one is only for a thread that may end the connection.
  QueueProgress send(std::uint64_t end, Deadline deadline);
  /// The error of QueueProgress::failed. Called without the send lock.
  Error ended();
  /// Starts a thread that calls `send_waiting`, unless there is one.
  void start_thread();
  /// Whether a thread calls `send_waiting`.
  bool has_thread() const noexcept { return has_thread_.load(std::memory_order_relaxed); }

  /// Waits until the flusher, or a thread of SendQueueing, has sent or dropped what is queued, at most until
  /// `deadline`. Before a shutdown: each connection is sent to meanwhile, whichever is waited for.
  void wait_until_sent(Deadline deadline) const noexcept {
    static_cast<void>(queue_.wait_until_popped(queue_.pushed(), deadline));
  }
  /// See Flushable::send_queued_due.
  std::int64_t send_due();
  /// See Flushable::send_queued_waiting. Ends when the queue is empty.
  void send_waiting();

  /// Accepts no more requests: this end closes the connection, unless it has ended already.
  void close() noexcept;
  /// As `close`, if the queue is empty; else returns false.
  bool close_if_empty() noexcept { return queue_.close_if_empty(); }
  /// Undoes `close_if_empty`.
  void reopen() noexcept { queue_.reopen(); }
  /// After `close`: sends the requests until `deadline`, then those that need no wait, and drops the rest.
  /// Called with the send lock.
  void send_before_close(Deadline deadline) noexcept;

 private:
  QueueProgress send_one(const QueuedRequest& request, Deadline deadline);
  void lose() noexcept;
  void drop() noexcept;

  RequestSender& sender_;
  Flushable& connection_;
  SendQueueing* queueing_ = nullptr;
  std::atomic<bool> has_thread_{false};  // of SendQueueing
  std::int64_t retry_ns_ = 0;            // of the flusher's thread: interval of its attempts
  std::uint64_t retried_at_ = 0;         // requests sent before the last attempt
  SendQueue queue_;
};

}  // namespace orbweaver::orb
