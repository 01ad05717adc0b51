#include "transport/blocks/pool.h"

#include <algorithm>
#include <bit>
#include <string>

#include "platform/memory.h"
#include "platform/process_identity.h"
#include "transport/blocks/buddy.h"
#include "transport/blocks/links.h"
#include "transport/blocks/sources.h"

namespace orbweaver::transport::blocks {
namespace {

class Pool final : public Source {
 public:
  static Result<std::shared_ptr<Pool>> make(std::size_t bytes) {
    auto pool = std::shared_ptr<Pool>(new Pool(bytes));
    auto made = platform::make_lent_memory("orbweaver-blocks", bytes);
    if (made.error != 0) {
      return Error{Remedy::give_up, "no memory for a pool of " + std::to_string(bytes) +
                                        " bytes (-ORBPoolBytes): " + platform::error_text(made.error)};
    }
    pool->file_ = std::move(made.file);
    pool->mapping_ = std::move(made.mapping);
    if (!know_source(*pool, pool->base(), bytes)) return Error{Remedy::give_up, "no memory for a pool of blocks"};
    return pool;
  }

  void give_back(Block& block) noexcept override {
    buddy_.give_back(static_cast<std::size_t>(block.begin - base()), block.bytes);
  }
  ~Pool() override { forget_source(base()); }
  const platform::Fd& file() const noexcept override { return file_; }
  const std::uint8_t* base() const noexcept override { return mapping_.data(); }
  std::size_t bytes() const noexcept override { return buddy_.bytes(); }
  Buddy& buddy() noexcept { return buddy_; }

 private:
  explicit Pool(std::size_t bytes) : buddy_(bytes) {}

  platform::Fd file_;
  platform::Mapping mapping_;
  Buddy buddy_;
};

struct Own {
  std::size_t wanted_bytes = kDefaultPoolBytes;
  std::shared_ptr<Pool> pool;
};
Own& own() {
  static Own* const one = new Own;  // never destroyed: see registry()
  return *one;
}

}  // namespace

void set_pool_bytes(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex());
  own().wanted_bytes = std::bit_ceil(std::max(bytes, std::max(Buddy::kGranule, platform::page_bytes())));
}

Result<Block*> lend(std::size_t bytes, platform::Deadline deadline) {
  for (int turn = 0;; ++turn) {
    {
      const std::lock_guard lock(mutex());
      std::shared_ptr<Pool>& pool = own().pool;
      if (!pool) {
        auto made = Pool::make(own().wanted_bytes);
        if (!made) return made.take_error();
        pool = std::move(*made);
      }
      Buddy& buddy = pool->buddy();
      if (Buddy::rounded(bytes) > buddy.bytes()) {
        return Error{Remedy::give_up, "a block of " + std::to_string(bytes) + " bytes; the whole pool has " +
                                          std::to_string(buddy.bytes()) + " (-ORBPoolBytes)"};
      }
      std::size_t offset = buddy.take(bytes);
      if (offset == Buddy::kNone) {
        take_back_returned();
        offset = buddy.take(bytes);
      }
      if (offset != Buddy::kNone) {
        Block* block = enter(pool->base() + offset, Buddy::rounded(bytes), 0, pool);
        if (block != nullptr) return block;
        buddy.give_back(offset, bytes);
        return Error{Remedy::give_up, "no memory for the description of a block"};
      }
      if (deadline.passed()) {
        return Error{Remedy::wait, "the pool of blocks is full: " + std::to_string(buddy.used()) + " of " +
                                       std::to_string(buddy.bytes()) + " bytes are in use, " + std::to_string(bytes) +
                                       " were asked for (-ORBPoolBytes)"};
      }
    }
    // Holders return blocks by a store in shared memory, which wakes nobody.
    if (turn < 100) {
      platform::pause_ns(20'000);
    } else {
      platform::sleep_ms(1);
    }
  }
}

std::size_t pool_used() {
  const std::lock_guard lock(mutex());
  take_back_returned();
  return own().pool ? own().pool->buddy().used() : 0;
}

}  // namespace orbweaver::transport::blocks
