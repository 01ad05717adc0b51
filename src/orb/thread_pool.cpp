#include "orb/thread_pool.h"

#include <system_error>

#include "base/contained.h"
#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/options.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {
namespace {
thread_local ThreadPool* pool_of_this_thread = nullptr;
}

ThreadPool::ThreadPool(const Options& options, Reactor& reactor) : options_(options), reactor_(reactor) {}

ThreadPool::~ThreadPool() { join(); }

void ThreadPool::start() {
  const std::lock_guard lock(mutex_);
  while (alive_ < options_.pool_threads && add_worker()) {
  }
  if (alive_ != 0) return;
  throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                            "-ORBThreads: not a single thread could be started");
}

bool ThreadPool::add_worker() {
  // Those that have ended touch nothing any more: joining them waits for nobody.
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    if (worker->ended) worker->thread.join();
    worker = worker->ended ? workers_.erase(worker) : std::next(worker);
  }
  Worker& worker = workers_.emplace_back();
  try {
    worker.thread = std::thread([this, &worker, number = ++number_] {
      contained("a thread of the pool has no name", [&] {
        options_.begin_thread("ow-pool-" + std::to_string(number));
      });
      work(worker);
    });
  } catch (const std::system_error& e) {
    log::warn(std::string("a thread fewer in the pool: ") + e.what());
    workers_.pop_back();
    return false;
  }
  ++alive_;
  return true;
}

void ThreadPool::work(Worker& self) {
  pool_of_this_thread = this;
  std::unique_lock lock(mutex_);
  // More may be left than are wanted, when those that were away have come back.
  while (!reactor_.stopping() && alive_ - away_ <= options_.pool_threads) {
    lock.unlock();
    ++idle_;
    Source* const source = reactor_.next(platform::Deadline::never());
    --idle_;
    if (source != nullptr) reactor_.run(*source);
    lock.lock();
  }
  --alive_;
  self.ended = true;
}

void ThreadPool::join() {
  for (;;) {
    std::list<Worker> ending;
    {
      const std::lock_guard lock(mutex_);
      ending.swap(workers_);
    }
    if (ending.empty()) return;
    for (Worker& worker : ending) worker.thread.join();
  }
}

void ThreadPool::leave() noexcept {
  const std::lock_guard lock(mutex_);
  ++away_;
  if (idle_ == 0 && !reactor_.stopping()) add_worker();
}

void ThreadPool::come_back() noexcept {
  const std::lock_guard lock(mutex_);
  --away_;
}

ThreadPool::Away::Away() noexcept : pool_(pool_of_this_thread) {
  if (pool_ != nullptr) pool_->leave();
}

ThreadPool::Away::~Away() {
  if (pool_ != nullptr) pool_->come_back();
}

}  // namespace orbweaver::orb
