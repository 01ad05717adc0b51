#pragma once

#include "base/result.h"
#include "platform/clock.h"
#include "transport/blocks/block.h"

namespace orbweaver::transport::blocks {

/// The pool of this process is made with the first loan and lives as long as the process. Any thread.
/// Its memory file is taken from the system at once and sealed: it can neither shrink nor be mapped for
/// writing by anybody else.
inline constexpr std::size_t kDefaultPoolBytes = std::size_t{64} << 20;

/// Before the first loan; rounded up to a power of two. Later calls change nothing.
void set_pool_bytes(std::size_t bytes) noexcept;

/// What lenders do while the pool is full who do not say it themselves.
struct FullPool {
  bool wait = true;
  std::int64_t timeout_ms = 0;  ///< 0: as long as it takes.
};
/// Any thread; for all loans from then on.
void set_full_pool(const FullPool& policy) noexcept;
FullPool full_pool() noexcept;

/// A block of at least `bytes` with one reference; not zeroed. While the pool is full, waits until
/// `deadline`: Remedy::wait then. Remedy::give_up where the pool can never hold it, or cannot be made.
Result<Block*> lend(std::size_t bytes, platform::Deadline deadline);

/// Does a lender wait for blocks to come back? Any thread.
bool lenders_wait() noexcept;

/// Bytes of the pool in use, after everything returned has been taken back.
std::size_t pool_used();

}  // namespace orbweaver::transport::blocks
