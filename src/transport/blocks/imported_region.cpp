#include "transport/blocks/imported_region.h"

#include <algorithm>

#include "platform/peer_event.h"
#include "transport/blocks/block_owners.h"
#include "transport/blocks/block_transfer.h"
#include "transport/blocks/exported_region.h"

namespace orbweaver::transport::blocks {

ImportedRegion::~ImportedRegion() { unregister_block_owner(base()); }

void ImportedRegion::watch() {
  const std::weak_ptr<BlockOwner> weak = weak_from_this();
  watch_ = std::make_unique<platform::HangupWatch>(
      events_.changed, [] {},
      [weak] {
        if (const auto owner = weak.lock()) static_cast<ImportedRegion&>(*owner).on_change();
      });
}

/// Callback of the watch: the exporter wants returns, or has announced the end.
void ImportedRegion::on_change() noexcept {
  platform::clear_peer_event(events_.changed);  // before the words are read
  if (check_end()) return;
  // D2: pairs with D1. A grant that was made before is found in its region, under the region's mutex; one
  // that is made later reads the word.
  if (const Demand demanded = demand(); demanded != Demand::none) request_returns(*this, demanded);
}

/// The exporter waits for blocks that were forwarded, or will once they are its own: this process makes
/// perhaps no further grant, and must be woken to return them.
Demand ImportedRegion::demand() const noexcept {
  const bool wanted = words().returns_wanted.load(std::memory_order_acquire) != 0 ||
                      (state_.load(std::memory_order_acquire) & kEnded) != 0;
  return wanted ? Demand::notified_returns : Demand::none;
}

bool ImportedRegion::check_end() noexcept {
  if (words().ended.load(std::memory_order_acquire) != 0) end();
  return (state_.load(std::memory_order_acquire) & kEnded) != 0;
}

void ImportedRegion::end() noexcept {
  const std::uint32_t before = state_.fetch_or(kEnded, std::memory_order_acq_rel);
  if (before == 0) {
    on_end_and_unused();
  } else if ((before & kEnded) == 0) {
    request_returns(*this, Demand::notified_returns);
  }
}

/// Called once, by the thread that ends the region or returns its last block: no block is in use, and none
/// will be.
void ImportedRegion::on_end_and_unused() noexcept {
  share_.reduce_by(liveness_fds_.size() - 1);
  liveness_fds_.resize(1);
  const std::lock_guard lock(exports_mutex_);
  for (ExportedRegion* const region : exports_) region->announce_end();
}

void ImportedRegion::add_export(ExportedRegion& region) {
  const std::lock_guard lock(exports_mutex_);
  exports_.push_back(&region);
}

void ImportedRegion::remove_export(ExportedRegion& region) noexcept {
  const std::lock_guard lock(exports_mutex_);
  std::erase(exports_, &region);
}

Block* ImportedRegion::import_block(const BlockDescription& d, std::size_t bytes, std::size_t alignment,
                                    const std::uint8_t*& data) noexcept {
  const std::uint64_t next = next_.load(std::memory_order_relaxed);
  Slot& slot = slots_[d.grant % kMaxGrants];
  // T1: pairs with T2: the slot is free.
  // The difference wraps, so a grant that was imported before is rejected here, too.
  if (d.grant - next >= kMaxGrants || slot.in_use.load(std::memory_order_acquire)) return nullptr;
  if (d.block_offset > this->bytes() || d.block_bytes > this->bytes() - d.block_offset) return nullptr;
  if (d.view_offset > d.block_bytes || bytes > d.block_bytes - d.view_offset) return nullptr;
  const std::uint8_t* const block_begin = base() + d.block_offset;
  data = block_begin + d.view_offset;
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) return nullptr;
  Block* block = &slots_[(next + kMaxGrants - 1) % kMaxGrants];
  if (next == 0 || !block->add_ref_if_contains(block_begin, static_cast<std::size_t>(d.block_bytes)))
    block = nullptr;
  if (block == nullptr) {
    if (!enter()) return nullptr;
    slot.in_use.store(true, std::memory_order_relaxed);
    slot.owner = shared_from_this();
    slot.assign(*this, block_begin, static_cast<std::size_t>(d.block_bytes));
    words().held[d.grant % kMaxGrants].store(1, std::memory_order_relaxed);
    block = &slot;
    // otherwise the slot's previous grant was in the same block and is still held: this grant is returned at
    // once
  }
  next_.store(d.grant + 1, std::memory_order_relaxed);
  // L1: publishes the store to `held` above; pairs with L2.
  words().imported.store(d.grant + 1, std::memory_order_release);
  return block;
}

Block* ImportedRegion::acquire(const void* data, std::size_t bytes) noexcept {
  // Searches backwards: most blocks held or exported were imported recently.
  const std::uint64_t next = next_.load(std::memory_order_relaxed);
  for (std::uint64_t back = 1; back <= kMaxGrants; ++back) {
    Slot& slot = slots_[(next + kMaxGrants - back) % kMaxGrants];
    if (slot.add_ref_if_contains(data, bytes)) return &slot;
  }
  return nullptr;
}

void ImportedRegion::deallocate(Block& block) noexcept {
  auto& slot = static_cast<Slot&>(block);
  const auto index = static_cast<std::size_t>(&slot - slots_.data());
  // perhaps the last reference: destroys this region at the end of the scope
  const std::shared_ptr<BlockOwner> owner = std::move(slot.owner);
  // T2: before the exporter can see the return, so that a new grant finds its slot free. Pairs with T1.
  slot.in_use.store(false, std::memory_order_release);
  // L3: all reads of the block happened before; pairs with L4.
  words().held[index].store(0, std::memory_order_release);
  notify_if_requested();
  leave();
}

/// Counts a block in use. False if the region has ended, so that the count of an ended region only falls.
bool ImportedRegion::enter() noexcept {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  do {
    if ((state & kEnded) != 0) return false;
  } while (!state_.compare_exchange_weak(state, state + kBlock, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  return true;
}

/// The last one to leave an ended region closes it.
void ImportedRegion::leave() noexcept {
  if (state_.fetch_sub(kBlock, std::memory_order_acq_rel) == kBlock + kEnded) on_end_and_unused();
}

/// N2: the return above is visible before the flag is checked; pairs with N1.
void ImportedRegion::notify_if_requested() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic<std::uint32_t>& wanted = words().notify_on_return;
  if (wanted.load(std::memory_order_relaxed) == 0 || wanted.exchange(0, std::memory_order_seq_cst) == 0)
    return;
  platform::signal_peer_event(events_.returned);
}

std::vector<int> ImportedRegion::liveness_fds() const {
  std::vector<int> fds;
  for (const platform::Fd& fd : liveness_fds_) fds.push_back(fd.get());
  return fds;
}

}  // namespace orbweaver::transport::blocks
