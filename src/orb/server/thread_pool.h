#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

#include "orb/server/reactor.h"

namespace orbweaver::orb {

struct Options;

/// Threads of -ORBThreads pool:N and unordered:N, which execute the turns of a reactor.
///
/// A thread blocked in a nested call may depend on a request that no thread would serve if all were blocked.
/// While a thread is blocked and no other is idle, a replacement runs; it ends when it is no longer needed. N
/// is the number of running threads, not of blocked ones.
class ThreadPool {
 public:
  /// `options` and `reactor` outlive the pool.
  ThreadPool(const Options& options, Reactor& reactor);
  ~ThreadPool();

  /// Starts the threads. Raises NO_RESOURCES if none can be started.
  void start();
  /// Joins all threads. After Reactor::stop.
  void join();
  /// Whether all threads have ended, so that `join` does not block.
  bool ended();

  /// Marks the calling pool thread as blocked, for the lifetime of the object. No effect in other threads.
  class BlockedScope {
   public:
    BlockedScope() noexcept;
    ~BlockedScope();
    BlockedScope(const BlockedScope&) = delete;
    BlockedScope& operator=(const BlockedScope&) = delete;
    /// Whether another thread can run meanwhile. False: none could be started, and blocking delays other
    /// requests.
    bool replaced() const noexcept { return replaced_; }

   private:
    ThreadPool* const pool_;
    const bool replaced_;
  };

 private:
  struct Worker {
    std::thread thread;
    bool ended = false;
  };
  bool add_worker() noexcept;  // with the lock held
  void work(Worker& self);
  bool begin_blocking() noexcept;
  void end_blocking() noexcept;

  const Options& options_;
  Reactor& reactor_;
  std::mutex mutex_;  // guards the rest
  std::list<Worker> workers_;
  std::size_t alive_ = 0;    // workers that have not ended
  std::size_t blocked_ = 0;  // workers that are blocked
  std::size_t number_ = 0;
  std::atomic<std::size_t> idle_{0};  // workers that wait for a turn: a hint
};

}  // namespace orbweaver::orb
