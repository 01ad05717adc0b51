#include "poa/poa_manager_impl.h"

#include <chrono>

#include "base/log.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

using orb::LookupStatus;

namespace {

/// Holding time after which a warning is logged: activate() has probably been omitted.
constexpr std::int64_t kHeldWarningMs = 1000;

}  // namespace

PoaManagerImpl::~PoaManagerImpl() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (held_warning_thread_.joinable()) held_warning_thread_.join();
  adapters_.managers().remove(id_);
}

void PoaManagerImpl::warn_of_held_requests(const std::string& poa) {
  if (warned_) return;
  warned_ = true;
  log::warn(
      "requests for objects of POA '" + poa + "' have been held for " +
      std::to_string(kHeldWarningMs / 1000) +
      " s: its POA manager is holding; call the_POAManager()->activate() on that POA, or discard_requests()");
}

void PoaManagerImpl::warn_of_held_requests_later(const std::string& poa) {
  if (warned_ || warning_pending_) return;
  if (held_warning_thread_.joinable()) held_warning_thread_.join();  // at its end, no longer using mutex_
  warning_pending_ = true;
  held_warning_thread_ = std::thread([this, poa] {
    std::unique_lock lock(mutex_);
    const auto released = [&] { return state_.load() != State::HOLDING || !core_->running() || ended_; };
    if (!changed_.wait_for(lock, std::chrono::milliseconds(kHeldWarningMs), released)) {
      warn_of_held_requests(poa);
    }
    warning_pending_ = false;
  });
}

void PoaManagerImpl::change(State to, bool wait_for_completion) {
  if (wait_for_completion && orb::in_upcall()) {
    throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CORBA::CompletionStatus::COMPLETED_NO,
                               "wait_for_completion within an upcall would deadlock");
  }
  std::unique_lock lock(mutex_);
  if (state_.load() == State::INACTIVE && to != State::INACTIVE)
    throw AdapterInactive("the POA manager is INACTIVE, for good");
  state_.store(to, std::memory_order_release);
  warned_ = false;
  changed_.notify_all();
  core_->retry_held_requests();
  if (orb::Interception* const interception = core_->interception(); interception != nullptr) {
    lock.unlock();
    interception->adapter_manager_changed(id_, static_cast<std::int16_t>(to));
    lock.lock();
  }
  if (!wait_for_completion) return;
  // Polled, as this is rare and a notification would cost time in each call. Held requests are not waited
  // for.
  while (state_.load() == to && core_->running() && adapters_.calls_of(*this) > waiting_) {
    changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

void PoaManagerImpl::activate() { change(State::ACTIVE, false); }
void PoaManagerImpl::hold_requests(bool wait) { change(State::HOLDING, wait); }
void PoaManagerImpl::discard_requests(bool wait) { change(State::DISCARDING, wait); }
void PoaManagerImpl::deactivate(bool etherealize_objects, bool wait) {
  change(State::INACTIVE, wait);
  if (!etherealize_objects) return;
  const auto poas = adapters_.poas_of(*this);
  for (const auto& poa : poas) {
    if (poa->has_activator()) poa->end_all_objects();
  }
  for (const auto& poa : poas) {
    if (wait) poa->wait_for_endings();
  }
}

void PoaManagerImpl::wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  core_->retry_held_requests();
}

void PoaManagerImpl::wake_held() {
  if (is_active()) return;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_ == 0 && !warned_ && !warning_pending_) return;
  }
  wake();
}

LookupStatus PoaManagerImpl::wait_while_holding(const ObjectSlot& slot, bool may_wait) {
  const auto active = [&] { return (slot.state.load(std::memory_order_acquire) & ObjectSlot::kActive) != 0; };
  const auto released = [&] { return state_.load() != State::HOLDING || !core_->running() || !active(); };
  std::unique_lock lock(mutex_);
  if (!may_wait && !released()) {
    warn_of_held_requests_later(slot.poa->the_name());
    return LookupStatus::holding;
  }
  ++waiting_;
  const auto warning_deadline = platform::Deadline::in_ms(kHeldWarningMs);
  while (!released()) {
    if (warning_deadline.passed()) warn_of_held_requests(slot.poa->the_name());
    if (core_->must_serve_while_waiting()) {
      // A collocated call in the only serving thread: the activation may arrive as a request.
      lock.unlock();
      core_->serve_while_waiting(transport::Deadline::in_ms(1));
      lock.lock();
    } else if (warned_) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, std::chrono::milliseconds(kHeldWarningMs));
    }
  }
  --waiting_;
  if (!active()) return LookupStatus::no_object;
  switch (state_.load()) {
    case State::ACTIVE: return LookupStatus::found;
    case State::DISCARDING: return LookupStatus::discarding;
    default: return LookupStatus::inactive;
  }
}

}  // namespace orbweaver::poa
