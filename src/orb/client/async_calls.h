#pragma once

#include <orbweaver/detail/async_call.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "orb/client/client_connection.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class AsyncReplies;
class Core;

/// Asynchronous calls of one ORB: their number, which is limited, and the threads that read and send them.
/// Each belongs to the AsyncReplies of a connection. Thread-safe.
class AsyncCalls {
 public:
  using Deadline = transport::Deadline;

  explicit AsyncCalls(Core& core) noexcept : core_(core) {}
  ~AsyncCalls() { stop(); }
  AsyncCalls(const AsyncCalls&) = delete;
  AsyncCalls& operator=(const AsyncCalls&) = delete;

  /// Implement the functions of AsyncCall.
  void start(AsyncCall& call);
  bool wait(AsyncCall& call, Deadline deadline);
  void cancel(AsyncCall& call);

  /// Guards the state of all calls and of all AsyncReplies. A leaf, except for the mutexes of the reactor.
  std::mutex& mutex() noexcept { return mutex_; }
  /// Ends the count of a call, and drops the reference of the ORB. The last use of `call`.
  void end(AsyncCall& call) noexcept;
  /// Calls in progress.
  std::size_t in_progress() const noexcept { return in_progress_.load(std::memory_order_relaxed); }

  /// Registers the replies of a connection, until their destructor.
  void add(AsyncReplies& replies);
  void remove(AsyncReplies& replies) noexcept;
  /// Starts a thread named `name` that executes `work`, and then releases `connection`. Raises NO_RESOURCES
  /// if there is none, and BAD_INV_ORDER after `stop`. Called with the mutex.
  void start_thread(const char* name, ClientConnectionPtr connection, std::function<void()> work);
  /// Whether `stop` has begun. With the mutex.
  bool stopping() const noexcept { return stopping_; }
  /// Ends all calls, whose connections have been closed, and joins the threads.
  void stop();

 private:
  struct Worker {
    std::thread thread;
    std::atomic<bool> ended{false};
  };
  void join_ended() noexcept;
  bool wait_while_serving(AsyncCall& call, Deadline deadline);
  /// Sends a call, with its observer if there are interceptors of clients.
  void start_observed(AsyncCall& call);

  Core& core_;
  std::atomic<std::size_t> in_progress_{0};
  std::mutex mutex_;  // guards the rest
  std::vector<AsyncReplies*> all_;
  std::list<Worker> workers_;
  bool stopping_ = false;
};

}  // namespace orbweaver::orb
