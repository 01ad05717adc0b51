#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace orbweaver::services::events {

/// The threads of a service, limited in number. A thread that has ended is joined when the next one starts,
/// or by join(). Thread-safe.
class Workers {
 public:
  explicit Workers(std::size_t max) : max_(max) {}
  ~Workers() { join(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls `work()` in a new thread of this name. Exceptions of `work` are logged. Raises NO_RESOURCES if
  /// there are too many threads or none can be started, and BAD_INV_ORDER after join().
  void start(const char* name, std::function<void()> work);
  /// Waits for the end of all threads, and starts no further ones. Not from one of the threads.
  void join() noexcept;
  /// Whether this thread is one of them.
  bool contain_this_thread() const;
  /// Number of threads whose work has not ended.
  std::size_t running() const;

 private:
  struct Worker {
    std::thread thread;
    bool ended = false;
  };
  void join_ended();

  const std::size_t max_;
  mutable std::mutex mutex_;
  std::list<Worker> workers_;
  std::size_t running_ = 0;
  bool closed_ = false;
};

}  // namespace orbweaver::services::events
