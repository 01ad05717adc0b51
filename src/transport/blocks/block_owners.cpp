#include "transport/blocks/block_owners.h"

#include "transport/blocks/block.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace orbweaver::transport::blocks {
namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
  BlockOwner* owner = nullptr;
};
/// A range that readers may load while a writer moves it.
struct Entry {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<BlockOwner*> owner{nullptr};

  Range get() const noexcept {
    // Acquire: the version is checked after these loads; pairs with set.
    return {begin.load(std::memory_order_acquire), end.load(std::memory_order_acquire),
            owner.load(std::memory_order_acquire)};
  }
  void set(const Range& range) noexcept {
    // Release: a reader that sees one of these stores sees the odd version.
    begin.store(range.begin, std::memory_order_release);
    end.store(range.end, std::memory_order_release);
    owner.store(range.owner, std::memory_order_release);
  }
};

/// Ranges sorted by address, protected by a sequence lock: the version is odd during a change. A reader whose
/// version changed during its search repeats the search under the lock.
class Table {
 public:
  bool add(const Range& range) noexcept try {
    const std::lock_guard lock(writing_);
    const std::size_t n = count_.load(std::memory_order_relaxed);
    if (n == capacity_) grow();
    Entry* const entries = entries_.load(std::memory_order_relaxed);
    const Change change(version_);
    std::size_t at = n;
    for (; at > 0 && entries[at - 1].begin.load(std::memory_order_relaxed) > range.begin; --at) {
      entries[at].set(entries[at - 1].get());
    }
    entries[at].set(range);
    count_.store(n + 1, std::memory_order_release);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  void remove(std::uintptr_t begin) noexcept {
    const std::lock_guard lock(writing_);
    const std::size_t n = count_.load(std::memory_order_relaxed);
    Entry* const entries = entries_.load(std::memory_order_relaxed);
    std::size_t at = 0;
    while (at < n && entries[at].begin.load(std::memory_order_relaxed) != begin) ++at;
    if (at == n) return;
    const Change change(version_);
    for (; at + 1 < n; ++at) entries[at].set(entries[at + 1].get());
    count_.store(n - 1, std::memory_order_release);
  }

  BlockOwner* find(std::uintptr_t begin, std::size_t bytes) noexcept {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    const std::uint64_t before = version_.load(std::memory_order_acquire);
    if ((before & 1) == 0) {
      BlockOwner* const found = search(begin, bytes);
      if (version_.load(std::memory_order_relaxed) == before) return found;
    }
    const std::lock_guard lock(writing_);  // a concurrent change: rare and short
    return search(begin, bytes);
  }

 private:
  /// Keeps the version odd during its lifetime.
  class Change {
   public:
    explicit Change(std::atomic<std::uint64_t>& version) noexcept : version_(version) {
      version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    ~Change() { version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    std::atomic<std::uint64_t>& version_;
  };

  /// Doubles the capacity. Readers may still use the old arrays, so these are kept; together they are at most
  /// as large as the new one.
  void grow() {
    const std::size_t n = capacity_;
    auto larger = std::make_unique<Entry[]>(std::max<std::size_t>(8, 2 * n));
    for (std::size_t i = 0; i < n; ++i) larger[i].set(entries_.load(std::memory_order_relaxed)[i].get());
    all_.push_back(std::move(larger));
    capacity_ = std::max<std::size_t>(8, 2 * n);
    // Published before the count that needs it: a reader loads the count first.
    entries_.store(all_.back().get(), std::memory_order_release);
  }
  BlockOwner* search(std::uintptr_t begin, std::size_t bytes) const noexcept {
    std::size_t n = count_.load(std::memory_order_acquire);
    const Entry* at = entries_.load(std::memory_order_acquire);
    while (n > 1) {  // finds the last range that begins at or before `begin`
      const std::size_t half = n / 2;
      if (at[half].begin.load(std::memory_order_acquire) <= begin) at += half;
      n -= half;
    }
    if (n == 0) return nullptr;
    const Range range = at->get();
    return begin >= range.begin && begin <= range.end && bytes <= range.end - begin ? range.owner : nullptr;
  }

  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::size_t> count_{0};
  std::atomic<Entry*> entries_{nullptr};
  std::mutex writing_;
  std::size_t capacity_ = 0;  // guarded by writing_, as is all_
  std::vector<std::unique_ptr<Entry[]>> all_;
};

Table& table() noexcept {
  // never destroyed: a static object may hold the last reference to a block
  static Table* const instance = new Table;
  return *instance;
}

}  // namespace

bool register_block_owner(BlockOwner& owner, const std::uint8_t* begin, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  return table().add({at, at + bytes, &owner});
}

void unregister_block_owner(const std::uint8_t* begin) noexcept {
  table().remove(reinterpret_cast<std::uintptr_t>(begin));
}

BlockOwner* block_owner_of(const void* data, std::size_t bytes) noexcept {
  return table().find(reinterpret_cast<std::uintptr_t>(data), bytes);
}

Block* acquire(const void* data, std::size_t bytes) noexcept {
  BlockOwner* const owner = block_owner_of(data, bytes);
  return owner != nullptr ? owner->acquire(data, bytes) : nullptr;
}

}  // namespace orbweaver::transport::blocks
