#include "orb/client/async_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include "orb/client/async_replies.h"
#include "orb/client/client_call.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/thread_pool.h"
#include "platform/thread.h"

namespace orbweaver {

AsyncCall::AsyncCall(const CORBA::Object& target, const Operation& operation)
    : reference_(target._reference()), operation_(&operation) {
  if (reference_ == nullptr) {
    throw CORBA::BAD_INV_ORDER(minor::kLocalObject, CORBA::CompletionStatus::COMPLETED_NO,
                               "a local object has no remote operations");
  }
  reference_->_add_ref();
}

AsyncCall::~AsyncCall() {
  observer_ = nullptr;
  if (connection_ != nullptr) connection_->_remove_ref();
  reference_->_remove_ref();  // last: may destroy the ORB, which outlives its connections
}

void AsyncCall::start() { reference_->core().async_calls().start(*this); }
bool AsyncCall::wait(std::int64_t deadline_ns) {
  return reference_->core().async_calls().wait(*this, Deadline{deadline_ns});
}
void AsyncCall::cancel() { reference_->core().async_calls().cancel(*this); }

}  // namespace orbweaver

namespace orbweaver::orb {

void AsyncCalls::start(AsyncCall& call) {
  core_.check_running();
  const std::size_t limit = core_.options().async_calls;
  if (in_progress_.fetch_add(1, std::memory_order_relaxed) >= limit) {
    in_progress_.fetch_sub(1, std::memory_order_relaxed);
    throw CORBA::TRANSIENT(
        minor::kTooManyAsyncCalls, CORBA::CompletionStatus::COMPLETED_NO,
        std::to_string(limit) + " asynchronous calls are in progress (-ORBTune async-calls)");
  }
  call._add_ref();  // of the ORB, until `end`
  try {
    start_observed(call);
  } catch (...) {
    end(call);
    throw;
  }
}

void AsyncCalls::end(AsyncCall& call) noexcept {
  in_progress_.fetch_sub(1, std::memory_order_relaxed);
  call._remove_ref();
}

bool AsyncCalls::wait(AsyncCall& call, Deadline deadline) {
  if (call.is_complete()) return true;
  if (core_.must_serve_while_waiting()) return wait_while_serving(call, deadline);
  std::optional<ThreadPool::BlockedScope> blocked;
  if (core_.reactor() != nullptr) blocked.emplace();
  AsyncReplies::Lock lock(mutex_);
  while (!call.is_complete()) {
    if (AsyncReplies::complete_replied(lock, call)) continue;
    if (deadline.passed()) return false;
    Deadline until{std::min(deadline.ns, call.deadline_ns_)};
    if (call.deadline_ns_ <= now_ns()) {
      const Error late{ErrorKind::timed_out, {}};
      call.replies_->end_early(lock, call, &late);
      if (call.is_complete()) break;
      if (AsyncReplies::complete_replied(lock, call)) continue;
      until = Deadline::in_ms(kServeInterval_ms);  // another thread is about to end it
    }
    AsyncReplies& replies = *call.replies_;
    ClientConnectionPtr connection = replies.share_connection();
    replies.wait_once(lock, until, call);
    lock.unlock();
    connection = nullptr;
    lock.lock();
  }
  return true;
}

/// Waits in the thread of an ORB with -ORBThreads single.
bool AsyncCalls::wait_while_serving(AsyncCall& call, Deadline deadline) {
  while (!call.is_complete()) {
    if (!core_.must_serve_while_waiting()) return wait(call, deadline);
    if (AsyncReplies::Lock lock(mutex_); AsyncReplies::complete_replied(lock, call)) continue;
    if (deadline.passed()) return false;
    // In a reply handler, no other thread reads.
    ClientConnectionPtr connection;
    {
      const std::lock_guard lock(mutex_);
      connection = call.replies_->share_connection();
    }
    connection->async_replies(core_).read_arrived();
    if (AsyncReplies::Lock lock(mutex_); AsyncReplies::complete_replied(lock, call)) continue;
    if (call.is_complete()) break;
    core_.serve_while_waiting({std::min(deadline.ns, Deadline::in_ms(kServeInterval_ms).ns)});
  }
  return true;
}

void AsyncCalls::cancel(AsyncCall& call) {
  AsyncReplies::Lock lock(mutex_);
  if (call.is_complete() || call.replies_ == nullptr) return;
  ClientConnectionPtr connection = call.replies_->share_connection();
  call.replies_->end_early(lock, call, nullptr);
  lock.unlock();
}

void AsyncCalls::add(AsyncReplies& replies) {
  const std::lock_guard lock(mutex_);
  all_.push_back(&replies);
}

void AsyncCalls::remove(AsyncReplies& replies) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(all_, &replies);
}

/// Joins the threads that have only to return. Locked.
void AsyncCalls::join_ended() noexcept {
  for (auto at = workers_.begin(); at != workers_.end();) {
    const auto worker = at++;
    if (!worker->ended.load(std::memory_order_acquire)) continue;
    worker->thread.join();
    workers_.erase(worker);
  }
}

void AsyncCalls::start_thread(const char* name, ClientConnectionPtr connection, std::function<void()> work) {
  if (stopping_) core_.check_running();
  join_ended();
  Worker& worker = workers_.emplace_back();
  try {
    worker.thread = std::thread([name, core = core_.shared_from_this(), connection = std::move(connection),
                                 work = std::move(work), &worker]() mutable {
      platform::name_this_thread(name);
      work();
      connection = nullptr;
      worker.ended.store(true, std::memory_order_release);  // the last use of the worker
      core = nullptr;                                       // may destroy the ORB: see `stop`
    });
  } catch (const std::system_error&) {
    workers_.pop_back();
    throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                              std::string("no thread left for asynchronous calls (") + name + ")");
  }
}

void AsyncCalls::stop() {
  std::vector<ClientConnectionPtr> used;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
    for (AsyncReplies* replies : all_) {
      if (!replies->is_in_use()) continue;
      used.push_back(replies->share_connection());
      replies->wake_to_stop();
    }
  }
  for (const ClientConnectionPtr& connection : used) connection->close();
  std::list<Worker> workers;
  {
    const std::lock_guard lock(mutex_);
    workers.swap(workers_);
  }
  for (Worker& worker : workers) {
    if (worker.thread.get_id() == std::this_thread::get_id())
      worker.thread.detach();  // it has dropped the last reference to the ORB, and returns
    else
      worker.thread.join();
  }
  // Of an ORB with a reactor, which has been stopped.
  for (const ClientConnectionPtr& connection : used) connection->async_replies(core_).end_all();
}

}  // namespace orbweaver::orb
