#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

#include "orb/reactor.h"

namespace orbweaver::orb {

struct Options;

/// The threads of -ORBThreads pool:N, which give the sources of a reactor their turns.
///
/// One that waits for somebody else, inside of a servant that makes a call, may wait for a request that nobody
/// would serve if all did the same. So while the last free thread waits another takes its place, and goes when
/// it is no longer needed: N is how many work, not how many wait.
class ThreadPool {
 public:
  /// `options` and `reactor` outlive the pool.
  ThreadPool(const Options& options, Reactor& reactor);
  ~ThreadPool();

  /// Starts them. Raises NO_RESOURCES where not a single one can be started.
  void start();
  /// After Reactor::stop: returns when all have ended.
  void join();
  /// Have all ended, so that `join` waits for none?
  bool ended();

  /// For as long as a thread of a pool waits for others; nothing in any other thread.
  class Away {
   public:
    Away() noexcept;
    ~Away();
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;
    /// Does another thread work meanwhile? False: there was none to be had, and waiting holds up others.
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
  bool leave() noexcept;
  void come_back() noexcept;

  const Options& options_;
  Reactor& reactor_;
  std::mutex mutex_;  // guards the rest
  std::list<Worker> workers_;
  std::size_t alive_ = 0;  // workers that have not ended
  std::size_t away_ = 0;   // of them, those that wait for others
  std::size_t number_ = 0;
  std::atomic<std::size_t> idle_{0};  // those that wait for work: a hint, each that leaves looks for itself
};

}  // namespace orbweaver::orb
