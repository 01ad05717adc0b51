#include "orb/client/queued_calls.h"

namespace orbweaver::orb {

void QueuedCalls::end_batch() noexcept {
  bytes_ = 0;
  const std::lock_guard lock(mutex_);
  batches_[next_batch_] = {end_, unsent_.exchange(0, std::memory_order_acq_rel)};
  next_batch_ = (next_batch_ + 1) % kBatchesKept;
}

std::uint64_t QueuedCalls::lost(std::uint64_t delivered) const noexcept {
  std::uint64_t lost = unsent();
  const std::lock_guard lock(mutex_);
  for (const Batch& batch : batches_) {
    if (batch.end > delivered) lost += batch.calls;
  }
  return lost;
}

}  // namespace orbweaver::orb
