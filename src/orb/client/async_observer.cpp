// Asynchronous calls of ORBs with interceptors of clients. The observer of a call is told of the request by
// the thread that makes the call, and of the reply by the dispatcher of the connection or by a thread that
// waits for the call, without the reader role: interceptors may make calls.
#include <exception>
#include <utility>

#include "orb/client/async_calls.h"
#include "orb/client/async_replies.h"
#include "orb/client/client_call.h"
#include "orb/core.h"
#include "orb/interception.h"

namespace orbweaver::orb {

void AsyncCalls::start_observed(AsyncCall& call) {
  if (Interception* const interception = core_.request_interception(); interception != nullptr)
    call.observer_ = interception->accompany(*call.reference_, *call.operation_);
  if (call.observer_ == nullptr) return ClientCall::start(call);
  call.is_starting_ = true;  // no other thread knows of the call
  for (;;) {
    call.observer_->begin();
    try {
      ClientCall::start(call);
      break;
    } catch (...) {
      call.observer_->failed();
    }
  }
  call.observer_->sent();
  const std::lock_guard lock(mutex_);
  call.replies_->started(call);
}

void AsyncReplies::started(AsyncCall& call) noexcept {
  call.is_starting_ = false;
  if (call.state_ != AsyncCall::State::replied) return;
  --starting_;
  add_replied(call);
}

/// Keeps a call, which is in no container, until its observer is told of the reply or the failure.
void AsyncReplies::keep_reply(AsyncCall& call) noexcept {
  ClientConnection* before = nullptr;  // released without the lock
  {
    const std::lock_guard lock(calls_.mutex());
    if (call.connection_ != &connection_) {
      before = std::exchange(call.connection_, &connection_);
      connection_._add_ref();
      call.replies_ = this;
    }
    call.state_ = AsyncCall::State::replied;
    if (call.is_starting_)
      ++starting_;
    else
      add_replied(call);
  }
  if (before != nullptr) before->_remove_ref();
}

void AsyncReplies::add_replied(AsyncCall& call) noexcept {
  replied_.push_back(call);
  has_ready_.store(true, std::memory_order_relaxed);
  if (!dispatcher_reads_.load(std::memory_order_relaxed)) wake_dispatcher();
  changed_.notify_all();
}

bool AsyncReplies::complete_replied(Lock& lock, AsyncCall& call) {
  if (call.state_ != AsyncCall::State::replied || call.is_starting_) return false;
  AsyncReplies& replies = *call.replies_;
  ClientConnectionPtr connection = replies.share_connection();
  replies.replied_.erase(call);
  replies.has_ready_.store(!replies.replied_.empty() || !replies.ready_.empty(), std::memory_order_relaxed);
  call.state_ = AsyncCall::State::ended;
  lock.unlock();
  replies.observe_reply(call);
  connection = nullptr;
  lock.lock();
  return true;
}

/// Tells the observer of the reply, and completes the call, or sends it again.
void AsyncReplies::observe_reply(AsyncCall& call) noexcept {
  bool begins_again = false;
  try {
    begins_again = call.observer_->replied(std::exchange(call.is_repeated_, false), call.failure_);
    if (begins_again) return restart(call);
  } catch (...) {
    call.failure_ = std::current_exception();
  }
  complete(call);
}

/// Sends a call again, behind others, by the thread that sends those. Raises the exception of the call.
void AsyncReplies::restart(AsyncCall& call) {
  call.is_starting_ = true;
  for (;;) {
    call.observer_->begin();
    try {
      queue(call);
      break;
    } catch (...) {
      call.observer_->failed();
    }
  }
  call.observer_->sent();
  const std::lock_guard lock(calls_.mutex());
  call.replies_->started(call);
}

}  // namespace orbweaver::orb
