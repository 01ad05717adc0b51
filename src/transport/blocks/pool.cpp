#include "transport/blocks/pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>

#include "platform/memory.h"
#include "platform/process_identity.h"
#include "transport/blocks/block_owners.h"
#include "transport/blocks/block_transfer.h"
#include "transport/blocks/buddy_allocator.h"
#include "transport/blocks/free_block_cache.h"
#include "transport/blocks/region_words.h"
#include "transport/huge_pages.h"

namespace orbweaver::transport::blocks {
namespace {

/// Threads that wait for a free block, and their notification.
class LoanWaiters {
 public:
  bool any() const noexcept { return waiting_.load(std::memory_order_seq_cst) != 0; }
  /// Notifies the waiting threads that a block was freed. A fence and one load if there are none.
  void notify() noexcept {
    // Q2: the freed block is in the pool; pairs with Q1, after which a waiting thread searches it. One of the
    // two sees the other.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(mutex_);
    ++returns_;
    wake_.notify_all();
  }

  /// Registers a waiting thread. `sleep` returns at once if a block was freed since the construction or the
  /// last `sleep`.
  class Waiter {
   public:
    explicit Waiter(LoanWaiters& loan_waiters) noexcept : waiters_(loan_waiters) {
      waiters_.waiting_.fetch_add(1, std::memory_order_seq_cst);  // Q1
      std::atomic_thread_fence(std::memory_order_seq_cst);
      const std::lock_guard lock(waiters_.mutex_);
      seen_ = waiters_.returns_;
    }
    ~Waiter() { waiters_.waiting_.fetch_sub(1, std::memory_order_relaxed); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    void sleep(platform::Deadline deadline) {
      std::unique_lock lock(waiters_.mutex_);
      const auto come = [&] { return waiters_.returns_ != seen_; };
      if (deadline.is_never()) {
        waiters_.wake_.wait(lock, come);
      } else {
        waiters_.wake_.wait_for(
            lock, std::chrono::nanoseconds(std::max<std::int64_t>(deadline.ns - now_ns(), 0)), come);
      }
      seen_ = waiters_.returns_;
    }

   private:
    LoanWaiters& waiters_;
    std::uint64_t seen_ = 0;
  };

 private:
  std::atomic<std::uint32_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t returns_ = 0;
};

/// Never destroyed: a static object may hold the last reference to a block.
LoanWaiters& loan_waiters() noexcept {
  static LoanWaiters* const instance = new LoanWaiters;
  return *instance;
}

class Pool final : public BlockOwner {
 public:
  static Result<std::shared_ptr<Pool>> make(std::size_t bytes) {
    auto pool = std::shared_ptr<Pool>(new Pool(bytes));
    auto made =
        with_best_pages("the pool of blocks", bytes, HugePageReserve::may, [&](platform::Pages pages) {
          return platform::make_exported_memory("orbweaver-blocks", bytes, pages);
        });
    if (made.error != 0) {
      return Error{ErrorKind::unavailable,
                   "no memory for a pool of " + std::to_string(bytes) +
                       " bytes (-ORBTune pool-bytes): " + platform::error_text(made.error)};
    }
    pool->file_ = std::move(made.file);
    pool->mapping_ = std::move(made.mapping);
    if (!register_block_owner(*pool, pool->base(), bytes))
      return Error{ErrorKind::unavailable, "no memory for a pool of blocks"};
    return pool;
  }
  ~Pool() override { unregister_block_owner(base()); }

  /// Lends a block of at least `bytes`, at most all(), on `account` if that is not null; null if the pool has
  /// no free one.
  Block* lend(std::size_t bytes, const std::shared_ptr<Account>& account = nullptr) noexcept {
    const std::size_t size = BuddyAllocator::rounded(bytes);
    std::size_t offset = free_blocks_.allocate(size);
    if (offset == BuddyAllocator::kNone) {
      const std::lock_guard lock(mutex_);
      offset = buddy_.allocate(size);
      if (offset == BuddyAllocator::kNone) {  // coalescing the cached free blocks may yield one
        free_blocks_.take_all(
            [&](std::size_t at, std::size_t cached_bytes) { buddy_.deallocate(at, cached_bytes); });
        offset = buddy_.allocate(size);
      }
      if (offset == BuddyAllocator::kNone) return nullptr;
    }
    used_.fetch_add(size, std::memory_order_relaxed);
    if (account != nullptr) {
      account->bytes.fetch_add(size, std::memory_order_relaxed);
      account->blocks.fetch_add(1, std::memory_order_relaxed);
      accounts_[offset / BuddyAllocator::kGranule] = account;
    }
    Block& block = blocks_[offset / BuddyAllocator::kGranule];
    block.assign(*this, base() + offset, size);
    return &block;
  }
  Block* acquire(const void* data, std::size_t wanted) noexcept override {
    // A block of 2^n granules begins at a multiple of 2^n granules: its first granule is this one, or this
    // index with low set bits cleared.
    auto at =
        static_cast<std::size_t>(static_cast<const std::uint8_t*>(data) - base()) / BuddyAllocator::kGranule;
    for (;; at &= at - 1) {
      if (at < blocks_.size() && blocks_[at].add_ref_if_contains(data, wanted)) return &blocks_[at];
      if (at == 0) return nullptr;
    }
  }
  void deallocate(Block& block) noexcept override {
    const auto offset = static_cast<std::size_t>(block.begin() - base());
    const std::size_t size = block.bytes();
    // Taken out of its slot before the block can be lent again.
    const std::shared_ptr<Account> account = std::move(accounts_[offset / BuddyAllocator::kGranule]);
    if (!free_blocks_.put(offset, size)) {
      const std::lock_guard lock(mutex_);
      buddy_.deallocate(offset, size);
    }
    // Counted as free only when it can be lent: a sender within its share finds a block.
    used_.fetch_sub(size, std::memory_order_release);
    if (account != nullptr) {
      account->blocks.fetch_sub(1, std::memory_order_release);
      account->bytes.fetch_sub(size, std::memory_order_release);  // U1: pairs with U2
    }
    loan_waiters().notify();
  }
  /// Forwarders may keep returned blocks while half of the pool is free, which spares a wake-up in each
  /// process that a block passes through.
  Demand demand() const noexcept override {
    if (loan_waiters().any()) return Demand::notified_returns;
    return used() > all() / 2 ? Demand::returns : Demand::none;
  }
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return mapping_.data(); }
  std::size_t bytes() const noexcept override { return all(); }
  std::size_t all() const noexcept { return buddy_.bytes(); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_acquire); }

 private:
  explicit Pool(std::size_t bytes)
      : buddy_(bytes), blocks_(bytes / BuddyAllocator::kGranule), accounts_(blocks_.size()) {}

  platform::Fd file_;
  platform::Mapping mapping_;
  std::mutex mutex_;  // guards buddy_
  BuddyAllocator buddy_;
  FreeBlockCache free_blocks_;
  std::vector<Block> blocks_;  // by the granule in which each begins
  // of the blocks in use, by the same index; null: none
  std::vector<std::shared_ptr<Account>> accounts_;
  std::atomic<std::size_t> used_{0};
};

struct ProcessPool {
  std::mutex mutex;  // guards all members; not taken once the pool exists
  std::size_t wanted_bytes = kDefaultPoolBytes;
  std::shared_ptr<Pool> keep;
  std::atomic<Pool*> pool{nullptr};
};
ProcessPool& process_pool() {
  static ProcessPool* const instance = new ProcessPool;  // never destroyed, as loan_waiters()
  return *instance;
}

Result<Pool*> ensure_pool() {
  if (Pool* const pool = process_pool().pool.load(std::memory_order_acquire)) return pool;
  const std::lock_guard lock(process_pool().mutex);
  if (!process_pool().keep) {
    const std::size_t least = huge_pages_enabled() ? platform::kHugePageBytes : BuddyAllocator::kGranule;
    auto made = Pool::make(std::max(process_pool().wanted_bytes, least));
    if (!made) return made.take_error();
    process_pool().keep = std::move(*made);
    // pairs with the acquire above
    process_pool().pool.store(process_pool().keep.get(), std::memory_order_release);
  }
  return process_pool().keep.get();
}

[[gnu::cold]] Error full(const Pool& pool, std::size_t bytes) {
  return Error{ErrorKind::timed_out, "the pool of blocks is full: " + std::to_string(pool.used()) + " of " +
                                         std::to_string(pool.all()) + " bytes are in use, " +
                                         std::to_string(bytes) + " were asked for (-ORBTune pool-bytes)"};
}

/// Importers return most blocks soon, and without a notification: the pool is polled this often before the
/// thread sleeps.
constexpr int kMaxReturnPolls = 50;
constexpr std::int64_t kReturnPollInterval_ns = 20'000;

}  // namespace

void set_pool_bytes(std::size_t bytes) noexcept {
  const std::lock_guard lock(process_pool().mutex);
  process_pool().wanted_bytes =
      std::bit_ceil(std::max(bytes, std::max(BuddyAllocator::kGranule, platform::page_bytes())));
}

std::size_t pool_bytes() noexcept {
  const std::lock_guard lock(process_pool().mutex);
  return process_pool().wanted_bytes;
}

namespace {
constexpr std::int64_t kRaise = -1;
std::atomic<std::int64_t> when_full{0};  // a timeout in milliseconds, or kRaise
}  // namespace

void set_pool_full_policy(const PoolFullPolicy& policy) noexcept {
  when_full.store(policy.wait ? policy.timeout_ms : kRaise, std::memory_order_relaxed);
}
PoolFullPolicy pool_full_policy() noexcept {
  const std::int64_t set = when_full.load(std::memory_order_relaxed);
  return set == kRaise ? PoolFullPolicy{false, 0} : PoolFullPolicy{true, set};
}

void wake_loan_waiters() noexcept { loan_waiters().notify(); }

namespace {

/// The pool, if it can hold a block of `bytes`.
Result<Pool*> pool_for(std::size_t bytes) {
  auto made = ensure_pool();
  if (!made) return made.take_error();
  if (BuddyAllocator::rounded(bytes) > (*made)->all()) {
    return Error{ErrorKind::unavailable, "a block of " + std::to_string(bytes) +
                                             " bytes; the whole pool has " + std::to_string((*made)->all()) +
                                             " (-ORBTune pool-bytes)"};
  }
  return *made;
}

/// Calls `try_once` after each return of blocks to `pool` until it returns true; false at the deadline.
template <class Try>
bool try_until(const Pool& pool, Try&& try_once, platform::Deadline deadline) {
  if (try_once()) return true;
  for (int look = 0; look < kMaxReturnPolls; ++look) {
    request_returns(pool, Demand::returns);
    if (try_once()) return true;
    if (deadline.passed()) return false;
    platform::sleep_ns(kReturnPollInterval_ns);
  }
  LoanWaiters::Waiter waiter(loan_waiters());
  for (;;) {
    const bool all_tell = request_returns(pool, Demand::notified_returns);
    if (try_once()) return true;
    if (deadline.passed()) return false;
    const auto soon = platform::Deadline::in_ms(1);
    waiter.sleep(all_tell || deadline.ns < soon.ns ? deadline : soon);
  }
}

}  // namespace

Result<Block*> lend(std::size_t bytes, platform::Deadline deadline) {
  auto pool = pool_for(bytes);
  if (!pool) return pool.take_error();
  Block* block = nullptr;
  if (!try_until(
          **pool, [&] { return (block = (*pool)->lend(bytes)) != nullptr; }, deadline))
    return full(**pool, bytes);
  return block;
}

Result<Block*> lend_to(const std::shared_ptr<Account>& account, std::size_t bytes,
                       platform::Deadline deadline) {
  auto found = pool_for(bytes);
  if (!found) return found.take_error();
  Pool& pool = **found;
  const std::size_t size = BuddyAllocator::rounded(bytes);
  bool waits_for_itself = false;
  const auto within_share = [&] {
    // U2: pairs with U1: the blocks that are not counted are in the pool.
    const std::size_t used = account->bytes.load(std::memory_order_acquire);
    const std::size_t share =
        pool.all() / std::max<std::size_t>(open_accounts.load(std::memory_order_relaxed), 1);
    if (used == 0 || (used + size <= share && account->blocks.load(std::memory_order_relaxed) < kMaxGrants)) {
      return true;
    }
    const std::size_t held = account->held_bytes.load(std::memory_order_relaxed);
    waits_for_itself = held != 0 && (held + size > share ||
                                     account->held_blocks.load(std::memory_order_relaxed) >= kMaxGrants);
    return waits_for_itself;
  };
  if (!try_until(pool, within_share, deadline)) return full(pool, bytes);
  if (waits_for_itself)
    return Error{ErrorKind::unavailable, "the sender holds its share of the pool of blocks itself"};
  Block* block = pool.lend(bytes, account);
  if (block == nullptr) {
    request_returns(pool, Demand::returns);
    block = pool.lend(bytes, account);
  }
  if (block == nullptr) {
    Error error = full(pool, bytes);
    error.kind = ErrorKind::unavailable;
    return error;
  }
  return block;
}

std::size_t pool_used() {
  Pool* const pool = process_pool().pool.load(std::memory_order_acquire);
  if (pool == nullptr) return 0;
  request_returns(*pool, Demand::returns);
  return pool->used();
}

}  // namespace orbweaver::transport::blocks
