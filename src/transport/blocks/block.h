#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "platform/fd.h"

/// Blocks of shared memory that are in use in this process: lent by its own pool or received from others.
/// docs/formats/blocks.md tells how processes agree on them. Counting them takes no lock.
namespace orbweaver::transport::blocks {

class Block;

/// Where blocks come from and go back to: the own pool, or a link from another process. It has a place for each block
/// that can be in use, and lives as long as any of them is. Any thread.
class Source : public std::enable_shared_from_this<Source> {
 public:
  virtual ~Source() = default;
  /// The block in use that holds all of [data, data + bytes), with one more reference; null where there is none.
  virtual Block* hold(const void* data, std::size_t bytes) noexcept = 0;
  /// The last reference in this process has gone. May end this object.
  virtual void give_back(Block& block) noexcept = 0;
  virtual const platform::Fd& file() const noexcept = 0;
  virtual const std::uint8_t* base() const noexcept = 0;
  virtual std::size_t bytes() const noexcept = 0;
  /// Open descriptors whose end tells those above that nobody below needs the memory any more; empty where
  /// the memory is this process's own. Whoever the memory is handed on to gets copies.
  virtual std::vector<int> leases() const { return {}; }
  /// Does it belong to another process?
  virtual bool is_borrowed() const noexcept { return false; }
};

/// A place for a block. While nobody refers to it, it is its source's, to be filled anew.
class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Source& source() const noexcept { return *source_; }
  const std::uint8_t* begin() const noexcept { return begin_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// The source's: a block with one reference. It had none.
  void fill(Source& source, const std::uint8_t* begin, std::size_t bytes) noexcept {
    source_ = &source;
    begin_.store(begin, std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
    refs_.store(1, std::memory_order_release);  // K1: whoever holds it sees what was filled in; pairs with K2
  }
  /// One more reference, by whoever has one.
  void add() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// One more reference if it is in use and holds [data, data + bytes).
  bool add_if_around(const void* data, std::size_t bytes) noexcept {
    if (!is_around(data, bytes)) return false;
    std::uint32_t refs = refs_.load(std::memory_order_relaxed);
    do {
      if (refs == 0) return false;
      // K2: pairs with K1.
    } while (!refs_.compare_exchange_weak(refs, refs + 1, std::memory_order_acquire, std::memory_order_relaxed));
    if (is_around(data, bytes)) return true;
    drop();  // it was filled anew between the look and the count
    return false;
  }
  /// Drops one reference; with the last, the block goes back to its source.
  void drop() noexcept {
    // acq_rel: what others read of it was read before it goes back.
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) source_->give_back(*this);
  }

 private:
  bool is_around(const void* data, std::size_t wanted) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(begin());
    const std::size_t size = bytes();
    return offset <= size && wanted <= size - offset;
  }

  std::atomic<std::uint32_t> refs_{0};
  Source* source_ = nullptr;
  std::atomic<const std::uint8_t*> begin_{nullptr};
  std::atomic<std::size_t> bytes_{0};
};

/// The block in use here that holds all of [data, data + bytes), with one more reference, or null. The caller may
/// read the data all the while.
Block* hold(const void* data, std::size_t bytes) noexcept;

}  // namespace orbweaver::transport::blocks
