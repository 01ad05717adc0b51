#pragma once

// Asynchronous calls, for generated stubs and Future; not for users.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>
#include <orbweaver/detail/invoke.h>
#include <orbweaver/detail/operation.h>
#include <orbweaver/object.h>
#include <orbweaver/reference.h>

namespace orbweaver {

class ClientConnection;

namespace orb {
class AsyncCalls;
class AsyncObserver;
class AsyncReplies;
class ClientCall;
class CallList;
class CallTable;
class DeadlineHeap;
}  // namespace orb

/// One asynchronous two-way call: its arguments, which are encoded again if the request is repeated, and then
/// its results or its exception. Owned by whoever has a reference; the ORB has one until the call is
/// complete. The virtual functions are called by one thread at a time.
class AsyncCall : public CORBA::RefCounted {
 public:
  /// Sends the request. Policies and time-outs are those of this moment. The target may be in this process:
  /// its servant is not called by this function. Blocks while the transport is full, except in a reply
  /// handler. Raises what a one-way call raises, and TRANSIENT (0x4f570026) if as many calls are in progress
  /// as -ORBTune async-calls permits; the call is not made then, and nothing else is called. Any thread;
  /// once.
  void start();
  /// Waits until the call is complete; returns false at `deadline_ns` (now_ns). Any thread.
  bool wait(std::int64_t deadline_ns);
  /// Ends a call in progress with TRANSIENT (0x4f570027); sends CancelRequest. No effect on a complete call.
  /// Any thread.
  void cancel();
  /// Whether the results or the exception are there. Any thread.
  bool is_complete() const noexcept { return complete_.load(std::memory_order_acquire); }
  /// The exception of a complete call; null: there are results.
  const std::exception_ptr& failure() const noexcept { return failure_; }
  const Operation& operation() const noexcept { return *operation_; }

 protected:
  /// Raises BAD_INV_ORDER (0x4f57003f) for a local object.
  AsyncCall(const CORBA::Object& target, const Operation& operation);
  ~AsyncCall() override;

  /// Upper bound of the encoded arguments.
  virtual cdr::Bound bound() const = 0;
  virtual void encode(cdr::Encoder& out) const = 0;
  /// Reads the results. Called by the thread that reads the connection.
  virtual void decode(cdr::Decoder& in) = 0;
  /// Called once the call is complete, by any thread, with no lock held. Returns whether `run` is to be
  /// called.
  virtual bool arrived() noexcept = 0;
  /// Calls the program's code. In the order of the replies, one at a time for each connection.
  virtual void run() = 0;

 private:
  friend class orb::AsyncCalls;
  friend class orb::AsyncReplies;
  friend class orb::ClientCall;
  friend class orb::CallList;
  friend class orb::CallTable;
  friend class orb::DeadlineHeap;

  /// Guarded by the mutex of AsyncCalls.
  enum class State : std::uint8_t {
    unsent,   ///< In `start`, which sends it; or between two containers.
    queued,   ///< In a queue of calls to be sent.
    sending,  ///< A thread of the ORB sends it.
    sent,     ///< In a table of sent requests.
    replied,  ///< With an observer: which is to be told of the reply, or of the failure.
    ended,    ///< Complete, or about to be.
  };

  Reference* reference_;                          // counted
  std::unique_ptr<orb::AsyncObserver> observer_;  // null: the ORB has no interceptors of clients
  const Operation* const operation_;
  std::exception_ptr failure_;
  // The connection on which the request was sent, or behind whose requests it is queued. Counted.
  ClientConnection* connection_ = nullptr;
  orb::AsyncReplies* replies_ = nullptr;  // of connection_
  AsyncCall* next_ = nullptr;             // in a list, or a chain of the table
  AsyncCall* previous_ = nullptr;
  std::int64_t deadline_ns_ = 0;
  std::int64_t send_deadline_ns_ = 0;
  std::uint64_t send_position_ = 0;
  std::uint32_t request_id_ = 0;
  std::uint32_t heap_index_ = 0;  // in the heap of deadlines; 0: none
  std::uint16_t attempts_ = 0;
  std::int16_t priority_ = -1;  // that the request carries; -1: none
  State state_ = State::unsent;
  std::uint8_t rebind_ = 0;  // orb::Rebind
  bool returned_from_forward_ = false;
  bool cancelled_ = false;
  bool is_starting_ = false;  // the observer is told of the request
  bool is_repeated_ = false;  // the observed request is to be sent again
  std::atomic<bool> complete_{false};
};

using AsyncCallPtr = CORBA::object_reference<AsyncCall>;

}  // namespace orbweaver
