#include "transport/blocks/sources.h"

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
  Source* source = nullptr;
};
/// A range as readers find it, who may look while it is being moved.
struct Entry {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<Source*> source{nullptr};

  Range get() const noexcept {
    // Acquire, so that the version is looked at again after these; pairs with set.
    return {begin.load(std::memory_order_acquire), end.load(std::memory_order_acquire),
            source.load(std::memory_order_acquire)};
  }
  void set(const Range& range) noexcept {
    // Release: whoever sees one of these sees that the version is odd.
    begin.store(range.begin, std::memory_order_release);
    end.store(range.end, std::memory_order_release);
    source.store(range.source, std::memory_order_release);
  }
};

/// Ranges sorted by address, under a version that is odd while they change: a reader looks, and looks again where the
/// version has changed meanwhile.
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

  Source* find(std::uintptr_t begin, std::size_t bytes) noexcept {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    const std::uint64_t before = version_.load(std::memory_order_acquire);
    if ((before & 1) == 0) {
      Source* const found = search(begin, bytes);
      if (version_.load(std::memory_order_relaxed) == before) return found;
    }
    const std::lock_guard lock(writing_);  // a source comes or goes just now: rare, and soon over
    return search(begin, bytes);
  }

 private:
  /// Holds the version odd.
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

  /// Readers may still be in the old entries: those are kept, half as many in all as there are now.
  void grow() {
    const std::size_t n = capacity_;
    auto larger = std::make_unique<Entry[]>(std::max<std::size_t>(8, 2 * n));
    for (std::size_t i = 0; i < n; ++i) larger[i].set(entries_.load(std::memory_order_relaxed)[i].get());
    all_.push_back(std::move(larger));
    capacity_ = std::max<std::size_t>(8, 2 * n);
    // Before the count that needs them: a reader loads the count first.
    entries_.store(all_.back().get(), std::memory_order_release);
  }
  Source* search(std::uintptr_t begin, std::size_t bytes) const noexcept {
    std::size_t n = count_.load(std::memory_order_acquire);
    const Entry* at = entries_.load(std::memory_order_acquire);
    while (n > 1) {  // the last that begins at or before `begin`
      const std::size_t half = n / 2;
      if (at[half].begin.load(std::memory_order_acquire) <= begin) at += half;
      n -= half;
    }
    if (n == 0) return nullptr;
    const Range range = at->get();
    return begin >= range.begin && begin <= range.end && bytes <= range.end - begin ? range.source : nullptr;
  }

  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::size_t> count_{0};
  std::atomic<Entry*> entries_{nullptr};
  std::mutex writing_;
  std::size_t capacity_ = 0;                   // with writing_, as is all_
  std::vector<std::unique_ptr<Entry[]>> all_;
};

Table& table() noexcept {
  static Table* const one = new Table;  // never destroyed: a user's last hold may be a static object
  return *one;
}

}  // namespace

bool know_source(Source& source, const std::uint8_t* begin, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  return table().add({at, at + bytes, &source});
}

void forget_source(const std::uint8_t* begin) noexcept { table().remove(reinterpret_cast<std::uintptr_t>(begin)); }

Source* source_of(const void* data, std::size_t bytes) noexcept {
  return table().find(reinterpret_cast<std::uintptr_t>(data), bytes);
}

Block* hold(const void* data, std::size_t bytes) noexcept {
  Source* const source = source_of(data, bytes);
  return source != nullptr ? source->hold(data, bytes) : nullptr;
}

}  // namespace orbweaver::transport::blocks
