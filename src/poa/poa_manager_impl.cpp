#include "poa/poa_manager_impl.h"

#include <chrono>

#include "orb/minor_codes.h"

namespace orbweaver::poa {

using orb::Found;

void PoaManagerImpl::change(State to, bool wait_for_completion) {
  if (wait_for_completion && orb::in_upcall()) {
    throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CORBA::CompletionStatus::COMPLETED_NO,
                               "a servant that waits for its requests to complete waits for itself");
  }
  std::unique_lock lock(mutex_);
  if (state_.load() == State::INACTIVE && to != State::INACTIVE) throw AdapterInactive();
  state_.store(to, std::memory_order_release);
  changed_.notify_all();
  core_->try_held_again();
  if (!wait_for_completion) return;
  // Rare, and not worth a count in every call: looks again until the calls under way have ended, those that
  // are held here excepted.
  while (state_.load() == to && core_->running() && calls_in_progress_(*this) > waiting_) {
    changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

void PoaManagerImpl::activate() { change(State::ACTIVE, false); }
void PoaManagerImpl::hold_requests(bool wait) { change(State::HOLDING, wait); }
void PoaManagerImpl::discard_requests(bool wait) { change(State::DISCARDING, wait); }
void PoaManagerImpl::deactivate(bool, bool wait) { change(State::INACTIVE, wait); }

void PoaManagerImpl::wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  core_->try_held_again();
}

Found PoaManagerImpl::wait_to_pass(const ObjectSlot& slot, bool may_wait) {
  const auto active = [&] { return (slot.state.load(std::memory_order_acquire) & ObjectSlot::kActive) != 0; };
  const auto over = [&] { return state_.load() != State::HOLDING || !core_->running() || !active(); };
  std::unique_lock lock(mutex_);
  if (!may_wait && !over()) return Found::held;
  ++waiting_;
  while (!over()) {
    if (core_->serves_here()) {
      // A direct call in the only thread that serves: what lets it pass may come as a request.
      lock.unlock();
      core_->serve_while_waiting(transport::Deadline::in_ms(1));
      lock.lock();
    } else {
      changed_.wait(lock);
    }
  }
  --waiting_;
  if (!active()) return Found::no_object;
  switch (state_.load()) {
    case State::ACTIVE:
      return Found::servant;
    case State::DISCARDING:
      return Found::discarding;
    default:
      return Found::inactive;
  }
}

}  // namespace orbweaver::poa
