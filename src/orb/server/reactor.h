#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "platform/poll_set.h"
#include "platform/socket.h"

namespace orbweaver::orb {

/// Event handler of the reactor: a descriptor, and the action when it is readable.
class EventHandler : public std::enable_shared_from_this<EventHandler> {
 public:
  virtual ~EventHandler() = default;

  enum class TurnResult : std::uint8_t {
    wait,    ///< No input left; wait for the descriptor.
    ready,   ///< More input: queue another turn behind those of others.
    parked,  ///< No turn until `resume`.
    /// As `ready`; in addition the thread calls `run_detached` once, outside of the turn.
    detached,
    remove,  ///< Remove and destroy the handler.
  };
  /// Descriptor that is readable when a turn is due. The same at each call. Called before the first turn.
  virtual int descriptor() noexcept = 0;
  /// False: the handler has turns after `Reactor::resume` only, and its turns do not return `wait`.
  virtual bool has_descriptor() const noexcept { return true; }
  /// Executes one turn, without blocking. One thread at a time.
  virtual TurnResult handle_event() noexcept = 0;
  /// Executes the work that a turn has left for after it, concurrently with further turns and calls. The
  /// handler is not destroyed meanwhile.
  virtual void run_detached() noexcept {}

  /// Begins the shutdown of the handler: a further turn begins no new work. Messages to the peer are sent
  /// until `deadline`. Any thread, also during a turn.
  virtual void close_orderly(platform::Deadline deadline) noexcept = 0;
  /// Completes the work that earlier turns have accepted, when no turn is in progress. Before any `close_by`.
  virtual void drain() noexcept {}
  /// Completes the shutdown, when no turn is in progress; returns at `deadline` at the latest.
  virtual void close_by(platform::Deadline deadline) noexcept = 0;
  /// Ends a turn that is blocked because the peer does not read. Called repeatedly after `close_orderly`
  /// while turns are in progress, by one thread.
  virtual void end_if_stuck() noexcept {}

 private:
  friend class Reactor;
  enum class State : std::uint8_t { waiting, queued, running, parked };
  std::uint64_t id_ = 0;
  State state_ = State::queued;
  bool resumed_ = false;  // `resume` was called during a turn
  EventHandler* next_queued_ = nullptr;
};

/// Reactor of the endpoints and connections of an ORB with -ORBThreads single, pool:N or unordered:N: waits
/// for their descriptors and gives each handler its turns. A handler has one turn at a time, so that the
/// requests of a connection are served in order. Thread-safe.
///
/// The threads that call `step` are leader and followers: all wait in the same epoll set. The kernel wakes
/// the thread that began to wait last, whose caches are warmest; while it serves, the others wait.
class Reactor {
 public:
  Reactor();
  ~Reactor();

  /// Registers a handler and queues its first turn. False if it has no descriptor, the process has none left,
  /// after `stop`, or, unless `has_descriptor` is false, after `close_orderly`.
  bool add(std::shared_ptr<EventHandler> handler);
  /// Queues a handler that is parked or waits; also effective during the turn that parks it. Any thread.
  void resume(EventHandler& handler);
  /// Queues all parked handlers.
  void resume_all();
  /// Number of calls of `resume_all` so far. Incremented before the handlers are queued.
  std::uint64_t resume_count() const noexcept { return resume_count_.load(std::memory_order_acquire); }

  /// Executes one turn of one handler. False at the deadline, or after `stop`.
  bool step(platform::Deadline deadline);
  /// The two halves of `step`: `next` returns the handler, which the caller passes to `run`. Null where
  /// `step` returns false.
  EventHandler* next(platform::Deadline deadline);
  void run(EventHandler& handler);
  /// Descriptor of the poll set: readable while a turn is due, and at the shutdown.
  const platform::Fd& fd() const noexcept { return set_.fd(); }
  bool has_work() noexcept;

  /// Stops new turns and wakes all threads in `step`.
  void wake();
  bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }
  /// Calls EventHandler::close_orderly of all handlers. Turns continue.
  void close_orderly(platform::Deadline deadline);
  bool closing() const noexcept { return closing_.load(std::memory_order_acquire); }
  /// As `wake`, and `close_orderly`.
  void stop(platform::Deadline deadline);
  /// Calls EventHandler::end_if_stuck of all handlers. After `close_orderly`.
  void end_stuck();
  /// Waits until no turn is in progress, completes accepted work and destroys all handlers. After `stop`.
  void finish();

  // For a single-threaded ORB: the serving thread is the one that created the ORB, until another thread calls
  // `run` or `perform_work`.
  void set_single() noexcept { single_ = true; }
  bool single() const noexcept { return single_; }
  /// Executes at most one turn in this thread, waiting until `deadline`, and makes it the serving thread. No
  /// effect while another thread serves. For perform_work. `run` executes turns until the end; returns false
  /// while another thread serves.
  void work(platform::Deadline deadline);
  bool run();
  /// Whether this thread, before it blocks, must serve instead, as no other thread would. False beyond
  /// kMaxDepth nested turns: further requests wait until some of them have ended.
  bool must_serve_while_waiting() const noexcept {
    return single_ && owner_.load(std::memory_order_relaxed) == std::this_thread::get_id() &&
           depth_.load(std::memory_order_relaxed) < kMaxDepth && !stopping();
  }
  /// Waits until `deadline` at most and executes the turn that is due. Only if `must_serve_while_waiting`.
  void serve_while_waiting(platform::Deadline deadline);

 private:
  EventHandler* take(std::uint64_t tag);
  void finish_turn(EventHandler& handler, EventHandler::TurnResult after);
  void run_detached(EventHandler& handler);
  void queue(EventHandler& handler);  // with the lock held
  /// Begins to serve in this thread: `only` as the owner, `or_new` also as a new owner if none serves.
  enum class Ownership : bool { only, or_new };
  bool enter(Ownership how);
  void leave();

  platform::PollSet set_;
  platform::WakeupFd queue_event_;  // readable while a handler is queued
  platform::WakeupFd stop_event_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> closing_{false};
  std::atomic<std::thread::id> owner_;
  bool single_ = false;
  static constexpr int kMaxDepth = 100;  // bounds the stack of nested turns
  std::atomic<int> depth_{0};            // nested turns of the owner
  std::atomic<std::uint64_t> resume_count_{0};

  std::mutex mutex_;  // guards the rest, and the private members of handlers
  std::map<std::uint64_t, std::shared_ptr<EventHandler>> handlers_;
  // Queued handlers, an intrusive list: the end of a turn allocates no memory.
  EventHandler* first_queued_ = nullptr;
  EventHandler* last_queued_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::size_t turns_ = 0;  // in progress, and calls of run_detached
  std::condition_variable ended_;
};

}  // namespace orbweaver::orb
