#include "transport/blocks/giving_link.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "platform/socket.h"
#include "transport/blocks/links.h"
#include "transport/blocks/pool.h"

namespace orbweaver::transport::blocks {
namespace {

struct Links {
  std::mutex mutex;
  std::vector<std::shared_ptr<GivingLink>> all;
};
Links& links() noexcept {
  static Links* const one = new Links;  // never destroyed: a user's last hold may be a static object
  return *one;
}

/// One link that is done, out of the list. Its end waits for callbacks of its watch, and so is nothing to be done
/// under a lock.
std::shared_ptr<GivingLink> take_done_link() noexcept {
  const std::lock_guard lock(links().mutex);
  auto& all = links().all;
  const auto done = std::find_if(all.begin(), all.end(), [](const auto& link) { return link->is_done(); });
  if (done == all.end()) return nullptr;
  std::shared_ptr<GivingLink> link = std::move(*done);
  all.erase(done);
  return link;
}

}  // namespace

bool enter_link(std::shared_ptr<GivingLink> link) noexcept try {
  const std::lock_guard lock(links().mutex);
  links().all.push_back(std::move(link));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void forget_done_links() noexcept {
  while (take_done_link() != nullptr) {
  }
}

void take_back_returned() noexcept {
  {
    const std::lock_guard lock(links().mutex);
    for (const auto& link : links().all) link->take_back_returned(false);
  }
  forget_done_links();
}

bool ask_for_returns() noexcept {
  const std::lock_guard lock(links().mutex);
  bool all_tell = true;
  for (const auto& link : links().all) {
    link->take_back_returned(true);
    all_tell = all_tell && link->is_told();
  }
  return all_tell;
}

GivingLink::GivingLink(std::shared_ptr<Source> source, platform::Fd lease, platform::Mapping page)
    : source_(std::move(source)), lease_(std::move(lease)), page_(std::move(page)) {
  new (page_.data()) LinkWords;
}

void GivingLink::watch() {
  const std::weak_ptr<GivingLink> weak = weak_from_this();
  const auto heard = [weak] {
    if (const auto link = weak.lock()) link->heard();
  };
  watch_ = std::make_unique<platform::HangupWatch>(lease_, heard, heard);
}

/// By the watch: the bell, or the end of the last holder.
void GivingLink::heard() noexcept {
  std::uint8_t rings[256];
  platform::recv(lease_, rings, platform::Block::no);  // what is left of a receiver that never stops is heard next time
  if (is_abandoned()) abandoned_.store(true, std::memory_order_relaxed);
  take_back_returned(source_->is_borrowed() || lenders_wait());
  if (is_done()) forget_done_links();
}

std::uint64_t GivingLink::give(Block& block) noexcept {
  if (abandoned_.load(std::memory_order_relaxed)) return kNone;
  const std::lock_guard lock(mutex_);
  reclaim();
  if (out_[next_ % kGifts] != nullptr) return kNone;
  out_[next_ % kGifts] = &block;
  ++next_;
  // The owner waits for it, and this process may make no call any more.
  if (source_->is_borrowed()) words().wanted.store(1, std::memory_order_seq_cst);  // N1, before the gift can be taken
  return next_ - 1;
}

void GivingLink::take_back(std::uint64_t gift) noexcept {
  const std::lock_guard lock(mutex_);
  drop_gift(gift);
}

void GivingLink::take_back_returned(bool ask) noexcept {
  const std::lock_guard lock(mutex_);
  reclaim();
  if (oldest_ == next_) return;
  if (is_abandoned()) {
    drop_all();
  } else if (ask) {
    ask_for_return();
  }
}

void GivingLink::end() noexcept {
  const std::lock_guard lock(mutex_);
  connected_ = false;
}

bool GivingLink::is_done() noexcept {
  const std::lock_guard lock(mutex_);
  return !connected_ && oldest_ == next_;
}

void GivingLink::reclaim() noexcept {
  // L2: pairs with L1: for every gift before `taken` the receiver's first word in `held` is seen.
  const std::uint64_t taken = std::min(words().taken.load(std::memory_order_acquire), next_);
  for (std::uint64_t gift = oldest_; gift < taken; ++gift) {
    // L4: pairs with L3: the receiver's reads of the block came before.
    if (words().held[gift % kGifts].load(std::memory_order_acquire) == 0) drop_gift(gift);
  }
  while (oldest_ < next_ && out_[oldest_ % kGifts] == nullptr) ++oldest_;
}

/// N1: asks, then looks a last time; pairs with N2, where the receiver returns and then looks whether it was asked.
void GivingLink::ask_for_return() noexcept {
  words().wanted.store(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  reclaim();
}

void GivingLink::drop_gift(std::uint64_t gift) noexcept {
  if (Block* const block = std::exchange(out_[gift % kGifts], nullptr)) block->drop();
}

void GivingLink::drop_all() noexcept {
  for (; oldest_ < next_; ++oldest_) drop_gift(oldest_);
}

bool GivingLink::is_abandoned() const noexcept {
  return (platform::poll(lease_, platform::kReadable, platform::Deadline::in_ns(0)) & platform::kHungUp) != 0;
}

}  // namespace orbweaver::transport::blocks
