#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "platform/fd.h"

/// Blocks of shared memory in use in this process: loans from its own pool and blocks imported from other
/// processes.
/// The protocol between processes is docs/formats/blocks.md. Reference counts are atomic; no lock is taken.
namespace orbweaver::transport::blocks {

class Block;
class ExportedRegion;

/// What the exporters of an owner's memory ask of its importers. Each value includes those before.
enum class Demand : std::uint8_t {
  none,              ///< Blocks that were forwarded may stay until the forwarder's next grant.
  returns,           ///< Forwarders return blocks as soon as these have been returned to them.
  notified_returns,  ///< Each return wakes this process.
};

/// Owner of the memory that blocks are in: the process's pool, or a region imported from another process. Has
/// one slot for each block that can be in use, and lives as long as any of them is. Thread-safe.
class BlockOwner : public std::enable_shared_from_this<BlockOwner> {
 public:
  virtual ~BlockOwner() = default;
  /// Returns the block in use that contains all of [data, data + bytes), with one more reference; null if
  /// there is none.
  virtual Block* acquire(const void* data, std::size_t bytes) noexcept = 0;
  /// Returns a block to the owner after its last reference in this process was dropped. May destroy the
  /// owner.
  virtual void deallocate(Block& block) noexcept = 0;
  virtual const platform::Fd& file() const noexcept = 0;
  virtual const std::uint8_t* base() const noexcept = 0;
  virtual std::size_t bytes() const noexcept = 0;
  /// What is asked of importers with each grant at present.
  virtual Demand demand() const noexcept = 0;
  /// Liveness descriptors of the region: write ends of pipes. Their hang-up shows the exporters that this
  /// process and all processes to which it exported the memory have released it. Empty if the memory is this
  /// process's own. Copies of these descriptors are passed with the region.
  virtual std::vector<int> liveness_fds() const { return {}; }
  /// True if the memory belongs to another process.
  virtual bool is_imported() const noexcept { return false; }
  /// False if this process would not notice the demand of its exporter.
  virtual bool can_be_forwarded() const noexcept { return true; }
  /// Registers a region through which this process exports the memory, until remove_export. May throw
  /// std::bad_alloc.
  virtual void add_export(ExportedRegion&) {}
  virtual void remove_export(ExportedRegion&) noexcept {}
};

/// A reference-counted slot for one block. With a reference count of 0 its owner may reassign it.
class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  BlockOwner& owner() const noexcept { return *owner_; }
  const std::uint8_t* begin() const noexcept { return begin_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// Assigns a block to this slot, with one reference. Called by the owner while the reference count is 0.
  void assign(BlockOwner& owner, const std::uint8_t* begin, std::size_t bytes) noexcept {
    owner_ = &owner;
    begin_.store(begin, std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
    refs_.store(1, std::memory_order_release);  // K1: publishes the stores above; pairs with K2
  }
  /// Adds a reference. The caller holds one.
  void add_ref() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// Adds a reference if the block is in use and contains [data, data + bytes); false otherwise.
  bool add_ref_if_contains(const void* data, std::size_t bytes) noexcept {
    if (!contains(data, bytes)) return false;
    std::uint32_t refs = refs_.load(std::memory_order_relaxed);
    do {
      if (refs == 0) return false;
      // K2: pairs with K1.
    } while (
        !refs_.compare_exchange_weak(refs, refs + 1, std::memory_order_acquire, std::memory_order_relaxed));
    if (contains(data, bytes)) return true;
    release_ref();  // the slot was reassigned between the check and the increment
    return false;
  }
  /// Drops one reference. The last one returns the block to its owner.
  void release_ref() noexcept {
    // acq_rel: orders all holders' reads of the block before its return.
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_->deallocate(*this);
  }

 private:
  bool contains(const void* data, std::size_t length) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(begin());
    const std::size_t size = bytes();
    return offset <= size && length <= size - offset;
  }

  std::atomic<std::uint32_t> refs_{0};
  BlockOwner* owner_ = nullptr;
  std::atomic<const std::uint8_t*> begin_{nullptr};
  std::atomic<std::size_t> bytes_{0};
};

/// Returns the block in use in this process that contains all of [data, data + bytes), with one more
/// reference, or null. The data must stay readable during the call. Thread-safe.
Block* acquire(const void* data, std::size_t bytes) noexcept;

}  // namespace orbweaver::transport::blocks
