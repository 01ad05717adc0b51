#include "sca/deployment/concurrently.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace orbweaver::sca {
namespace {

class Work {
 public:
  Work(std::size_t count, const std::function<void(std::size_t)>& call) : count_(count), call_(call) {}

  /// Takes part in the work until it is done.
  void take_part() {
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= count_) return;
      try {
        call_(index);
      } catch (...) {
        fail(index);
      }
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
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
  const std::function<void(std::size_t)>& call_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;    // mutex_
  std::size_t failed_index_ = 0;  // mutex_
};

}  // namespace

void run_concurrently(std::size_t count, const std::function<void(std::size_t)>& call) {
  Work work(count, call);
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < std::min(count, kDeploymentThreads); ++i)
      threads.emplace_back([&work] { work.take_part(); });
  } catch (const std::system_error&) {  // fewer threads do the work
  }
  work.take_part();
  for (std::thread& thread : threads) thread.join();
  work.rethrow();
}

}  // namespace orbweaver::sca
