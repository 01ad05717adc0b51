#include "sca/deployment/worker_threads.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "platform/thread.h"

namespace orbweaver::sca {
namespace {

/// Longer than the pauses between the steps of a deployment.
constexpr std::chrono::seconds kIdleTime{2};

class Workers {
 public:
  void run(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      // Each waiting thread takes one piece of work.
      if (queue_.size() < waiting_) {
        queue_.push_back(std::move(work));
        has_work_.notify_one();
        return;
      }
    }
    std::thread([this, work = std::move(work)]() mutable {
      platform::name_this_thread(kWorkerName);
      serve(std::move(work));
    }).detach();
  }

 private:
  void serve(std::function<void()> work) {
    for (;;) {
      work();
      work = nullptr;  // what it holds is released before the thread waits
      std::unique_lock lock(mutex_);
      ++waiting_;
      has_work_.wait_for(lock, kIdleTime, [this] { return !queue_.empty(); });
      --waiting_;
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
  }

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::function<void()>> queue_;  // mutex_: no more than threads that wait
  std::size_t waiting_ = 0;                  // mutex_: threads
};

}  // namespace

void run_in_worker(std::function<void()> work) {
  static Workers* const all = new Workers;  // not destroyed: its threads run until the process ends
  all->run(std::move(work));
}

}  // namespace orbweaver::sca
