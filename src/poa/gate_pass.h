#pragma once

#include <mutex>
#include <utility>

#include "orb/server/thread_pool.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

/// Counts as a call in progress of the POA, so that its destruction waits for it.
class PoaImpl::GatePass {
 public:
  explicit GatePass(PoaImpl& poa) : objects_(poa.adapters_.objects()) {
    const std::lock_guard lock(poa.mutex_);
    if (poa.gate_ != nullptr && objects_.enter(*poa.gate_, poa.gate_generation_)) slot_ = poa.gate_;
  }
  ~GatePass() {
    if (slot_ != nullptr) objects_.leave(*slot_);
  }
  GatePass(const GatePass&) = delete;
  GatePass& operator=(const GatePass&) = delete;
  /// The gate; null if the POA has none, or has been destroyed.
  ObjectSlot* slot() const noexcept { return slot_; }
  /// The caller leaves the slot.
  ObjectSlot* release() noexcept { return std::exchange(slot_, nullptr); }

 private:
  ActiveObjectMap& objects_;
  ObjectSlot* slot_ = nullptr;
};

/// Locks a mutex that other calls may hold for long.
inline std::unique_lock<std::recursive_mutex> lock_long(std::recursive_mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    const orb::ThreadPool::BlockedScope blocked;
    lock.lock();
  }
  return lock;
}

}  // namespace orbweaver::poa
