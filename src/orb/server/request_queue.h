#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "orb/real_time.h"
#include "orb/server/reactor.h"

namespace orbweaver::orb {

struct Options;
class RequestQueues;
class ServiceBudget;

/// Request for an object, in its RequestQueue. The destructor ends the use of its connection.
class ObjectRequest {
 public:
  virtual ~ObjectRequest() = default;
  /// Serves the request and sends its reply. Returns false if a POA manager is holding: the request remains
  /// the first of its queue.
  virtual bool serve() noexcept = 0;
};

/// Queue of the requests for one object of a POA with a RequestQueuePolicy. They are served one at a time, in
/// the order of Space::put: in turns of the reactor, or, with -ORBThreads connection, by a thread of the
/// queue. Thread-safe.
///
/// The queue of an object whose POA has a ThreadpoolPolicy holds no requests: they are passed on to the pool.
class RequestQueue final : public EventHandler {
 public:
  /// See RequestQueuePolicy.
  struct Limits {
    std::size_t requests;
    std::size_t bytes;
  };

  /// Turn of the reactor that several queues share: those of a POA with SINGLE_THREAD_MODEL, so that no
  /// thread of a pool waits for the lock of the POA. Used by the queues only.
  struct SharedTurn {
    bool taken = false;
    std::list<RequestQueue*> waiting;
  };

  /// For RequestQueues::make. `turn`: null if the queue shares none.
  RequestQueue(std::shared_ptr<RequestQueues> all, const Limits& limits, std::shared_ptr<SharedTurn> turn,
               std::shared_ptr<const RealTimeAdapter> pool_owner, std::int16_t object_priority);

  /// The thread pool to which requests are passed on; null: none.
  LanePool* pool() const noexcept { return pool_owner_ == nullptr ? nullptr : pool_owner_->pool(); }
  /// Priority of a request for the pool.
  std::int16_t priority_of(const giop::ServiceContexts& contexts) const noexcept {
    return pool_owner_->priority_of(contexts, object_priority_);
  }

  /// Space for one request of a connection, which reads one request at a time. It is counted until the
  /// request has been served and destroyed. Used by one thread at a time.
  class Space {
   public:
    /// `on_change` is called by any thread, with a lock held, when space that `reserve` has waited for is
    /// there, or its queue is closed.
    explicit Space(std::function<void()> on_change) : on_change_(std::move(on_change)) {}
    ~Space() { cancel(); }
    Space(const Space&) = delete;
    Space& operator=(const Space&) = delete;

    enum class Reservation : std::uint8_t {
      granted,  ///< `put` may be called.
      waiting,  ///< No space in the queue or in the memory of all queues: reserve again after `on_change`.
                ///< Without end if the reactor has stopped.
      closed,   ///< The object has been deactivated: look it up again.
      full,     ///< The buffer of the thread pool is full: reject the request.
    };
    /// Reserves space for a request of `bytes` bytes. Requests that wait for one queue are granted in the
    /// order in which they began to wait. pre: while waiting, called with the same arguments. `priority`: of
    /// the request, for the pool of the queue.
    Reservation reserve(const std::shared_ptr<RequestQueue>& queue, std::size_t bytes,
                        std::int16_t priority = kNoPriority);
    /// Adds a request to the queue, in the reserved space. Without a reactor, if the queue has no thread and
    /// none can be started, serves the requests in the queue until there is none. pre: granted.
    void put(std::unique_ptr<ObjectRequest> request);
    /// Gives the reservation up.
    void cancel() noexcept;

   private:
    friend class RequestQueue;
    friend class RequestQueues;
    enum class State : std::uint8_t { none, waits_for_queue, waits_for_memory, granted };
    const std::function<void()> on_change_;
    std::shared_ptr<RequestQueue> queue_;
    std::unique_ptr<LanePool::Place> place_;  // in a thread pool; queue_ is null
    // Guarded by the lock of the queues:
    State state_ = State::none;
    std::size_t bytes_ = 0;
  };

  /// Called when the object is deactivated. Requests in the queue are served still, and find no object.
  void close() noexcept;
  /// Number of requests that have space in the queue.
  std::size_t requests() const;

  // EventHandler: serves one request in a turn.
  int descriptor() noexcept override { return -1; }
  bool has_descriptor() const noexcept override { return false; }
  TurnResult handle_event() noexcept override;
  void close_orderly(platform::Deadline) noexcept override {}
  void drain() noexcept override;
  void close_by(platform::Deadline) noexcept override {}

 private:
  friend class RequestQueues;
  enum class Served : std::uint8_t { one, none, held };
  struct Entry {
    std::unique_ptr<ObjectRequest> request;
    std::size_t bytes;
  };
  /// Serves the first request. One thread at a time.
  Served serve_next() noexcept;
  void remove_first() noexcept;
  /// Serves requests until there is none; called with the lock. For a queue with `has_thread_`, which is
  /// served by the caller.
  void serve_all(std::unique_lock<std::mutex>& lock) noexcept;
  /// Takes the shared turn. False: another queue has it, and resumes this one at its end.
  bool take_turn() noexcept;
  void end_turn() noexcept;
  bool has_room_for(std::size_t bytes) const noexcept {
    return requests_ == 0 ||
           (requests_ < limits_.requests && bytes_ <= limits_.bytes && bytes <= limits_.bytes - bytes_);
  }

  const std::shared_ptr<RequestQueues> all_;
  const Limits limits_;
  const std::shared_ptr<SharedTurn> turn_;
  const std::shared_ptr<const RealTimeAdapter> pool_owner_;
  const std::int16_t object_priority_;
  // Guarded by the lock of `all_`, like *turn_:
  std::list<RequestQueue*> place_{this};  // empty while its node is in turn_->waiting
  const std::list<RequestQueue*>::iterator node_ = place_.begin();
  std::list<Entry> entries_;
  std::list<Space*> waiting_;  // for space in this queue
  std::size_t requests_ = 0;   // that have space here: also waits_for_memory, granted, and in service
  std::size_t bytes_ = 0;      // of these, at most limits_.bytes unless it is one request
  bool closed_ = false;
  bool stopped_ = false;             // created after the stop of the reactor; constant
  bool has_thread_ = false;          // one of `all_`, or of a connection
  std::condition_variable changed_;  // for the thread
};

/// All request queues of an ORB: their limit of memory (-ORBTune request-queue-bytes) and their threads.
/// Thread-safe.
class RequestQueues final : public std::enable_shared_from_this<RequestQueues> {
 public:
  /// Memory that a queued request takes beside its message, as counted.
  static constexpr std::size_t kRequestOverhead = 1024;
  static constexpr std::size_t kMaxThreads = 500;

  /// `reactor` serves the queues; null: each queue has a thread while it has requests, and a few seconds
  /// longer, `max_threads` at most. Both outlive all queues.
  RequestQueues(const Options& options, Reactor* reactor, std::size_t max_threads = kMaxThreads);
  ~RequestQueues();

  /// Creates the queue of an object. `turn`: see SharedTurn; null: none. `pool_owner`: has the pool to which
  /// the requests are passed on; null: they are not.
  std::shared_ptr<RequestQueue> make(const RequestQueue::Limits& limits,
                                     std::shared_ptr<RequestQueue::SharedTurn> turn = nullptr,
                                     std::shared_ptr<const RealTimeAdapter> pool_owner = nullptr,
                                     std::int16_t object_priority = kNoPriority);
  /// Whether a queue has been created.
  bool in_use() const noexcept { return in_use_.load(std::memory_order_acquire); }
  /// Serves the requests in the queues, and joins the threads. No request is added any more.
  void stop() noexcept;

  /// Counts a request that the buffer of a thread pool holds, until `release_memory`. False, and not counted:
  /// there is no memory for it; one of any size is accepted if there is no other. `is_first`: of its pool,
  /// and accepted always, so that the requests of other queues do not keep a pool from buffering.
  bool take_memory(std::size_t bytes, bool is_first) noexcept;
  void release_memory(std::size_t bytes) noexcept;

  /// Memory of all requests that have space, and of those in the buffers of thread pools, with
  /// kRequestOverhead for each.
  std::size_t bytes() const;
  /// Counts the large requests that wait for space, in the memory of their connections.
  ServiceBudget& waiting() noexcept { return *waiting_budget_; }

 private:
  friend class RequestQueue;
  friend class RequestQueue::Space;
  struct Worker {
    std::thread thread;
    std::shared_ptr<RequestQueue> queue;
    bool ended = false;
  };
  // All with the lock held:
  void admit(RequestQueue& queue, const RequestQueue::Space* caller) noexcept;
  void grant_memory(const RequestQueue::Space* caller) noexcept;
  bool has_memory_for(std::size_t bytes) const noexcept;
  void release(RequestQueue& queue, std::size_t bytes) noexcept;
  void release_in_queue(RequestQueue& queue, std::size_t bytes) noexcept;
  /// Ensures that a thread serves the queue. False if none can be started: the caller does.
  bool start_thread(const std::shared_ptr<RequestQueue>& queue) noexcept;
  void work(Worker& self) noexcept;

  const Options& options_;
  Reactor* const reactor_;
  const std::size_t max_threads_;
  const std::unique_ptr<ServiceBudget> waiting_budget_;
  std::atomic<bool> in_use_{false};
  mutable std::mutex mutex_;                 // guards the rest, and the queues
  std::list<RequestQueue::Space*> waiting_;  // for memory, with space in their queues
  std::size_t bytes_ = 0;
  std::list<Worker> workers_;
  std::size_t threads_ = 0;  // workers that have not ended
  bool stopping_ = false;
};

}  // namespace orbweaver::orb
