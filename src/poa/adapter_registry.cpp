#include "poa/adapter_registry.h"

#include <algorithm>

#include "base/catch_and_log.h"
#include "orb/server/thread_pool.h"
#include "orb/server/upcall_scope.h"
#include "platform/random_number.h"
#include "poa/poa_impl.h"
#include "poa/unmapped_request.h"

namespace orbweaver::poa {

using orb::LookupStatus;
using orb::ServantPin;

namespace {

Incarnation random_incarnation() {
  Incarnation value = 0;
  while (value == 0) value = platform::random_number();
  return value;
}

}  // namespace

AdapterRegistry::AdapterRegistry(orb::Core& core) : core_(core), incarnation_(random_incarnation()) {}

AdapterRegistry::~AdapterRegistry() = default;

CORBA::object_reference<PoaImpl> AdapterRegistry::root() {
  CORBA::object_reference<PoaImpl> made;
  {
    const std::lock_guard lock(root_mutex_);
    if (root_) return root_;
    made = root_ = PoaImpl::make_root(*this);
  }
  made->tell_interceptors({});  // without the lock: they may use the root POA
  return made;
}

CORBA::object_reference<PoaImpl> AdapterRegistry::corbaloc_poa() {
  const auto parent = root();
  CORBA::object_reference<PoaImpl> made;
  {
    const std::lock_guard lock(root_mutex_);
    const auto existing = find(kCorbalocPoa);
    if (existing && existing->ids_are_keys()) return existing;
    made = parent->make_corbaloc_poa();
  }
  made->tell_interceptors({});
  return made;
}

void AdapterRegistry::close() {
  root()->destroy(true, true);
  managers_.close();  // breaks the cycle manager, core, registry
  const std::lock_guard lock(root_mutex_);
  root_ = nullptr;  // breaks the cycle root, core, registry
}

CORBA::object_reference<PoaManagerImpl> AdapterRegistry::make_manager(const std::string& id) {
  return managers_.add(id, [this](const std::string& unique) {
    return CORBA::make_reference<PoaManagerImpl>(core_.shared_from_this(), *this, unique);
  });
}

std::size_t AdapterRegistry::calls_of(const PoaManagerImpl& manager) {
  return objects_.calls([&](const ObjectSlot& slot) { return &slot.poa->manager() == &manager; });
}

std::vector<CORBA::object_reference<PoaImpl>> AdapterRegistry::poas_of(const PoaManagerImpl& manager) {
  std::vector<CORBA::object_reference<PoaImpl>> found;
  const std::shared_lock lock(paths_mutex_);
  for (const auto& [path, poa] : by_path_) {
    if (&poa->manager() != &manager) continue;
    poa->_add_ref();
    found.push_back(CORBA::object_reference<PoaImpl>::adopt(poa));
  }
  return found;
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
  const auto found = by_path_.find(path);
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

/// Returns the first name of a path, without its escapes, and removes it from the path.
static std::string take_name(std::string_view& path) {
  std::string name;
  std::size_t at = 0;
  for (; at < path.size() && path[at] != '/'; ++at) {
    if (path[at] == '\\' && at + 1 < path.size()) ++at;
    name += path[at];
  }
  path.remove_prefix(std::min(at + 1, path.size()));
  return name;
}

CORBA::object_reference<PoaImpl> AdapterRegistry::activate(std::string_view path, bool may_wait,
                                                           LookupStatus& why_not) {
  why_not = LookupStatus::no_adapter;
  CORBA::object_reference<PoaImpl> poa = find("");
  while (poa && !path.empty()) poa = poa->child_for_request(take_name(path), may_wait, why_not);
  return poa;
}

CORBA::object_reference<PoaImpl> AdapterRegistry::adapter_of(const NameKey& name, bool may_wait,
                                                             LookupStatus& why_not) {
  auto poa = find(name.path);
  if (!poa || poa->is_being_created()) [[unlikely]] {
    why_not = LookupStatus::no_adapter;
    if (name.incarnation != 0 && name.incarnation != incarnation_) return nullptr;
    poa = activate(name.path, may_wait, why_not);
    if (!poa) return nullptr;
  }
  if (name.incarnation == poa->key_incarnation()) return poa;
  why_not = LookupStatus::no_object;
  return nullptr;
}

bool AdapterRegistry::may_be_activated(std::string_view path) {
  bool may_be = false;
  CORBA::object_reference<PoaImpl> poa = find("");
  while (poa && !path.empty()) poa = poa->existing_child(take_name(path), may_be);
  return !poa && may_be;
}

LookupStatus AdapterRegistry::pin_slot(ObjectSlot& slot, ServantPin& pin, bool may_wait, bool is_collocated) {
  if (is_collocated && slot.poa->needs_request()) [[unlikely]] {
    objects_.leave(slot);
    return LookupStatus::remote;
  }
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
  pin = {&slot};
  return LookupStatus::found;
}

ObjectSlot* AdapterRegistry::enter_slot(Bytes object_key, LookupStatus& why_not) {
  SlotKey key;
  NameKey name;
  if (decode(object_key, incarnation_, key)) return objects_.enter(key.slot, key.generation);
  return decode(object_key, name) ? enter_by_name(name, why_not) : enter_by_plain_key(object_key);
}

LookupStatus AdapterRegistry::enter(Bytes object_key, ServantPin& pin, bool may_wait,
                                    orb::ObjectSlotHint* slot_hint, std::shared_ptr<orb::RequestQueue>* queue,
                                    std::string_view operation) {
  if (slot_hint != nullptr) slot_hint->slot = nullptr;
  LookupStatus why_not = LookupStatus::no_object;
  SlotKey key;
  NameKey name;
  ObjectSlot* slot = nullptr;
  if (decode(object_key, incarnation_, key)) {
    slot = objects_.enter(key.slot, key.generation);
  } else if (decode(object_key, name)) {
    const auto poa = adapter_of(name, may_wait, why_not);
    if (!poa) return why_not;
    if (!poa->map_only()) return poa->enter_managed(name.id, operation, pin, may_wait, slot_hint);
    slot = poa->enter(name.id);
  } else {
    slot = enter_by_plain_key(object_key);
  }
  if (slot == nullptr) return LookupStatus::no_object;
  if (queue != nullptr && *queue != slot->queue) [[unlikely]] {
    *queue = slot->queue;
    objects_.leave(*slot);
    return LookupStatus::queued;
  }
  if (slot_hint != nullptr && slot->manager_state != nullptr) *slot_hint = {slot, slot->generation()};
  return pin_slot(*slot, pin, may_wait, operation.empty());
}

void AdapterRegistry::complete(ServantPin& pin) {
  static_cast<ObjectSlot&>(*pin.slot).poa->postinvoke(static_cast<UnmappedRequest&>(*pin.unmapped));
}

const orb::RealTimeAdapter* AdapterRegistry::real_time(const ServantPin& pin,
                                                       std::int16_t& object_priority) noexcept {
  const auto& slot = static_cast<const ObjectSlot&>(*pin.slot);
  object_priority = slot.priority;
  return slot.poa->real_time();
}

void AdapterRegistry::leave(ServantPin& pin) noexcept {
  auto& slot = static_cast<ObjectSlot&>(*pin.slot);
  if (pin.unmapped != nullptr) [[unlikely]] {
    auto& request = static_cast<UnmappedRequest&>(*pin.unmapped);
    catch_and_log("postinvoke of a servant locator", [&] { slot.poa->postinvoke(request); });
    give_back(request);
  }
  if (slot.manager_state == nullptr) [[unlikely]] {  // as of POAs with SINGLE_THREAD_MODEL
    if (std::recursive_mutex* const single = slot.poa->single_thread_mutex(); single != nullptr)
      single->unlock();
  }
  objects_.leave(slot);
}

void AdapterRegistry::wake() noexcept {
  const std::shared_lock lock(paths_mutex_);
  for (const auto& [path, poa] : by_path_) poa->manager().wake();
}

bool AdapterRegistry::knows(Bytes object_key) {
  LookupStatus unused;
  NameKey name;
  if (decode(object_key, name) && (name.incarnation == 0 || name.incarnation == incarnation_)) {
    const auto poa = find(name.path);
    if (!poa) return may_be_activated(name.path);
    if (!poa->map_only()) return name.incarnation == poa->key_incarnation() && poa->serves(name.id);
  }
  ObjectSlot* const slot = enter_slot(object_key, unused);
  if (slot != nullptr) objects_.leave(*slot);
  return slot != nullptr;
}

bool AdapterRegistry::is_bidirectional(Bytes object_key) {
  SlotKey key;
  NameKey name;
  if (decode(object_key, incarnation_, key)) {
    ObjectSlot* const slot = objects_.enter(key.slot, key.generation);
    const bool permits = slot == nullptr || slot->poa->is_bidirectional();
    if (slot != nullptr) objects_.leave(*slot);
    return permits;
  }
  const bool has_name = decode(object_key, name);
  const auto poa = find(has_name ? name.path : std::string_view(kCorbalocPoa));
  return poa ? poa->is_bidirectional() : !has_name || !may_be_activated(name.path);
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

namespace orbweaver::orb {

const RealTimeAdapter* real_time_of(PortableServer::POA& poa) {
  const auto* const own = dynamic_cast<poa::PoaImpl*>(&poa);
  return own == nullptr || own->activates_implicitly() ? nullptr : own->real_time();
}

}  // namespace orbweaver::orb
