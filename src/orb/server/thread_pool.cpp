#include "orb/server/thread_pool.h"

#include <algorithm>
#include <exception>

#include "base/catch_and_log.h"
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
                            "-ORBThreads: cannot start any pool thread");
}

bool ThreadPool::add_worker() noexcept {
  // Threads marked as ended are at their end: join does not block.
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    if (worker->ended) worker->thread.join();
    worker = worker->ended ? workers_.erase(worker) : std::next(worker);
  }
  std::list<Worker> added;
  try {
    Worker& worker = added.emplace_back();
    worker.thread = std::thread([this, &worker, number = ++number_] {
      catch_and_log("setting up a pool thread",
                    [&] { options_.set_up_thread("ow-pool-" + std::to_string(number)); });
      work(worker);
    });
  } catch (const std::exception& e) {  // no thread, or no memory for it
    catch_and_log("starting a pool thread",
                  [&] { log::warn(std::string("cannot start a pool thread: ") + e.what()); });
    return false;
  }
  workers_.splice(workers_.end(), added);  // the new thread waits for the lock
  ++alive_;
  return true;
}

void ThreadPool::work(Worker& self) {
  pool_of_this_thread = this;
  std::unique_lock lock(mutex_);
  // There may be more threads than N after blocked ones have returned.
  while (!reactor_.stopping() && alive_ - blocked_ <= options_.pool_threads) {
    lock.unlock();
    ++idle_;
    EventHandler* const handler = reactor_.next(platform::Deadline::never());
    --idle_;
    if (handler != nullptr) reactor_.run(*handler);
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

bool ThreadPool::begin_blocking() noexcept {
  const std::lock_guard lock(mutex_);
  ++blocked_;
  return idle_ != 0 || reactor_.stopping() || add_worker();
}

void ThreadPool::end_blocking() noexcept {
  const std::lock_guard lock(mutex_);
  --blocked_;
}

ThreadPool::BlockedScope::BlockedScope() noexcept
    : pool_(pool_of_this_thread), replaced_(pool_ == nullptr || pool_->begin_blocking()) {}

ThreadPool::BlockedScope::~BlockedScope() {
  if (pool_ != nullptr) pool_->end_blocking();
}

}  // namespace orbweaver::orb
