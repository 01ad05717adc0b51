#pragma once

#include <orbweaver/poa.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace orbweaver::poa {

class PoaImpl;

/// One place for an object. Found by index, without a lock: a call enters by counting itself in, and then
/// looks whether the object it wants is (still) there.
struct ObjectSlot {
  // generation << 32 | kActive | kFilled | calls in progress.
  std::atomic<std::uint64_t> state{0};
  PortableServer::Servant* servant = nullptr;  // counted; set while kFilled
  PoaImpl* poa = nullptr;                      // whose object it is, counted through `owner`
  CORBA::RefCounted* owner = nullptr;
  PortableServer::ObjectId id;
  std::uint32_t index = 0;

  static constexpr std::uint64_t kActive = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kFilled = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kCalls = kFilled - 1;
  std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(state.load() >> 32); }
};

/// All objects of one ORB, whatever their adapter: slots that never move. Thread-safe.
class ObjectMap {
 public:
  ObjectMap() = default;
  ~ObjectMap();
  ObjectMap(const ObjectMap&) = delete;
  ObjectMap& operator=(const ObjectMap&) = delete;

  /// An empty slot for an object of `poa`, which it keeps alive through `owner`; null beyond kMaxObjects.
  ObjectSlot* reserve(PoaImpl& poa, CORBA::RefCounted& owner);
  /// Puts the servant in (taking a count) and lets calls through.
  void activate(ObjectSlot& slot, PortableServer::ObjectId id, PortableServer::Servant& servant);
  /// Turns new calls away. The servant is let go, and the slot free for another generation, when the last
  /// call in progress has left. False if it was not active.
  bool deactivate(ObjectSlot& slot);
  /// Gives back a reserved slot that was never active.
  void unreserve(ObjectSlot& slot);

  /// The slot of that index and generation, entered; null where there is no such active object.
  ObjectSlot* enter(std::uint32_t index, std::uint32_t generation) noexcept {
    ObjectSlot* slot = at(index);
    return slot != nullptr && enter(*slot, generation) ? slot : nullptr;
  }
  bool enter(ObjectSlot& slot, std::uint32_t generation) noexcept {
    const std::uint64_t state = slot.state.fetch_add(1, std::memory_order_acquire) + 1;
    if (static_cast<std::uint32_t>(state >> 32) == generation && (state & ObjectSlot::kActive) != 0) return true;
    leave(slot);
    return false;
  }
  /// Enters a slot whatever its generation: for adapters that found it by name. False if it is not active.
  bool enter(ObjectSlot& slot) noexcept { return enter(slot, slot.generation()); }
  void leave(ObjectSlot& slot) noexcept {
    const std::uint64_t state = slot.state.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if ((state & (ObjectSlot::kCalls | ObjectSlot::kActive)) == 0 && (state & ObjectSlot::kFilled) != 0) {
      empty(slot, state);
    }
  }
  /// Calls in progress on the slots for which `mine(slot)` holds.
  template <class Mine>
  std::size_t calls(Mine&& mine) {
    std::size_t n = 0;
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < used_; ++i) {
      ObjectSlot& slot = *at(i);
      if (slot.poa != nullptr && mine(slot)) n += slot.state.load(std::memory_order_acquire) & ObjectSlot::kCalls;
    }
    return n;
  }
  /// Whose object that is; null where there is none.
  PoaImpl* owner_of(std::uint32_t index, std::uint32_t generation) {
    const std::lock_guard lock(mutex_);
    const ObjectSlot* slot = find(index, generation);
    return slot == nullptr ? nullptr : slot->poa;
  }
  /// The slot if that generation of it is reserved or active; does not enter it.
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
