#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/fd.h"

/// Blocks of shared memory that are in use in this process: lent by its own pool or received from others.
/// docs/formats/blocks.md tells how processes agree on them.
namespace orbweaver::transport::blocks {

struct Block;

/// Where blocks come from and go back to: the own pool, or a link from another process.
class Source {
 public:
  virtual ~Source() = default;
  /// The last reference in this process has gone. Under mutex().
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

/// One block. Everything in it is guarded by mutex().
struct Block {
  const std::uint8_t* begin = nullptr;
  std::size_t bytes = 0;
  std::uint32_t refs = 0;
  std::uint64_t tag = 0;  ///< The source's own.
  std::shared_ptr<Source> source;
};

/// Guards all blocks, the pool and the links of this process. Held for short, never while waiting.
std::mutex& mutex() noexcept;

/// The block that holds all of [data, data + bytes), or null. Under mutex().
Block* find(const void* data, std::size_t bytes) noexcept;
/// A new entry with one reference; null where memory is short or one begins there already. Under mutex().
Block* enter(const std::uint8_t* begin, std::size_t bytes, std::uint64_t tag, std::shared_ptr<Source> source) noexcept;
/// Drops one reference; with the last, the block goes back to its source. Under mutex().
void drop(Block* block) noexcept;
/// How many blocks are in use here. Takes mutex().
std::size_t in_use() noexcept;

}  // namespace orbweaver::transport::blocks
