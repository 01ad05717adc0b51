#pragma once

#include <orbweaver/detail/async_call.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "giop/message.h"
#include "orb/client/async_containers.h"
#include "orb/client/client_connection.h"

namespace orbweaver::orb {

class AsyncCalls;
class Core;

/// Asynchronous calls of one connection: those that were sent, by their request ids, those that are to be
/// sent behind others, and those whose reply handlers are to be called.
///
/// Replies are read by whichever thread has the reader role of the connection: a synchronous caller, a thread
/// that waits for a Future, or the *dispatcher*. The dispatcher calls the reply handlers, one at a time, in
/// the order in which the replies arrived, without the role and without locks: a thread of the connection
/// (ow-replies), which exists while there are calls, or with -ORBThreads single a handler of the reactor.
/// Reply handlers may therefore make calls of any kind.
///
/// A call that cannot be sent without a wait is sent by another thread (ow-async), so that no thread waits
/// for the transport without reading replies: a server that does not read, because it cannot send replies,
/// would otherwise wait for ever. The caller waits until that thread has sent it, unless it is a reply
/// handler.
///
/// Lock rule: the functions marked "locked" are called with AsyncCalls::mutex(). It is taken with the send
/// lock or the reader role held, never the reverse, and is not held while a call is decoded or completed.
class AsyncReplies {
 public:
  using Deadline = transport::Deadline;
  using Lock = std::unique_lock<std::mutex>;

  /// Both outlive this: the connection owns it.
  AsyncReplies(Core& core, ClientConnection& connection);
  ~AsyncReplies();

  // ---- for the thread that sends a call ----

  /// Whether calls are to be sent behind others, so that further calls queue behind them.
  bool has_queued() const noexcept { return queued_.load(std::memory_order_relaxed) != 0; }
  /// Registers a call before its request `id` is sent. Raises NO_RESOURCES if no thread or descriptor is left
  /// to read the reply.
  void add(AsyncCall& call, std::uint32_t id, std::uint64_t send_position, giop::Version version,
           std::int64_t deadline_ns);
  /// Takes back a call that was not sent completely. False: it has ended with the connection meanwhile.
  bool take_back(AsyncCall& call) noexcept;
  /// Queues a call, to be sent by a thread.
  void queue(AsyncCall& call);
  /// Waits until a queued call has been sent, or has ended, and reads replies meanwhile. In a reply handler
  /// does not wait.
  void wait_until_sent(AsyncCall& call);

  // ---- for the reader of the connection ----

  /// Takes the reply to an asynchronous call. False: it belongs to another call.
  bool take(std::uint32_t id, const giop::MessageHeader& header, Bytes message) noexcept;
  /// The same for a plain reply in the channel, which has arrived if this returns true.
  bool take_plain(std::uint32_t id, Bytes message) noexcept;
  /// Called when a thread has released the reader role, while this is a follower.
  void role_released() noexcept;

  // ---- for AsyncCalls ----

  /// Waits until something changes, at most until `until`; reads replies if no other thread does. Locked.
  void wait_once(Lock& lock, Deadline until, const AsyncCall& call);
  /// Reads what has arrived, if no other thread reads.
  void read_arrived();
  /// Ends a call with the exception of `error` or, if null, as cancelled. No effect on a call that has ended,
  /// and on one that is being sent, which ends afterwards. Locked.
  void end_early(Lock& lock, AsyncCall& call, const Error* error);
  /// Whether there are calls or threads. Locked.
  bool is_in_use() const noexcept {
    return !is_idle() || has_reader_ || has_sender_ || dispatching_ || handler_ != nullptr;
  }
  ClientConnectionPtr share_connection() noexcept;
  /// Called at the shutdown, when the connection is closed. Locked: wakes the threads, which end all calls.
  void wake_to_stop() noexcept { changed_.notify_all(); }
  /// Tells the observer of a call of its reply, if that is to be done, and completes the call. False: it is
  /// not, or another thread does. Locked; unlocks meanwhile.
  static bool complete_replied(Lock& lock, AsyncCall& call);
  /// The observer of the call has been told of the request: it may be told of the reply.
  void started(AsyncCall& call) noexcept;
  /// Ends all calls in this thread, when there are no other threads.
  void end_all();
  /// Whether the calling thread calls reply handlers of any connection.
  static bool in_reply_handler() noexcept;
  /// See Flushable: for the time limits of an ORB with a reactor.
  std::int64_t due();

 private:
  class Handler;
  enum class Reads : bool { for_waiter, as_dispatcher };

  bool is_idle() const noexcept {
    return table_.empty() && queued_ == 0 && ready_.empty() && replied_.empty() && starting_ == 0;
  }
  /// Whether replies are read and handlers called by the thread of -ORBThreads single.
  bool is_single() const noexcept;
  void need_dispatcher();  // locked
  void wake_dispatcher() noexcept;
  void run_reader();
  void run_sender();
  bool try_follow(Lock& lock, Deadline until, Deadline read_until, const AsyncCall* awaited);
  void read(Deadline until, const AsyncCall* awaited, Reads reads);
  void connection_ended(const Error& error);
  void decode_reply(AsyncCall& call, const giop::MessageHeader& header, Bytes message);
  AsyncCall* take_sent(std::uint32_t id, bool& abandoned) noexcept;
  void send_again(AsyncCall& call) noexcept;
  void finish(AsyncCall& call) noexcept;
  void complete(AsyncCall& call) noexcept;
  void keep_for_dispatcher(AsyncCall& call) noexcept;
  void take_read() noexcept;
  void keep_reply(AsyncCall& call) noexcept;
  void add_replied(AsyncCall& call) noexcept;  // locked
  void observe_reply(AsyncCall& call) noexcept;
  void restart(AsyncCall& call);
  void fail(AsyncCall& call, std::exception_ptr failure) noexcept;
  void dispatch(Lock& lock);
  void run(AsyncCall& call) noexcept;
  void expire(Lock& lock);
  void detach(AsyncCall& call) noexcept;
  Deadline next_deadline() const noexcept;

  Core& core_;
  AsyncCalls& calls_;
  ClientConnection& connection_;
  // All members below are guarded by AsyncCalls::mutex(); the atomic ones are also read without it.
  CallTable table_;
  CallList queue_;                      // to be sent
  std::atomic<std::size_t> queued_{0};  // in queue_, and the one that is being sent
  CallList replied_;                    // whose observers are to be told of the reply
  std::size_t starting_ = 0;            // that have a reply, while their observers are told of the request
  CallList ready_;                      // complete, and to be run
  std::atomic<bool> has_ready_{false};  // in replied_, ready_ or read_
  DeadlineHeap deadlines_;              // of the calls in table_ and queue_
  std::unordered_set<std::uint32_t> abandoned_;  // ids of calls that ended early: a reply is ignored
  giop::Version version_ = giop::kGiop12;        // of the last request
  std::condition_variable changed_;
  std::atomic<int> waiters_{0};  // threads in wait_once
  bool has_reader_ = false, has_sender_ = false, dispatching_ = false, timed_ = false;
  bool parked_ = false;                        // the thread of the replies waits for a call
  std::atomic<bool> dispatcher_reads_{false};  // written by the reader
  CallList read_;                              // of the dispatcher while it reads: will be ready
  std::shared_ptr<Handler> handler_;           // registered with the reactor
};

}  // namespace orbweaver::orb
