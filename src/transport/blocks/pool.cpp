#include "transport/blocks/pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <condition_variable>
#include <chrono>
#include <mutex>
#include <new>
#include <string>

#include "platform/memory.h"
#include "platform/process_identity.h"
#include "transport/blocks/buddy.h"
#include "transport/blocks/links.h"
#include "transport/blocks/sources.h"
#include "transport/blocks/spare_blocks.h"
#include "transport/huge_pages.h"

namespace orbweaver::transport::blocks {
namespace {

/// Lenders that wait for room, and how they are woken.
class Lenders {
 public:
  bool any() const noexcept { return waiting_.load(std::memory_order_seq_cst) != 0; }
  /// Something has come back. Looks at one word where nobody waits.
  void tell() noexcept {
    // Q2: what came back is in the pool; pairs with Q1, after which a lender looks there. One of the two sees the other.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(mutex_);
    ++returns_;
    wake_.notify_all();
  }

  /// From its making on, `sleep` returns at once if something has come back since it was last called.
  class Waiting {
   public:
    explicit Waiting(Lenders& lenders) noexcept : lenders_(lenders) {
      lenders_.waiting_.fetch_add(1, std::memory_order_seq_cst);  // Q1
      std::atomic_thread_fence(std::memory_order_seq_cst);
      const std::lock_guard lock(lenders_.mutex_);
      seen_ = lenders_.returns_;
    }
    ~Waiting() { lenders_.waiting_.fetch_sub(1, std::memory_order_relaxed); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    void sleep(platform::Deadline deadline) {
      std::unique_lock lock(lenders_.mutex_);
      const auto come = [&] { return lenders_.returns_ != seen_; };
      if (deadline.is_never()) {
        lenders_.wake_.wait(lock, come);
      } else {
        lenders_.wake_.wait_for(lock, std::chrono::nanoseconds(std::max<std::int64_t>(deadline.ns - now_ns(), 0)), come);
      }
      seen_ = lenders_.returns_;
    }

   private:
    Lenders& lenders_;
    std::uint64_t seen_ = 0;
  };

 private:
  std::atomic<std::uint32_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t returns_ = 0;
};

/// Never destroyed: a user's last hold may be a static object.
Lenders& lenders() noexcept {
  static Lenders* const one = new Lenders;
  return *one;
}

class Pool final : public Source {
 public:
  static Result<std::shared_ptr<Pool>> make(std::size_t bytes) {
    auto pool = std::shared_ptr<Pool>(new Pool(bytes));
    auto made = in_best_pages("the pool of blocks", bytes, Reserve::may, [&](platform::Pages pages) {
      return platform::make_lent_memory("orbweaver-blocks", bytes, pages);
    });
    if (made.error != 0) {
      return Error{Remedy::give_up, "no memory for a pool of " + std::to_string(bytes) +
                                        " bytes (-ORBPoolBytes): " + platform::error_text(made.error)};
    }
    pool->file_ = std::move(made.file);
    pool->mapping_ = std::move(made.mapping);
    if (!know_source(*pool, pool->base(), bytes)) return Error{Remedy::give_up, "no memory for a pool of blocks"};
    return pool;
  }
  ~Pool() override { forget_source(base()); }

  /// At least `bytes`, at most all(); null where there is no room.
  Block* lend(std::size_t bytes) noexcept {
    const std::size_t size = Buddy::rounded(bytes);
    std::size_t offset = spare_.take(size);
    if (offset == Buddy::kNone) {
      const std::lock_guard lock(mutex_);
      offset = buddy_.take(size);
      if (offset == Buddy::kNone) {  // what is spare may be the room, once it is joined
        spare_.take_all([&](std::size_t at, std::size_t spare_bytes) { buddy_.give_back(at, spare_bytes); });
        offset = buddy_.take(size);
      }
      if (offset == Buddy::kNone) return nullptr;
    }
    used_.fetch_add(size, std::memory_order_relaxed);
    Block& block = blocks_[offset / Buddy::kGranule];
    block.fill(*this, base() + offset, size);
    return &block;
  }
  Block* hold(const void* data, std::size_t wanted) noexcept override {
    // A block of 2^n granules begins at a multiple of 2^n: at this granule, or where one with fewer bits set is.
    auto at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(data) - base()) / Buddy::kGranule;
    for (;; at &= at - 1) {
      if (at < blocks_.size() && blocks_[at].add_if_around(data, wanted)) return &blocks_[at];
      if (at == 0) return nullptr;
    }
  }
  void give_back(Block& block) noexcept override {
    const auto offset = static_cast<std::size_t>(block.begin() - base());
    const std::size_t size = block.bytes();
    used_.fetch_sub(size, std::memory_order_relaxed);
    if (!spare_.put(offset, size)) {
      const std::lock_guard lock(mutex_);
      buddy_.give_back(offset, size);
    }
    lenders().tell();
  }
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return mapping_.data(); }
  std::size_t bytes() const noexcept override { return all(); }
  std::size_t all() const noexcept { return buddy_.bytes(); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  explicit Pool(std::size_t bytes) : buddy_(bytes), blocks_(bytes / Buddy::kGranule) {}

  platform::Fd file_;
  platform::Mapping mapping_;
  std::mutex mutex_;  // guards buddy_
  Buddy buddy_;
  SpareBlocks spare_;
  std::vector<Block> blocks_;  // by the granule in which they begin
  std::atomic<std::size_t> used_{0};
};

struct Own {
  std::mutex mutex;  // guards the rest; not taken once there is a pool
  std::size_t wanted_bytes = kDefaultPoolBytes;
  std::shared_ptr<Pool> keep;
  std::atomic<Pool*> pool{nullptr};
};
Own& own() {
  static Own* const one = new Own;  // never destroyed, as lenders()
  return *one;
}

Result<Pool*> own_pool() {
  if (Pool* const pool = own().pool.load(std::memory_order_acquire)) return pool;
  const std::lock_guard lock(own().mutex);
  if (!own().keep) {
    const std::size_t least = huge_pages_wanted() ? platform::kHugePageBytes : Buddy::kGranule;
    auto made = Pool::make(std::max(own().wanted_bytes, least));
    if (!made) return made.take_error();
    own().keep = std::move(*made);
    own().pool.store(own().keep.get(), std::memory_order_release);  // pairs with the acquire above
  }
  return own().keep.get();
}

Error full(const Pool& pool, std::size_t bytes) {
  return Error{Remedy::wait, "the pool of blocks is full: " + std::to_string(pool.used()) + " of " +
                                 std::to_string(pool.all()) + " bytes are in use, " + std::to_string(bytes) +
                                 " were asked for (-ORBPoolBytes)"};
}

/// Receivers return most blocks soon, and by a store that tells nobody: so long it is looked for.
constexpr int kLooks = 50;
constexpr std::int64_t kBetweenLooks_ns = 20'000;

}  // namespace

void set_pool_bytes(std::size_t bytes) noexcept {
  const std::lock_guard lock(own().mutex);
  own().wanted_bytes = std::bit_ceil(std::max(bytes, std::max(Buddy::kGranule, platform::page_bytes())));
}

namespace {
constexpr std::int64_t kRaise = -1;
std::atomic<std::int64_t> when_full{0};  // a time-out, or kRaise
}  // namespace

void set_full_pool(const FullPool& policy) noexcept {
  when_full.store(policy.wait ? policy.timeout_ms : kRaise, std::memory_order_relaxed);
}
FullPool full_pool() noexcept {
  const std::int64_t set = when_full.load(std::memory_order_relaxed);
  return set == kRaise ? FullPool{false, 0} : FullPool{true, set};
}

bool lenders_wait() noexcept { return lenders().any(); }

Result<Block*> lend(std::size_t bytes, platform::Deadline deadline) {
  auto made = own_pool();
  if (!made) return made.take_error();
  Pool& pool = **made;
  if (Buddy::rounded(bytes) > pool.all()) {
    return Error{Remedy::give_up, "a block of " + std::to_string(bytes) + " bytes; the whole pool has " +
                                      std::to_string(pool.all()) + " (-ORBPoolBytes)"};
  }
  if (Block* const block = pool.lend(bytes)) return block;
  for (int look = 0; look < kLooks; ++look) {
    take_back_returned();
    if (Block* const block = pool.lend(bytes)) return block;
    if (deadline.passed()) return full(pool, bytes);
    platform::pause_ns(kBetweenLooks_ns);
  }
  Lenders::Waiting waiting(lenders());
  for (;;) {
    const bool all_tell = ask_for_returns();
    if (Block* const block = pool.lend(bytes)) return block;
    if (deadline.passed()) return full(pool, bytes);
    const auto soon = platform::Deadline::in_ms(1);
    waiting.sleep(all_tell || deadline.ns < soon.ns ? deadline : soon);
  }
}

std::size_t pool_used() {
  take_back_returned();
  Pool* const pool = own().pool.load(std::memory_order_acquire);
  return pool != nullptr ? pool->used() : 0;
}

}  // namespace orbweaver::transport::blocks
