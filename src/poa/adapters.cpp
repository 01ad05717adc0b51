#include "poa/adapters.h"

#include <random>

#include "orb/thread_pool.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

using orb::Found;
using orb::Hold;

namespace {

Incarnation fresh_incarnation() {
  std::random_device random;
  Incarnation value = 0;
  while (value == 0) value = std::uint64_t{random()} << 32 | random();
  return value;
}

}  // namespace

Adapters::Adapters(orb::Core& core) : core_(core), incarnation_(fresh_incarnation()) {}

Adapters::~Adapters() = default;

CORBA::object_reference<PoaImpl> Adapters::root() {
  const std::lock_guard lock(root_mutex_);
  if (!root_) root_ = PoaImpl::make_root(*this);
  return root_;
}

void Adapters::close() {
  root()->destroy(true, true);
  const std::lock_guard lock(root_mutex_);
  root_ = nullptr;  // which holds the core, which holds this
}

CORBA::object_reference<PoaManagerImpl> Adapters::make_manager() {
  return CORBA::make_reference<PoaManagerImpl>(core_.shared_from_this(), [this](const PoaManagerImpl& manager) {
    return objects_.calls([&](const ObjectSlot& slot) { return &slot.poa->manager() == &manager; });
  });
}

void Adapters::add(const std::string& path, PoaImpl& poa) {
  const std::unique_lock lock(paths_mutex_);
  by_path_[path] = &poa;
}

void Adapters::remove(const std::string& path) {
  const std::unique_lock lock(paths_mutex_);
  by_path_.erase(path);
}

CORBA::object_reference<PoaImpl> Adapters::find(std::string_view path) {
  const std::shared_lock lock(paths_mutex_);
  const auto found = by_path_.find(std::string(path));
  if (found == by_path_.end()) return nullptr;
  found->second->_add_ref();
  return CORBA::object_reference<PoaImpl>::adopt(found->second);
}

ObjectSlot* Adapters::enter_by_name(const NameKey& name, Found& why_not) {
  const auto poa = find(name.path);
  if (!poa || name.incarnation != poa->key_incarnation()) {
    why_not = poa ? Found::no_object : Found::no_adapter;
    return nullptr;
  }
  ObjectSlot* slot = poa->enter(name.id);
  if (slot == nullptr) why_not = Found::no_object;
  return slot;
}

Found Adapters::enter(Bytes object_key, Hold& hold, bool may_wait, orb::Route* route) {
  // A slot that has been given to another object since has another generation.
  if (route != nullptr && route->slot != nullptr) {
    ObjectSlot& known = *static_cast<ObjectSlot*>(route->slot);
    if (objects_.enter(known, route->generation)) [[likely]] return enter_slot(known, hold, may_wait);
  }
  SlotKey key;
  NameKey name;
  Found why_not = Found::no_object;
  ObjectSlot* slot = nullptr;
  if (decode(object_key, incarnation_, key)) {
    slot = objects_.enter(key.slot, key.generation);
  } else if (decode(object_key, name)) {
    slot = enter_by_name(name, why_not);
  }
  if (slot == nullptr) return why_not;
  if (route != nullptr) *route = {slot, slot->generation()};
  return enter_slot(*slot, hold, may_wait);
}

Found Adapters::enter_slot(ObjectSlot& slot, Hold& hold, bool may_wait) {
  const Found passed = slot.poa->manager().pass(slot, may_wait);
  if (passed != Found::servant) [[unlikely]] {
    objects_.leave(slot);
    return passed;
  }
  hold.servant = slot.servant;
  hold.slot = &slot;
  if (std::recursive_mutex* one_at_a_time = slot.poa->one_at_a_time()) {
    if (!one_at_a_time->try_lock()) {
      const orb::ThreadPool::Away away;
      one_at_a_time->lock();
    }
    hold.mutex = one_at_a_time;
  }
  return Found::servant;
}

void Adapters::leave(Hold& hold) noexcept {
  if (hold.mutex != nullptr) static_cast<std::recursive_mutex*>(hold.mutex)->unlock();
  objects_.leave(*static_cast<ObjectSlot*>(hold.slot));
}

void Adapters::wake() noexcept {
  const std::shared_lock lock(paths_mutex_);
  for (const auto& [path, poa] : by_path_) poa->manager().wake();
}

bool Adapters::knows(Bytes object_key) {
  SlotKey key;
  NameKey name;
  Found unused;
  ObjectSlot* slot = nullptr;
  if (decode(object_key, incarnation_, key)) {
    slot = objects_.enter(key.slot, key.generation);
  } else if (decode(object_key, name)) {
    slot = enter_by_name(name, unused);
  }
  if (slot != nullptr) objects_.leave(*slot);
  return slot != nullptr;
}

}  // namespace orbweaver::poa
