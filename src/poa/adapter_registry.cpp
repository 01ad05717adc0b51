#include "poa/adapter_registry.h"

#include <random>

#include "orb/server/thread_pool.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

using orb::LookupStatus;
using orb::ServantPin;

namespace {

Incarnation random_incarnation() {
  std::random_device random;
  Incarnation value = 0;
  while (value == 0) value = std::uint64_t{random()} << 32 | random();
  return value;
}

}  // namespace

AdapterRegistry::AdapterRegistry(orb::Core& core) : core_(core), incarnation_(random_incarnation()) {}

AdapterRegistry::~AdapterRegistry() = default;

CORBA::object_reference<PoaImpl> AdapterRegistry::root() {
  const std::lock_guard lock(root_mutex_);
  if (!root_) root_ = PoaImpl::make_root(*this);
  return root_;
}

CORBA::object_reference<PoaImpl> AdapterRegistry::corbaloc_poa() {
  const auto parent = root();
  const std::lock_guard lock(root_mutex_);
  const auto existing = find(kCorbalocPoa);
  return existing && existing->ids_are_keys() ? existing : parent->make_corbaloc_poa();
}

void AdapterRegistry::close() {
  root()->destroy(true, true);
  const std::lock_guard lock(root_mutex_);
  root_ = nullptr;  // breaks the cycle root, core, registry
}

CORBA::object_reference<PoaManagerImpl> AdapterRegistry::make_manager() {
  return CORBA::make_reference<PoaManagerImpl>(
      core_.shared_from_this(), [this](const PoaManagerImpl& manager) {
        return objects_.calls([&](const ObjectSlot& slot) { return &slot.poa->manager() == &manager; });
      });
}

void AdapterRegistry::add(const std::string& path, PoaImpl& poa) {
  const std::unique_lock lock(paths_mutex_);
  by_path_[path] = &poa;
}

void AdapterRegistry::remove(const std::string& path) {
  const std::unique_lock lock(paths_mutex_);
  by_path_.erase(path);
}

CORBA::object_reference<PoaImpl> AdapterRegistry::find(std::string_view path) {
  const std::shared_lock lock(paths_mutex_);
  const auto found = by_path_.find(std::string(path));
  if (found == by_path_.end()) return nullptr;
  found->second->_add_ref();
  return CORBA::object_reference<PoaImpl>::adopt(found->second);
}

ObjectSlot* AdapterRegistry::enter_by_name(const NameKey& name, LookupStatus& why_not) {
  const auto poa = find(name.path);
  if (!poa || name.incarnation != poa->key_incarnation()) {
    why_not = poa ? LookupStatus::no_object : LookupStatus::no_adapter;
    return nullptr;
  }
  ObjectSlot* slot = poa->enter(name.id);
  if (slot == nullptr) why_not = LookupStatus::no_object;
  return slot;
}

ObjectSlot* AdapterRegistry::enter_by_plain_key(Bytes object_key) {
  const auto poa = find(kCorbalocPoa);
  return poa && poa->ids_are_keys() ? poa->enter(object_key) : nullptr;
}

LookupStatus AdapterRegistry::pin_slot(ObjectSlot& slot, ServantPin& pin, bool may_wait) {
  const LookupStatus status = slot.poa->manager().pass(slot, may_wait);
  if (status != LookupStatus::found) {
    objects_.leave(slot);
    return status;
  }
  std::recursive_mutex* const single_thread_mutex = slot.poa->single_thread_mutex();
  if (single_thread_mutex != nullptr && !single_thread_mutex->try_lock()) {
    const orb::ThreadPool::BlockedScope blocked;
    single_thread_mutex->lock();
  }
  pin = {slot.servant, &slot, single_thread_mutex};
  return LookupStatus::found;
}

ObjectSlot* AdapterRegistry::enter_slot(Bytes object_key, LookupStatus& why_not) {
  SlotKey key;
  NameKey name;
  if (decode(object_key, incarnation_, key)) return objects_.enter(key.slot, key.generation);
  return decode(object_key, name) ? enter_by_name(name, why_not) : enter_by_plain_key(object_key);
}

LookupStatus AdapterRegistry::enter(Bytes object_key, ServantPin& pin, bool may_wait,
                                    orb::ObjectSlotHint* slot_hint,
                                    std::shared_ptr<orb::RequestQueue>* queue) {
  if (slot_hint != nullptr) slot_hint->slot = nullptr;
  LookupStatus why_not = LookupStatus::no_object;
  ObjectSlot* const slot = enter_slot(object_key, why_not);
  if (slot == nullptr) return why_not;
  if (queue != nullptr && *queue != slot->queue) [[unlikely]] {
    *queue = slot->queue;
    objects_.leave(*slot);
    return LookupStatus::queued;
  }
  if (slot_hint != nullptr && slot->manager_state != nullptr) *slot_hint = {slot, slot->generation()};
  return pin_slot(*slot, pin, may_wait);
}

void AdapterRegistry::leave(ServantPin& pin) noexcept {
  if (pin.mutex != nullptr) [[unlikely]]
    static_cast<std::recursive_mutex*>(pin.mutex)->unlock();
  objects_.leave(static_cast<ObjectSlot&>(*pin.slot));
}

void AdapterRegistry::wake() noexcept {
  const std::shared_lock lock(paths_mutex_);
  for (const auto& [path, poa] : by_path_) poa->manager().wake();
}

bool AdapterRegistry::knows(Bytes object_key) {
  LookupStatus unused;
  ObjectSlot* const slot = enter_slot(object_key, unused);
  if (slot != nullptr) objects_.leave(*slot);
  return slot != nullptr;
}

std::shared_ptr<orb::RequestQueue> AdapterRegistry::request_queue(Bytes object_key) {
  LookupStatus unused;
  ObjectSlot* const slot = enter_slot(object_key, unused);
  if (slot == nullptr) return nullptr;
  auto queue = slot->queue;
  objects_.leave(*slot);
  return queue;
}

}  // namespace orbweaver::poa
