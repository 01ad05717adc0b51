// PoaImpl: object ids, servants and references.
#include <cstring>

#include "base/printable.h"
#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
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

/// For messages.
std::string quoted(const PortableServer::ObjectId& id) {
  return "'" + printable(PortableServer::ObjectId_to_string(id), 64) + "'";
}

}  // namespace

void PoaImpl::raise_servant_active(Servant& servant) const {
  throw ServantAlreadyActive("the servant is active already, under the object id " +
                             quoted(by_servant_.find(&servant)->second->id) + "; the POA '" + name_ +
                             "' has UNIQUE_ID");
}

void PoaImpl::raise_not_active(const ObjectId& id) const {
  throw ObjectNotActive("no servant is active under the object id " + quoted(id) + " in the POA '" + name_ +
                        "'");
}

void PoaImpl::raise_other_adapter() const {
  throw WrongAdapter("the reference was not created by the POA '" + name_ + "'");
}

/// Raises BAD_PARAM if the id, as an object key, is empty or could be the key of an object of another POA.
void PoaImpl::check_id(const ObjectId& id) const {
  if (!policies_.ids_are_keys || (!id.empty() && !is_structured_key(id))) return;
  throw CORBA::BAD_PARAM(
      minor::kOmg + 14, CompletionStatus::COMPLETED_NO,
      "an object id of the POA '" + name_ +
          "' is an object key, which is not empty and does not begin with \"OW\" and a control character");
}

std::vector<std::uint8_t> PoaImpl::key_of(const ObjectId& id) const {
  if (ids_are_slots()) {
    SlotKey key;
    read_slot_id(id, key);
    return encode(adapters_.incarnation(), key);
  }
  if (policies_.ids_are_keys) return id;
  return encode(NameKey{key_incarnation(), path_, id});
}

PoaImpl::ObjectRef PoaImpl::make_reference_to(const ObjectId& id, const std::string& repository_id) {
  core_->check_running();
  auto* reference = new Reference(core_, core_->endpoints().make_ior(repository_id, key_of(id)));
  auto object = ObjectRef::adopt(CORBA::Object::_make(reference));
  reference->_remove_ref();
  return object;
}

ObjectSlot& PoaImpl::reserve_slot() {
  ObjectSlot* slot = adapters_.objects().reserve(*this, *this);
  if (slot != nullptr) return *slot;
  throw CORBA::NO_RESOURCES(minor::kOutOfResources, CompletionStatus::COMPLETED_NO,
                            "too many active objects in this process");
}

PoaImpl::ObjectId PoaImpl::new_object_id(ObjectSlot& slot) {
  if (ids_are_slots()) return slot_id(slot.index, slot.generation());
  // Persistent system ids must also differ from those of earlier runs.
  ObjectId id(16);
  const std::uint64_t parts[2] = {adapters_.incarnation(), ++last_id_};
  std::memcpy(id.data(), parts, 16);
  return id;
}

ObjectSlot* PoaImpl::find_active(const ObjectId& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void PoaImpl::activate_slot(ObjectSlot& slot, const ObjectId& id, Servant& servant) {
  auto queue =
      policies_.queue ? core_->endpoints().request_queues().make(*policies_.queue, shared_turn_) : nullptr;
  by_id_[id] = &slot;
  by_servant_.emplace(&servant, &slot);
  adapters_.objects().activate(slot, id, servant, std::move(queue));
}

ObjectSlot* PoaImpl::enter(Bytes id) {
  const std::lock_guard lock(mutex_);
  ObjectSlot* slot = find_active(ObjectId(id.begin(), id.end()));
  return slot != nullptr && adapters_.objects().enter(*slot) ? slot : nullptr;
}

PoaImpl::ObjectId PoaImpl::activate_object(const ServantRef& servant) {
  check_servant(servant);
  if (!policies_.system_ids())
    throw WrongPolicy("the POA '" + name_ + "' has USER_ID: use activate_object_with_id");
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  if (policies_.unique() && by_servant_.count(servant.get()) != 0) raise_servant_active(*servant);
  ObjectSlot& slot = reserve_slot();
  const ObjectId id = new_object_id(slot);
  activate_slot(slot, id, *servant);
  return id;
}

void PoaImpl::activate_object_with_id(const ObjectId& id, const ServantRef& servant) {
  check_servant(servant);
  check_id(id);
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  if (find_active(id) != nullptr)
    throw ObjectAlreadyActive("a servant is active already under the object id " + quoted(id) +
                              " in the POA '" + name_ + "'");
  if (policies_.unique() && by_servant_.count(servant.get()) != 0) raise_servant_active(*servant);
  if (!ids_are_slots()) {
    activate_slot(reserve_slot(), id, *servant);
    return;
  }
  // A system id must have been returned by create_reference.
  SlotKey key;
  ObjectSlot* slot = read_slot_id(id, key) ? adapters_.objects().find(key.slot, key.generation) : nullptr;
  // A slot that is not reserved is free, of another object, or in use by calls in progress.
  if (slot == nullptr || reserved_.erase(slot) == 0) {
    throw CORBA::BAD_PARAM(minor::kOmg + 14, CompletionStatus::COMPLETED_NO,
                           "not an object id generated by this POA, which has system ids");
  }
  activate_slot(*slot, id, *servant);
}

void PoaImpl::deactivate_object(const ObjectId& id) {
  ObjectSlot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot = find_active(id);
    if (slot == nullptr) raise_not_active(id);
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

PoaImpl::ObjectRef PoaImpl::create_reference(const std::string& repository_id) {
  if (!policies_.system_ids())
    throw WrongPolicy("the POA '" + name_ + "' has USER_ID: use create_reference_with_id");
  ObjectId id;
  {
    const std::lock_guard lock(mutex_);
    check_not_destroyed();
    if (ids_are_slots()) {
      ObjectSlot& slot = reserve_slot();
      reserved_.insert(&slot);
      id = new_object_id(slot);
    } else {
      ObjectSlot none;
      id = new_object_id(none);
    }
  }
  return make_reference_to(id, repository_id);
}

PoaImpl::ObjectRef PoaImpl::create_reference_with_id(const ObjectId& id, const std::string& repository_id) {
  check_id(id);
  SlotKey key;
  if (ids_are_slots() && !read_slot_id(id, key)) {
    throw CORBA::BAD_PARAM(minor::kOmg + 14, CompletionStatus::COMPLETED_NO,
                           "not an object id generated by this POA, which has system ids");
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
  if (!policies_.activates_implicitly())
    throw ServantNotActive("the servant is not active, and the POA '" + name_ +
                           "' has NO_IMPLICIT_ACTIVATION");
  return activate_object(servant);
}

PoaImpl::ObjectRef PoaImpl::servant_to_reference(const ServantRef& servant) {
  const ObjectId id = servant_to_id(servant);
  return make_reference_to(id, servant->_interface().repository_id);
}

PoaImpl::ObjectId PoaImpl::reference_to_id(const ObjectRef& reference) {
  if (!reference || reference->_reference() == nullptr)
    throw WrongAdapter("the reference is nil, or of a local object");
  const Bytes key = reference->_reference()->object_key();
  SlotKey slot;
  NameKey name;
  if (ids_are_slots() && decode(key, adapters_.incarnation(), slot)) {
    const PoaImpl* owner = adapters_.objects().owner_of(slot.slot, slot.generation);
    if (owner != nullptr && owner != this) raise_other_adapter();
    return slot_id(slot.slot, slot.generation);
  }
  if (policies_.ids_are_keys && !is_structured_key(key)) return {key.begin(), key.end()};
  if (!ids_are_slots() && decode(key, name) && name.path == path_ && name.incarnation == key_incarnation()) {
    return {name.id.begin(), name.id.end()};
  }
  raise_other_adapter();
}

PoaImpl::ServantRef PoaImpl::id_to_servant(const ObjectId& id) {
  const std::lock_guard lock(mutex_);
  const ObjectSlot* slot = find_active(id);
  if (slot == nullptr) raise_not_active(id);
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
    const ObjectSlot* slot = find_active(id);
    if (slot == nullptr) raise_not_active(id);
    repository_id = slot->servant->_interface().repository_id;
  }
  return make_reference_to(id, repository_id);
}

}  // namespace orbweaver::poa
