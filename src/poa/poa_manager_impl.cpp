#include "poa/poa_manager_impl.h"

#include <chrono>

#include "base/log.h"
#include "orb/minor_codes.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

using orb::Found;

namespace {

/// Requests that are held for so long are told of: by then somebody has probably forgotten activate().
constexpr std::int64_t kToldAfterMs = 1000;

}  // namespace

PoaManagerImpl::~PoaManagerImpl() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (held_watch_.joinable()) held_watch_.join();
}

void PoaManagerImpl::tell_held(const std::string& poa) {
  if (told_) return;
  told_ = true;
  log::warn("requests for objects of POA '" + poa + "' have been held for " + std::to_string(kToldAfterMs / 1000) +
            " s: its POA manager is holding; call the_POAManager()->activate() on that POA, or discard_requests()");
}

void PoaManagerImpl::tell_held_later(const std::string& poa) {
  if (told_ || watching_) return;
  if (held_watch_.joinable()) held_watch_.join();  // at its end, and without mutex_
  watching_ = true;
  held_watch_ = std::thread([this, poa] {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return state_.load() != State::HOLDING || !core_->running() || ended_; };
    if (!changed_.wait_for(lock, std::chrono::milliseconds(kToldAfterMs), over)) tell_held(poa);
    watching_ = false;
  });
}

void PoaManagerImpl::change(State to, bool wait_for_completion) {
  if (wait_for_completion && orb::in_upcall()) {
    throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CORBA::CompletionStatus::COMPLETED_NO,
                               "a servant that waits for its requests to complete waits for itself");
  }
  std::unique_lock lock(mutex_);
  if (state_.load() == State::INACTIVE && to != State::INACTIVE) throw AdapterInactive();
  state_.store(to, std::memory_order_release);
  told_ = false;
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
  if (!may_wait && !over()) {
    tell_held_later(slot.poa->the_name());
    return Found::held;
  }
  ++waiting_;
  const auto late = platform::Deadline::in_ms(kToldAfterMs);
  while (!over()) {
    if (late.passed()) tell_held(slot.poa->the_name());
    if (core_->serves_here()) {
      // A direct call in the only thread that serves: what lets it pass may come as a request.
      lock.unlock();
      core_->serve_while_waiting(transport::Deadline::in_ms(1));
      lock.lock();
    } else {
      if (told_) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, std::chrono::milliseconds(kToldAfterMs));
      }
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
