#include "transport/blocks/taken_link.h"

#include "platform/socket.h"
#include "transport/blocks/sources.h"

namespace orbweaver::transport::blocks {

TakenLink::~TakenLink() { forget_source(base()); }

Block* TakenLink::take(const BlockDescription& d, std::size_t bytes, std::size_t alignment,
                       const std::uint8_t*& data) noexcept {
  const std::uint64_t next = next_.load(std::memory_order_relaxed);
  Place& place = places_[d.gift % kGifts];
  // T1: pairs with T2: the place is whole again.
  // One that was taken before is far beyond `next`, too: the difference wraps.
  if (d.gift - next >= kGifts || place.taken.load(std::memory_order_acquire)) return nullptr;
  if (d.offset > this->bytes() || d.bytes > this->bytes() - d.offset) return nullptr;
  if (d.begin > d.bytes || bytes > d.bytes - d.begin) return nullptr;
  const std::uint8_t* const block_begin = base() + d.offset;
  data = block_begin + d.begin;
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) return nullptr;
  Block* taken = &places_[(next + kGifts - 1) % kGifts];
  if (next == 0 || !taken->add_if_around(block_begin, d.bytes)) taken = nullptr;
  if (taken == nullptr) {
    place.taken.store(true, std::memory_order_relaxed);
    place.keep = shared_from_this();
    place.fill(*this, block_begin, d.bytes);
    words().held[d.gift % kGifts].store(1, std::memory_order_relaxed);
    taken = &place;
  }  // else the one before was in the same block and is held still: this one goes back at once
  next_.store(d.gift + 1, std::memory_order_relaxed);
  // L1: publishes the hold above; pairs with L2.
  words().taken.store(d.gift + 1, std::memory_order_release);
  return taken;
}

Block* TakenLink::hold(const void* data, std::size_t wanted) noexcept {
  // What is held or handed on came lately, most of the time.
  const std::uint64_t next = next_.load(std::memory_order_relaxed);
  for (std::uint64_t back = 1; back <= kGifts; ++back) {
    Place& place = places_[(next + kGifts - back) % kGifts];
    if (place.add_if_around(data, wanted)) return &place;
  }
  return nullptr;
}

void TakenLink::give_back(Block& block) noexcept {
  auto& place = static_cast<Place&>(block);
  const auto index = static_cast<std::size_t>(&place - places_.data());
  const std::shared_ptr<Source> keep = std::move(place.keep);  // perhaps the last: this ends with it
  // T2: before the giver can know: the gift that it gives in this place finds it free. Pairs with T1.
  place.taken.store(false, std::memory_order_release);
  // L3: what was read of the block was read before; pairs with L4.
  words().held[index].store(0, std::memory_order_release);
  ring_if_wanted();
}

/// N2: the return above is visible before it is looked whether the giver waits for one; pairs with N1.
void TakenLink::ring_if_wanted() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic<std::uint32_t>& wanted = words().wanted;
  if (wanted.load(std::memory_order_relaxed) == 0 || wanted.exchange(0, std::memory_order_seq_cst) == 0) return;
  static constexpr std::uint8_t kRing[1] = {1};
  platform::send(leases_.front(), std::span<const std::uint8_t>(kRing), platform::Block::no);  // full: it rings already
}

std::vector<int> TakenLink::leases() const {
  std::vector<int> fds;
  for (const platform::Fd& fd : leases_) fds.push_back(fd.get());
  return fds;
}

}  // namespace orbweaver::transport::blocks
