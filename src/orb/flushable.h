#pragma once

#include <orbweaver/reference.h>

#include <cstddef>
#include <cstdint>

namespace orbweaver {

namespace orb {
class Flusher;
}

/// Limits of batching: -ORBTune batch-delay-us, -ORBTune batch-bytes.
struct Batching {
  std::int64_t delay_ns = 0;        ///< How long a message may be queued; 0: no batching.
  std::size_t bytes = 0;            ///< A batch of this size is sent at once.
  orb::Flusher* flusher = nullptr;  ///< Outlives every call; null where delay_ns is 0.
};

namespace orb {

/// Interface of an object that queues messages for the Flusher, and for the threads of SendQueueing.
/// Reference-counted: both share ownership.
class Flushable : public CORBA::RefCounted {
 public:
  /// Sends the queued messages if they are due and no other thread is sending. Called by the flusher's
  /// thread. Returns the time of the next call (now_ns), 0 if nothing is queued.
  virtual std::int64_t flush_due() = 0;
  /// As flush_due, for the requests in a SendQueue.
  virtual std::int64_t send_queued_due() { return 0; }
  /// As flush_due, for the time limits of asynchronous calls.
  virtual std::int64_t async_due() { return 0; }
  /// Sends the requests in a SendQueue, and waits for the transport. Called by a thread of SendQueueing.
  virtual void send_queued_waiting() {}
  /// Closes the connection, which ends send_queued_waiting. Any thread.
  virtual void end_send_queued_waiting() noexcept {}
};
using FlushablePtr = CORBA::object_reference<Flushable>;

}  // namespace orb
}  // namespace orbweaver
