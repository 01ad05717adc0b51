// PoaImpl: the end of objects, whose servants are passed back to a servant activator, and of the POA.
#include <chrono>
#include <vector>

#include "base/catch_and_log.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "platform/process_identity.h"
#include "poa/gate_pass.h"
#include "poa/manager_call.h"

namespace orbweaver::poa {

using CORBA::CompletionStatus;
using PortableServer::Servant;

void PoaImpl::begin_end(const ObjectId& id, ObjectSlot& slot, bool etherealizes, bool cleanup,
                        bool deferred) {
  ending_.emplace(id, Ending{etherealizes ? servant_activator_ : nullptr, cleanup, deferred, &slot});
  ++ending_servants_[slot.servant];
}

void PoaImpl::deactivate_object(const ObjectId& id) {
  if (!policies_.retains()) raise_wrong_policy("RETAIN");
  ObjectSlot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot = find_active(id);
    if (slot == nullptr) raise_not_active(id);
    if (has_activator()) begin_end(id, *slot, true, false, false);
    by_id_.erase(id);
    const auto [begin, end] = by_servant_.equal_range(slot->servant);
    for (auto each = begin; each != end; ++each) {
      if (each->second != slot) continue;
      by_servant_.erase(each);
      break;
    }
  }
  adapters_.objects().deactivate(*slot);  // without the lock: the servant's destructor may call back
  manager_->wake_held();
}

void PoaImpl::end_all_objects() {
  std::vector<ObjectSlot*> slots;
  {
    const std::lock_guard lock(mutex_);
    slots.reserve(by_id_.size());
    for (const auto& [id, slot] : by_id_) {
      begin_end(id, *slot, true, true, false);
      slots.push_back(slot);
    }
    by_id_.clear();
    by_servant_.clear();
  }
  for (ObjectSlot* const slot : slots) adapters_.objects().deactivate(*slot);
}

void PoaImpl::end_object(const ObjectId& id, Servant& servant) noexcept {
  servant._add_ref();
  ServantRef owned = ServantRef::adopt(&servant);
  {
    const std::lock_guard lock(mutex_);
    Ending& ending = ending_.find(id)->second;
    ending.slot = nullptr;
    if (ending.deferred) {
      ending.servant = std::move(owned);
      return;
    }
  }
  etherealize(id, std::move(owned));
}

void PoaImpl::etherealize(const ObjectId& id, ServantRef servant) noexcept {
  {
    const auto single = lock_single_thread();
    const auto activator_lock = lock_long(activator_mutex_);
    Ref<PortableServer::ServantActivator> activator;
    bool cleanup = false, remaining = false;
    {
      const std::lock_guard lock(mutex_);
      Ending& ending = ending_.find(id)->second;
      ending.thread = std::this_thread::get_id();
      activator = std::move(ending.activator);
      cleanup = ending.cleanup;
      const auto others = ending_servants_.find(servant.get());
      if (--others->second == 0) ending_servants_.erase(others);
      remaining = by_servant_.count(servant.get()) != 0 || ending_servants_.count(servant.get()) != 0;
    }
    if (activator) {
      catch_and_log("etherealize of a servant activator", [&] {
        call_manager("etherealize", MayForward::no,
                     [&] { activator->etherealize(id, self(), servant, cleanup, remaining); });
      });
    }
    const orb::NoObjectScope no_object(orb::NoObjectScope::Calls::destructor);
    servant = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    ending_.erase(ending_.find(id));
    changed_.notify_all();
  }
  catch_and_log("resuming held requests", [&] { core_->retry_held_requests(); });
}

bool PoaImpl::wait_for_end(const ObjectId& id, bool may_wait) {
  std::unique_lock lock(mutex_);
  if (ending_.count(id) == 0) return true;
  if (!may_wait) return false;
  const orb::ThreadPool::BlockedScope blocked;
  for (auto at = ending_.find(id); at != ending_.end(); at = ending_.find(id)) {
    if (at->second.thread == std::this_thread::get_id() ||
        (at->second.slot != nullptr && orb::executes(*at->second.slot))) {
      throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CompletionStatus::COMPLETED_NO,
                                 "the object is being deactivated, and waits for the call that needs it");
    }
    if (core_->must_serve_while_waiting()) {
      lock.unlock();
      core_->serve_while_waiting(transport::Deadline::in_ms(1));
      lock.lock();
    } else {
      changed_.wait_for(lock, kPollInterval);
    }
  }
  return true;
}

void PoaImpl::wait_for_endings() {
  std::unique_lock lock(mutex_);
  while (!ending_.empty()) changed_.wait_for(lock, kPollInterval);
}

// ---- the end of the POA ----

bool PoaImpl::has_requests() {
  return adapters_.objects().calls([&](const ObjectSlot& slot) { return slot.poa == this; }) != 0;
}

void PoaImpl::leave_parent() {
  if (!parent_) return;
  CORBA::object_reference<PoaImpl> removed;  // without the lock
  const std::lock_guard lock(parent_->mutex_);
  const auto found = parent_->children_.find(name_);
  if (found == parent_->children_.end() || found->second.get() != this) return;
  removed = std::move(found->second);
  parent_->children_.erase(found);
}

void PoaImpl::destroy(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion && orb::in_upcall()) {
    throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CompletionStatus::COMPLETED_NO,
                               "wait_for_completion within an upcall would deadlock");
  }
  const auto keep = self();
  std::map<std::string, CORBA::object_reference<PoaImpl>> children;
  std::vector<ObjectSlot*> slots;
  std::unordered_set<ObjectSlot*> reserved;
  ObjectSlot* gate = nullptr;
  // Released without the lock. They may refer to this POA.
  ServantRef default_servant;
  Ref<PortableServer::ServantActivator> servant_activator;
  Ref<PortableServer::ServantLocator> servant_locator;
  Ref<PortableServer::AdapterActivator> adapter_activator;
  {
    const std::lock_guard lock(mutex_);
    if (destroyed_) return;
    destroyed_ = true;
    etherealizes_at_end_ = etherealize_objects;
    children = children_;
    for (const auto& [servant, slot] : by_servant_) slots.push_back(slot);
    if (has_activator()) {
      for (const auto& [id, slot] : by_id_)
        begin_end(id, *slot, etherealize_objects, true, wait_for_completion);
    }
    by_servant_.clear();
    by_id_.clear();
    reserved.swap(reserved_);
    gate = std::exchange(gate_, nullptr);
    default_servant = std::move(default_servant_);
    servant_activator = std::move(servant_activator_);
    servant_locator = std::move(servant_locator_);
    adapter_activator = std::move(adapter_activator_);
  }
  for (auto& [name, child] : children) child->destroy(etherealize_objects, wait_for_completion);
  if (policies_.real_time != nullptr) policies_.real_time->poa_destroyed();
  adapters_.remove(path_);
  // The name can be used again when no request is in progress, and before objects are passed back.
  if (!wait_for_completion) leave_parent();
  for (ObjectSlot* slot : slots) adapters_.objects().deactivate(*slot);
  for (ObjectSlot* slot : reserved) adapters_.objects().unreserve(*slot);
  if (gate != nullptr) adapters_.objects().deactivate(*gate);
  if (auto* const interception = interception_.load(std::memory_order_acquire); interception != nullptr)
    interception->destroyed();
  manager_->wake();  // wakes calls held for the deactivated objects
  if (wait_for_completion) {
    while (has_requests()) platform::sleep_ms(1);
    leave_parent();
    // end_object may still be about to take over the servant of a request that has ended.
    for (;;) {
      ObjectId id;
      ServantRef servant;
      {
        std::unique_lock lock(mutex_);
        if (ending_.empty()) break;
        const auto ended = std::find_if(ending_.begin(), ending_.end(), [](const auto& each) {
          return static_cast<bool>(each.second.servant);
        });
        if (ended == ending_.end()) {
          changed_.wait_for(lock, std::chrono::milliseconds(1));
          continue;
        }
        id = ended->first;
        servant = std::move(ended->second.servant);
      }
      etherealize(id, std::move(servant));
    }
  }
  const std::lock_guard lock(mutex_);
  destruction_ended_ = true;
}

}  // namespace orbweaver::poa
