// The half of an object adapter that knows objects: ids, servants, references.
#include <cstring>

#include "orb/minor_codes.h"
#include "orb/reference.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

using CORBA::CompletionStatus;
using PortableServer::Servant;

namespace {

constexpr std::size_t kSlotIdBytes = 8;

PortableServer::ObjectId slot_id(std::uint32_t slot, std::uint32_t generation) {
  PortableServer::ObjectId id(kSlotIdBytes);
  std::memcpy(id.data(), &slot, 4);
  std::memcpy(id.data() + 4, &generation, 4);
  return id;
}

bool read_slot_id(const PortableServer::ObjectId& id, SlotKey& key) {
  if (id.size() != kSlotIdBytes) return false;
  std::memcpy(&key.slot, id.data(), 4);
  std::memcpy(&key.generation, id.data() + 4, 4);
  return true;
}

}  // namespace

std::vector<std::uint8_t> PoaImpl::key_of(const ObjectId& id) const {
  if (ids_are_slots()) {
    SlotKey key;
    read_slot_id(id, key);
    return encode(adapters_.incarnation(), key);
  }
  return encode(NameKey{key_incarnation(), path_, id});
}

PoaImpl::ObjectRef PoaImpl::make_reference_to(const ObjectId& id, const std::string& repository_id) {
  core_->check_running();
  auto* reference = new Reference(core_, core_->make_ior(repository_id, key_of(id)));
  auto object = ObjectRef::adopt(CORBA::Object::_make(reference));
  reference->_remove_ref();
  return object;
}

ObjectSlot& PoaImpl::reserve_slot() {
  ObjectSlot* slot = adapters_.objects().reserve(*this, *this);
  if (slot != nullptr) return *slot;
  throw CORBA::NO_RESOURCES(minor::kOutOfResources, CompletionStatus::COMPLETED_NO, "this process has too many objects");
}

PoaImpl::ObjectId PoaImpl::fresh_id(ObjectSlot& slot) {
  if (ids_are_slots()) return slot_id(slot.index, slot.generation());
  // Persistent system ids have to differ from those of earlier runs as well.
  ObjectId id(16);
  const std::uint64_t parts[2] = {adapters_.incarnation(), ++last_id_};
  std::memcpy(id.data(), parts, 16);
  return id;
}

ObjectSlot* PoaImpl::active(const ObjectId& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void PoaImpl::put(ObjectSlot& slot, const ObjectId& id, Servant& servant) {
  by_id_[id] = &slot;
  by_servant_.emplace(&servant, &slot);
  adapters_.objects().activate(slot, id, servant);
}

ObjectSlot* PoaImpl::enter(Bytes id) {
  const std::lock_guard lock(mutex_);
  ObjectSlot* slot = active(ObjectId(id.begin(), id.end()));
  return slot != nullptr && adapters_.objects().enter(*slot) ? slot : nullptr;
}

PoaImpl::ObjectId PoaImpl::activate_object(const ServantRef& servant) {
  check_servant(servant);
  if (!policies_.system_ids()) throw WrongPolicy();
  const std::lock_guard lock(mutex_);
  check_alive();
  if (policies_.unique() && by_servant_.count(servant.get()) != 0) throw ServantAlreadyActive();
  ObjectSlot& slot = reserve_slot();
  const ObjectId id = fresh_id(slot);
  put(slot, id, *servant);
  return id;
}

void PoaImpl::activate_object_with_id(const ObjectId& id, const ServantRef& servant) {
  check_servant(servant);
  const std::lock_guard lock(mutex_);
  check_alive();
  if (active(id) != nullptr) throw ObjectAlreadyActive();
  if (policies_.unique() && by_servant_.count(servant.get()) != 0) throw ServantAlreadyActive();
  if (!ids_are_slots()) {
    put(reserve_slot(), id, *servant);
    return;
  }
  // A system id is one that create_reference gave out before.
  SlotKey key;
  ObjectSlot* slot = read_slot_id(id, key) ? adapters_.objects().find(key.slot, key.generation) : nullptr;
  // A slot that is not reserved is free, another's, or still in use by calls in progress.
  if (slot == nullptr || reserved_.erase(slot) == 0) {
    throw CORBA::BAD_PARAM(minor::kOmg + 14, CompletionStatus::COMPLETED_NO,
                           "not an id that this POA, which assigns its ids itself, has given out");
  }
  put(*slot, id, *servant);
}

void PoaImpl::deactivate_object(const ObjectId& id) {
  ObjectSlot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot = active(id);
    if (slot == nullptr) throw ObjectNotActive();
    by_id_.erase(id);
    const auto [begin, end] = by_servant_.equal_range(slot->servant);
    for (auto each = begin; each != end; ++each) {
      if (each->second != slot) continue;
      by_servant_.erase(each);
      break;
    }
  }
  adapters_.objects().deactivate(*slot);  // outside of the lock: the servant's destructor may call back
}

PoaImpl::ObjectRef PoaImpl::create_reference(const std::string& repository_id) {
  if (!policies_.system_ids()) throw WrongPolicy();
  ObjectId id;
  {
    const std::lock_guard lock(mutex_);
    check_alive();
    if (ids_are_slots()) {
      ObjectSlot& slot = reserve_slot();
      reserved_.insert(&slot);
      id = fresh_id(slot);
    } else {
      ObjectSlot none;
      id = fresh_id(none);
    }
  }
  return make_reference_to(id, repository_id);
}

PoaImpl::ObjectRef PoaImpl::create_reference_with_id(const ObjectId& id, const std::string& repository_id) {
  SlotKey key;
  if (ids_are_slots() && !read_slot_id(id, key)) {
    throw CORBA::BAD_PARAM(minor::kOmg + 14, CompletionStatus::COMPLETED_NO,
                           "not an id that this POA, which assigns its ids itself, has given out");
  }
  return make_reference_to(id, repository_id);
}

PoaImpl::ObjectId PoaImpl::servant_to_id(const ServantRef& servant) {
  check_servant(servant);
  {
    const std::lock_guard lock(mutex_);
    if (policies_.unique()) {
      const auto found = by_servant_.find(servant.get());
      if (found != by_servant_.end()) return found->second->id;
    }
  }
  if (!policies_.activates_implicitly()) throw ServantNotActive();
  return activate_object(servant);
}

PoaImpl::ObjectRef PoaImpl::servant_to_reference(const ServantRef& servant) {
  const ObjectId id = servant_to_id(servant);
  return make_reference_to(id, servant->_interface().repository_id);
}

PoaImpl::ObjectId PoaImpl::reference_to_id(const ObjectRef& reference) {
  if (!reference || reference->_reference() == nullptr) throw WrongAdapter();
  const Bytes key = reference->_reference()->object_key();
  SlotKey slot;
  NameKey name;
  if (ids_are_slots() && decode(key, adapters_.incarnation(), slot)) {
    const PoaImpl* owner = adapters_.objects().owner_of(slot.slot, slot.generation);
    if (owner != nullptr && owner != this) throw WrongAdapter();
    return slot_id(slot.slot, slot.generation);
  }
  if (!ids_are_slots() && decode(key, name) && name.path == path_ && name.incarnation == key_incarnation()) {
    return {name.id.begin(), name.id.end()};
  }
  throw WrongAdapter();
}

PoaImpl::ServantRef PoaImpl::id_to_servant(const ObjectId& id) {
  const std::lock_guard lock(mutex_);
  const ObjectSlot* slot = active(id);
  if (slot == nullptr) throw ObjectNotActive();
  slot->servant->_add_ref();
  return ServantRef::adopt(slot->servant);
}

PoaImpl::ServantRef PoaImpl::reference_to_servant(const ObjectRef& reference) {
  return id_to_servant(reference_to_id(reference));
}

PoaImpl::ObjectRef PoaImpl::id_to_reference(const ObjectId& id) {
  std::string repository_id;
  {
    const std::lock_guard lock(mutex_);
    const ObjectSlot* slot = active(id);
    if (slot == nullptr) throw ObjectNotActive();
    repository_id = slot->servant->_interface().repository_id;
  }
  return make_reference_to(id, repository_id);
}

}  // namespace orbweaver::poa
