#include <orbweaver/loan.h>

#include "orb/minor_codes.h"
#include "transport/blocks/block_owners.h"
#include "transport/blocks/block_transfer.h"
#include "transport/blocks/pool.h"

#include <orbweaver/exception.h>

bool orbweaver::may_be_in_block(const void* data, std::size_t bytes) noexcept {
  return transport::blocks::block_owner_of(data, bytes) != nullptr;
}

namespace orbweaver::detail {

using platform::Deadline;
using transport::blocks::Block;
namespace blocks = transport::blocks;

BlockRef::BlockRef(const BlockRef& other) noexcept : block_(other.block_) {
  if (block_ != nullptr) static_cast<Block*>(block_)->add_ref();
}

BlockRef::~BlockRef() {
  if (block_ != nullptr) static_cast<Block*>(block_)->release_ref();
}

BlockRef BlockRef::allocate(std::size_t bytes, PoolFull when_full, std::int64_t timeout_ms, void*& data) {
  bool wait = when_full == PoolFull::wait;
  if (when_full == PoolFull::as_configured) {
    const blocks::PoolFullPolicy set = blocks::pool_full_policy();
    wait = set.wait;
    if (timeout_ms == 0) timeout_ms = set.timeout_ms;
  }
  auto lent = blocks::lend(bytes, !wait             ? Deadline::in_ns(0)
                                  : timeout_ms == 0 ? Deadline::never()
                                                    : Deadline::in_ms(timeout_ms));
  if (!lent) {
    if (wait && lent.error().kind == ErrorKind::timed_out) {
      throw CORBA::TIMEOUT(minor::kPoolFull, CORBA::CompletionStatus::COMPLETED_NO, lent.error().message);
    }
    throw CORBA::NO_RESOURCES(minor::kPoolFull, CORBA::CompletionStatus::COMPLETED_NO, lent.error().message);
  }
  BlockRef ref;
  ref.block_ = *lent;
  // The pool's own mapping is writable; only imported regions are read-only.
  data = const_cast<std::uint8_t*>((*lent)->begin());
  return ref;
}

BlockRef BlockRef::find(const void* data, std::size_t bytes) noexcept {
  BlockRef ref;
  if (bytes != 0) ref.block_ = blocks::acquire(data, bytes);
  return ref;
}

BlockAccount::BlockAccount() : account_(std::make_shared<blocks::Account>()) {
  blocks::open_accounts.fetch_add(1, std::memory_order_relaxed);
}
BlockAccount::~BlockAccount() { blocks::open_accounts.fetch_sub(1, std::memory_order_relaxed); }

BlockAccount::Outcome BlockAccount::allocate(std::size_t bytes, std::int64_t timeout_ms, BlockRef& block,
                                             void*& data) noexcept try {
  auto lent = blocks::lend_to(std::static_pointer_cast<blocks::Account>(account_), bytes,
                              Deadline::in_ms(timeout_ms));
  if (!lent) return lent.error().kind == ErrorKind::timed_out ? Outcome::share_in_use : Outcome::unavailable;
  BlockRef ref;
  ref.block_ = *lent;
  block = std::move(ref);
  data = const_cast<std::uint8_t*>((*lent)->begin());  // the pool's own mapping is writable
  return Outcome::allocated;
} catch (const std::bad_alloc&) {
  return Outcome::unavailable;
}

BlockAccount::Hold BlockAccount::hold(const BlockRef& block) noexcept {
  Hold hold;
  hold.account_ = account_;
  hold.bytes_ = static_cast<Block*>(block.block_)->bytes();
  auto& account = *static_cast<blocks::Account*>(account_.get());
  account.held_bytes.fetch_add(hold.bytes_, std::memory_order_relaxed);
  account.held_blocks.fetch_add(1, std::memory_order_relaxed);
  return hold;
}

BlockAccount::Hold::~Hold() {
  if (account_ == nullptr) return;
  auto& account = *static_cast<blocks::Account*>(account_.get());
  account.held_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
  account.held_blocks.fetch_sub(1, std::memory_order_relaxed);
}

std::uint64_t bytes_sent_in_blocks() noexcept { return blocks::bytes_granted_by_this_thread(); }

}  // namespace orbweaver::detail
