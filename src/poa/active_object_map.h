#pragma once

#include <orbweaver/poa.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "giop/priorities.h"
#include "orb/server/object_finder.h"
#include "orb/server/request_queue.h"

namespace orbweaver::poa {

class PoaImpl;

/// Slot of the active object map. Found by index without a lock.
struct ObjectSlot : orb::ServantSlot {
  PoaImpl* poa = nullptr;  // POA of the object, kept alive by `owner`
  CORBA::RefCounted* owner = nullptr;
  PortableServer::ObjectId id;
  std::uint32_t index = 0;
  std::int16_t priority = giop::kNoPriority;  // of Real-time CORBA. Set while kHasServant
  std::shared_ptr<orb::RequestQueue> queue;   // null: none. Set while kHasServant
};

/// Active object map of one ORB, for all its POAs. Slots never move. Thread-safe.
class ActiveObjectMap {
 public:
  ActiveObjectMap() = default;
  ~ActiveObjectMap();
  ActiveObjectMap(const ActiveObjectMap&) = delete;
  ActiveObjectMap& operator=(const ActiveObjectMap&) = delete;

  /// Reserves a slot for an object of `poa`, which it keeps alive through `owner`. Null if kMaxObjects are
  /// reserved.
  ObjectSlot* reserve(PoaImpl& poa, CORBA::RefCounted& owner);
  /// Activates a reserved slot; adds a reference to `servant`. `queue`: of the object; null: none. A null
  /// servant: the slot counts calls that are not in the map. `priority`: of the object; kNoPriority: none.
  void activate(ObjectSlot& slot, PortableServer::ObjectId id, PortableServer::Servant* servant,
                std::shared_ptr<orb::RequestQueue> queue, std::int16_t priority = giop::kNoPriority);
  /// Deactivates the slot: new calls are rejected. When the last call in progress has left, the servant is
  /// released and the slot freed with the next generation. Returns false if it was not active.
  bool deactivate(ObjectSlot& slot);
  /// Frees a reserved slot that was never active.
  void unreserve(ObjectSlot& slot);

  /// Enters the active object of this index and generation; null if there is none.
  ObjectSlot* enter(std::uint32_t index, std::uint32_t generation) noexcept {
    ObjectSlot* slot = at(index);
    return slot != nullptr && enter(*slot, generation) ? slot : nullptr;
  }
  /// Enters `slot` if it is active in this generation.
  bool enter(ObjectSlot& slot, std::uint32_t generation) noexcept {
    if (slot.count_call(generation)) return true;
    leave(slot);
    return false;
  }
  /// Enters a slot of any generation, for POAs that found it by object id. Returns false if it is not active.
  bool enter(ObjectSlot& slot) noexcept { return enter(slot, slot.generation()); }
  /// Leaves an entered slot; the last call to leave a deactivated slot releases the servant.
  void leave(ObjectSlot& slot) noexcept {
    const std::uint64_t state = slot.end_call();
    if (ObjectSlot::is_to_be_emptied(state)) empty(slot, state);
  }
  /// Releases the servant of a slot that is to be emptied, and frees the slot.
  void empty(ObjectSlot& slot, std::uint64_t state) noexcept;
  /// Number of calls in progress on the slots for which `mine(slot)` holds.
  template <class Mine>
  std::size_t calls(Mine&& mine) {
    std::size_t n = 0;
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < used_; ++i) {
      ObjectSlot& slot = *at(i);
      if (slot.poa != nullptr && mine(slot))
        n += static_cast<std::size_t>(slot.state.load(std::memory_order_acquire) & ObjectSlot::kCalls);
    }
    return n;
  }
  /// POA of the object; null if there is none.
  PoaImpl* owner_of(std::uint32_t index, std::uint32_t generation) {
    const std::lock_guard lock(mutex_);
    const ObjectSlot* slot = find(index, generation);
    return slot == nullptr ? nullptr : slot->poa;
  }
  /// Returns the slot if this generation is reserved or active, without entering it.
  ObjectSlot* find(std::uint32_t index, std::uint32_t generation) noexcept {
    ObjectSlot* slot = at(index);
    return slot != nullptr && slot->generation() == generation ? slot : nullptr;
  }

 private:
  static constexpr std::size_t kChunk = 1024;
  static constexpr std::size_t kChunks = 16384;
  static constexpr std::size_t kMaxObjects = kChunk * kChunks;
  using Chunk = std::array<ObjectSlot, kChunk>;

  ObjectSlot* at(std::uint32_t index) noexcept {
    if (index >= kMaxObjects) return nullptr;
    Chunk* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &(*chunk)[index % kChunk];
  }

  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::mutex mutex_;  // guards the rest
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

}  // namespace orbweaver::poa
