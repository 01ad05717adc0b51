#include "sca/deployment/concurrently.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>

#include "sca/deployment/worker_threads.h"

namespace orbweaver::sca {
namespace {

/// What the caller and the threads that help it share. A helper may begin after the caller has returned: it
/// then does nothing.
class Work {
 public:
  Work(std::size_t count, const std::function<void(std::size_t)>& call) : count_(count), call_(&call) {}

  /// In a thread that helps.
  void help() {
    {
      const std::lock_guard lock(mutex_);
      if (is_over_) return;
      ++helpers_;
    }
    take_part();
    const std::lock_guard lock(mutex_);
    if (--helpers_ == 0) helpers_changed_.notify_all();
  }
  /// Takes part in the work until it is done.
  void take_part() {
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= count_) return;
      try {
        (*call_)(index);
      } catch (...) {
        fail(index);
      }
    }
  }
  /// In the thread of the caller, after its part: waits for the helpers, and throws what a call has thrown.
  void finish() {
    std::unique_lock lock(mutex_);
    is_over_ = true;
    helpers_changed_.wait(lock, [this] { return helpers_ == 0; });
    // Moved, so that the exception is not destroyed by a helper.
    if (failure_) std::rethrow_exception(std::move(failure_));
  }

 private:
  void fail(std::size_t index) {
    const std::lock_guard lock(mutex_);
    if (!failure_ || index < failed_index_) {
      failure_ = std::current_exception();
      failed_index_ = index;
    }
    failed_.store(true, std::memory_order_relaxed);
  }

  const std::size_t count_;
  const std::function<void(std::size_t)>* const call_;  // valid until finish() returns
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable helpers_changed_;
  std::size_t helpers_ = 0;       // mutex_: that take part
  bool is_over_ = false;          // mutex_
  std::exception_ptr failure_;    // mutex_
  std::size_t failed_index_ = 0;  // mutex_
};

}  // namespace

void run_concurrently(std::size_t count, const std::function<void(std::size_t)>& call, std::size_t threads) {
  const auto work = std::make_shared<Work>(count, call);
  try {
    for (std::size_t i = 1; i < std::min(count, threads); ++i) run_in_worker([work] { work->help(); });
  } catch (const std::system_error&) {  // fewer threads do the work
  }
  work->take_part();
  work->finish();
}

}  // namespace orbweaver::sca
