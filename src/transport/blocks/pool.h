#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "base/result.h"
#include "platform/clock.h"
#include "transport/blocks/block.h"

namespace orbweaver::transport::blocks {

/// The pool of this process. It is created by the first loan and lives as long as the process. Thread-safe.
/// Its memory file is allocated whole and sealed: it cannot shrink, and no other process can map it writable.
inline constexpr std::size_t kDefaultPoolBytes = std::size_t{64} << 20;

/// Sets the pool's size, rounded up to a power of two. No effect after the first loan.
void set_pool_bytes(std::size_t bytes) noexcept;
std::size_t pool_bytes() noexcept;

/// Default behaviour of loans while the pool is full.
struct PoolFullPolicy {
  bool wait = true;
  std::int64_t timeout_ms = 0;  ///< 0: no limit.
};
/// Sets the policy of all later loans. Thread-safe.
void set_pool_full_policy(const PoolFullPolicy& policy) noexcept;
PoolFullPolicy pool_full_policy() noexcept;

/// Returns a block of at least `bytes` with one reference; not zeroed. Waits until `deadline` while the pool
/// is full.
/// Errors: timed_out at the deadline; unavailable if the pool can never hold the block, or cannot be created.
Result<Block*> lend(std::size_t bytes, platform::Deadline deadline);

/// The blocks lent to one sender and not yet returned.
struct Account {
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> blocks{0};
  /// Of these, the blocks that the sender has not sent yet.
  std::atomic<std::size_t> held_bytes{0}, held_blocks{0};
};
/// Number of senders with an account; the pool is divided among them in equal shares.
inline std::atomic<std::size_t> open_accounts{0};

/// As `lend`, to a sender that may use its share of the pool, or any part of it for a single block, and as
/// many blocks as one connection can have in use. Waits until `deadline` while the sender's own blocks leave
/// too little.
/// Errors: timed_out at the deadline; unavailable if the pool has no space although the share has, can never
/// hold the block, or cannot be created, or if the blocks that the sender itself holds leave too little.
Result<Block*> lend_to(const std::shared_ptr<Account>& account, std::size_t bytes,
                       platform::Deadline deadline);

/// Makes the threads that wait for a block ask the regions for return notifications once more. Thread-safe.
void wake_loan_waiters() noexcept;

/// Bytes of the pool in use, after reclaiming everything returned. Asks importers to return what they have
/// forwarded, so that later calls find it.
std::size_t pool_used();

}  // namespace orbweaver::transport::blocks
