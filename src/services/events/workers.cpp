#include "services/events/workers.h"

#include <orbweaver/exception.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/catch_and_log.h"
#include "platform/thread.h"

namespace orbweaver::services::events {

constexpr auto kNotDone = CORBA::CompletionStatus::COMPLETED_NO;

void Workers::start(const char* name, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (closed_) throw CORBA::BAD_INV_ORDER(0, kNotDone, "the event service has been shut down");
  join_ended();
  if (running_ >= max_) {
    throw CORBA::NO_RESOURCES(0, kNotDone,
                              "the event service has " + std::to_string(max_) +
                                  " threads, the most that EventServiceLimits::max_threads permits");
  }
  Worker& worker = workers_.emplace_back();
  try {
    worker.thread = std::thread([this, &worker, name, work = std::move(work)]() mutable {
      platform::name_this_thread(name);
      catch_and_log("thread of the event service", work);
      work = nullptr;  // releases what it holds before the thread counts as ended
      const std::lock_guard ending(mutex_);
      worker.ended = true;
      --running_;
    });
  } catch (const std::system_error& e) {
    workers_.pop_back();
    throw CORBA::NO_RESOURCES(0, kNotDone, std::string("cannot start a thread: ") + e.what());
  } catch (...) {  // no memory
    workers_.pop_back();
    throw;
  }
  ++running_;
}

void Workers::join_ended() {
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    if (!worker->ended) {
      ++worker;
      continue;
    }
    worker->thread.join();  // only the end of the thread function is left
    worker = workers_.erase(worker);
  }
}

void Workers::join() noexcept {
  std::list<Worker> left;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    left.swap(workers_);  // the threads refer to their entries, which do not move
  }
  for (Worker& worker : left) worker.thread.join();
}

bool Workers::contain_this_thread() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.thread.get_id() == std::this_thread::get_id();
  });
}

std::size_t Workers::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace orbweaver::services::events
