#include "poa/active_object_map.h"

#include "orb/server/upcall_scope.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {

ActiveObjectMap::~ActiveObjectMap() {
  for (auto& chunk : chunks_) {
    Chunk* slots = chunk.load();
    if (slots == nullptr) continue;
    for (ObjectSlot& slot : *slots) {
      if (slot.servant != nullptr) slot.servant->_remove_ref();
      if (slot.owner != nullptr) slot.owner->_remove_ref();
    }
    delete slots;
  }
}

ObjectSlot* ActiveObjectMap::reserve(PoaImpl& poa, CORBA::RefCounted& owner) {
  const std::lock_guard lock(mutex_);
  std::uint32_t index;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    if (used_ == kMaxObjects) return nullptr;
    if (used_ % kChunk == 0) {
      auto chunk = std::make_unique<Chunk>();
      for (std::size_t i = 0; i < kChunk; ++i) {
        (*chunk)[i].index = used_ + static_cast<std::uint32_t>(i);
        (*chunk)[i].state = std::uint64_t{1} << 32;  // generation 0 is never used
      }
      chunks_[used_ / kChunk].store(chunk.release(), std::memory_order_release);
    }
    index = used_++;
  }
  ObjectSlot* slot = at(index);
  slot->poa = &poa;
  slot->manager_state = poa.needs_lookup() ? nullptr : &poa.manager().state();
  slot->owner = &owner;
  owner._add_ref();
  return slot;
}

void ActiveObjectMap::activate(ObjectSlot& slot, PortableServer::ObjectId id,
                               PortableServer::Servant* servant, std::shared_ptr<orb::RequestQueue> queue,
                               std::int16_t priority) {
  if (servant != nullptr) servant->_add_ref();
  slot.servant = servant;
  slot.id = std::move(id);
  slot.queue = std::move(queue);
  slot.priority = priority;
  // Pairs with the acquire in enter: a call that sees the object active sees its servant.
  slot.state.fetch_or(ObjectSlot::kActive | ObjectSlot::kHasServant, std::memory_order_release);
}

bool ActiveObjectMap::deactivate(ObjectSlot& slot) {
  // Counted as a call, so that exactly one thread leaves last.
  slot.state.fetch_add(1, std::memory_order_acquire);
  const std::uint64_t before = slot.state.fetch_and(~ObjectSlot::kActive, std::memory_order_acq_rel);
  // Connections that wait for space in the queue find that the object has gone.
  if (slot.queue != nullptr) slot.queue->close();
  leave(slot);
  return (before & ObjectSlot::kActive) != 0;
}

/// Releases the servant of a deactivated slot. A concurrent call may enter and leave meanwhile; the thread
/// that clears kHasServant releases.
void ActiveObjectMap::empty(ObjectSlot& slot, std::uint64_t state) noexcept {
  const std::uint64_t emptied = state & ~ObjectSlot::kHasServant;
  if (!slot.state.compare_exchange_strong(state, emptied, std::memory_order_acq_rel)) return;
  const orb::NoObjectScope no_object(orb::NoObjectScope::Calls::destructor);
  PortableServer::Servant* servant = std::exchange(slot.servant, nullptr);
  const PortableServer::ObjectId id = std::exchange(slot.id, {});
  slot.queue = nullptr;
  CORBA::object_reference<PoaImpl> passes_on;
  if (servant != nullptr && slot.poa->has_activator()) {
    slot.poa->_add_ref();
    passes_on = CORBA::object_reference<PoaImpl>::adopt(slot.poa);
  }
  unreserve(slot);
  if (passes_on) passes_on->end_object(id, *servant);
  if (servant != nullptr) servant->_remove_ref();  // last: it may call back
}

void ActiveObjectMap::unreserve(ObjectSlot& slot) {
  CORBA::RefCounted* owner = nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot.state.fetch_add(std::uint64_t{1} << 32, std::memory_order_release);
    slot.poa = nullptr;
    owner = std::exchange(slot.owner, nullptr);
    free_.push_back(slot.index);
  }
  owner->_remove_ref();
}

}  // namespace orbweaver::poa
