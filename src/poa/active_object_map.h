#pragma once

#include <orbweaver/poa.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace orbweaver::poa {

class PoaImpl;

/// Slot of the active object map. Found by index without a lock: a call first increments the call count and
/// then checks that the object is active.
struct ObjectSlot {
  /// generation << 32 | kActive | kHasServant | calls in progress.
  std::atomic<std::uint64_t> state{0};
  PortableServer::Servant* servant = nullptr;  // owned reference; set while kHasServant
  PoaImpl* poa = nullptr;                      // POA of the object, kept alive by `owner`
  CORBA::RefCounted* owner = nullptr;
  PortableServer::ObjectId id;
  std::uint32_t index = 0;

  static constexpr std::uint64_t kActive = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kHasServant = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kCalls = kHasServant - 1;
  std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(state.load() >> 32); }
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
  /// Activates a reserved slot; adds a reference to `servant`.
  void activate(ObjectSlot& slot, PortableServer::ObjectId id, PortableServer::Servant& servant);
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
  /// Enters `slot` if it is active in this generation. Pairs with the release in `activate`.
  bool enter(ObjectSlot& slot, std::uint32_t generation) noexcept {
    if (count_call(slot, generation)) return true;
    leave(slot);
    return false;
  }
  /// Counts a call of `slot`. Returns whether it is active in this generation; if not, the caller leaves it.
  static bool count_call(ObjectSlot& slot, std::uint32_t generation) noexcept {
    const std::uint64_t state = slot.state.fetch_add(1, std::memory_order_acquire) + 1;
    return static_cast<std::uint32_t>(state >> 32) == generation && (state & ObjectSlot::kActive) != 0;
  }
  /// Enters a slot of any generation, for POAs that found it by object id. Returns false if it is not active.
  bool enter(ObjectSlot& slot) noexcept { return enter(slot, slot.generation()); }
  /// Leaves an entered slot; the last call to leave a deactivated slot releases the servant.
  void leave(ObjectSlot& slot) noexcept {
    const std::uint64_t state = slot.state.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if ((state & (ObjectSlot::kCalls | ObjectSlot::kActive)) == 0 && (state & ObjectSlot::kHasServant) != 0) {
      empty(slot, state);
    }
  }
  /// Number of calls in progress on the slots for which `mine(slot)` holds.
  template <class Mine>
  std::size_t calls(Mine&& mine) {
    std::size_t n = 0;
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < used_; ++i) {
      ObjectSlot& slot = *at(i);
      if (slot.poa != nullptr && mine(slot))
        n += slot.state.load(std::memory_order_acquire) & ObjectSlot::kCalls;
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
  void empty(ObjectSlot& slot, std::uint64_t state) noexcept;

  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::mutex mutex_;  // guards the rest
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

}  // namespace orbweaver::poa
