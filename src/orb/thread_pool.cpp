#include "orb/thread_pool.h"

#include <algorithm>
#include <exception>

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

bool ThreadPool::add_worker() noexcept {
  // Those that have ended touch nothing any more: joining them waits for nobody.
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    if (worker->ended) worker->thread.join();
    worker = worker->ended ? workers_.erase(worker) : std::next(worker);
  }
  std::list<Worker> added;
  try {
    Worker& worker = added.emplace_back();
    worker.thread = std::thread([this, &worker, number = ++number_] {
      contained("a thread of the pool has no name", [&] {
        options_.begin_thread("ow-pool-" + std::to_string(number));
      });
      work(worker);
    });
  } catch (const std::exception& e) {  // no thread, or no memory for one
    contained("a thread fewer in the pool", [&] {
      log::warn(std::string("a thread fewer in the pool: ") + e.what());
    });
    return false;
  }
  workers_.splice(workers_.end(), added);  // it waits for the lock
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

bool ThreadPool::ended() {
  const std::lock_guard lock(mutex_);
  return std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.ended; });
}

bool ThreadPool::leave() noexcept {
  const std::lock_guard lock(mutex_);
  ++away_;
  return idle_ != 0 || reactor_.stopping() || add_worker();
}

void ThreadPool::come_back() noexcept {
  const std::lock_guard lock(mutex_);
  --away_;
}

ThreadPool::Away::Away() noexcept
    : pool_(pool_of_this_thread), replaced_(pool_ == nullptr || pool_->leave()) {}

ThreadPool::Away::~Away() {
  if (pool_ != nullptr) pool_->come_back();
}

}  // namespace orbweaver::orb
