#include "orb/shutdown_state.h"

#include <orbweaver/exception.h>

#include "orb/minor_codes.h"

namespace orbweaver::orb {

void ShutdownState::check_running() const {
  if (running()) return;
  throw CORBA::BAD_INV_ORDER(minor::kOrbShutDown, CORBA::CompletionStatus::COMPLETED_NO,
                             "the ORB has been shut down");
}

void ShutdownState::request() {
  const std::lock_guard lock(mutex_);
  running_.store(false, std::memory_order_release);
  changed_.notify_all();
}

void ShutdownState::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !running(); });
}

bool ShutdownState::begin_finish() {
  std::unique_lock lock(mutex_);
  if (phase_ == Phase::not_begun) {
    phase_ = Phase::in_progress;
    return true;
  }
  changed_.wait(lock, [&] { return phase_ == Phase::done; });
  return false;
}

void ShutdownState::end_finish() {
  const std::lock_guard lock(mutex_);
  phase_ = Phase::done;
  changed_.notify_all();
}

}  // namespace orbweaver::orb
