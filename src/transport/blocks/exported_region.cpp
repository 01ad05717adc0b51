#include "transport/blocks/exported_region.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "platform/peer_event.h"
#include "platform/socket.h"
#include "transport/blocks/block_transfer.h"
#include "transport/blocks/pool.h"

namespace orbweaver::transport::blocks {
namespace {

/// A region asks its importer for returns until this many grants were made without a demand. More than a
/// grant or two, because each new demand costs a wake-up of the importer.
constexpr std::size_t kGrantsUntilNoDemand = kMaxGrants;

struct ExportedRegions {
  std::mutex mutex;
  std::vector<std::shared_ptr<ExportedRegion>> all;
};
ExportedRegions& exported_regions() noexcept {
  // never destroyed: a static object may hold the last reference to a block
  static ExportedRegions* const instance = new ExportedRegions;
  return *instance;
}

/// Removes and returns one finished region; null if there is none. The caller destroys it without a lock: its
/// destructor waits for callbacks of its watch.
std::shared_ptr<ExportedRegion> extract_finished_region() noexcept {
  const std::lock_guard lock(exported_regions().mutex);
  auto& all = exported_regions().all;
  const auto done =
      std::find_if(all.begin(), all.end(), [](const auto& region) { return region->is_done(); });
  if (done == all.end()) return nullptr;
  std::shared_ptr<ExportedRegion> region = std::move(*done);
  all.erase(done);
  return region;
}

}  // namespace

bool register_region(std::shared_ptr<ExportedRegion> region) noexcept try {
  const std::lock_guard lock(exported_regions().mutex);
  exported_regions().all.push_back(std::move(region));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void remove_finished_regions() noexcept {
  while (extract_finished_region() != nullptr) {
  }
}

void reclaim_returned_grants() noexcept {
  {
    const std::lock_guard lock(exported_regions().mutex);
    for (const auto& region : exported_regions().all) region->reclaim_returned_grants(Demand::none);
  }
  remove_finished_regions();
}

bool request_returns(const BlockOwner& owner, Demand demand) noexcept {
  bool all_notify = true;
  {
    const std::lock_guard lock(exported_regions().mutex);
    for (const auto& region : exported_regions().all) {
      if (&region->owner() != &owner) continue;
      region->reclaim_returned_grants(demand);
      all_notify = all_notify && region->can_notify_returns();
    }
  }
  remove_finished_regions();
  return all_notify;
}

ExportedRegion::ExportedRegion(std::shared_ptr<BlockOwner> owner, RegionEvents events,
                               platform::Fd liveness_fd, platform::Mapping page)
    : owner_(std::move(owner)), events_(std::move(events)), liveness_fd_(std::move(liveness_fd)),
      page_(std::move(page)) {
  new (page_.data()) RegionWords;
  owner_->add_export(*this);
}

void ExportedRegion::watch() {
  const std::weak_ptr<ExportedRegion> weak = weak_from_this();
  liveness_watch_ = std::make_unique<platform::HangupWatch>(liveness_fd_, [weak] {
    if (const auto region = weak.lock()) region->on_hangup();
  });
  return_watch_ = std::make_unique<platform::HangupWatch>(
      events_.returned, [] {},
      [weak] {
        if (const auto region = weak.lock()) region->on_return();
      });
}

/// Callback of the watch: the importer has returned a block.
void ExportedRegion::on_return() noexcept {
  platform::clear_peer_event(events_.returned);  // before the words are read
  reclaim_returned_grants(owner_->demand());
  if (is_done()) remove_finished_regions();
}

/// Callback of the watch: the last holder has closed the liveness descriptor.
void ExportedRegion::on_hangup() noexcept {
  abandoned_.store(true, std::memory_order_relaxed);
  reclaim_returned_grants(Demand::none);
  if (is_done()) remove_finished_regions();
}

std::uint64_t ExportedRegion::add_grant(Block& block) noexcept {
  if (abandoned_.load(std::memory_order_relaxed)) return kNone;
  const std::lock_guard lock(mutex_);
  reclaim();
  // An earlier exporter, or a thread here that asked before the grant was made, waits for its return, and
  // this process may make no further call. N1, before the grant can be imported. A demand that is not visible
  // yet is made later, under mutex_ (D1).
  Demand demand = owner_->demand();
  if (next_ - oldest_ >= kMaxGrants / 2) demand = std::max(demand, Demand::returns);
  ask(demand);
  if (granted_[next_ % kMaxGrants] != nullptr) return kNone;
  granted_[next_ % kMaxGrants] = &block;
  ++next_;
  if (!can_notify_returns()) wake_loan_waiters();  // they look from time to time while such a region exports
  return next_ - 1;
}

void ExportedRegion::revoke_grant(std::uint64_t grant) noexcept {
  const std::lock_guard lock(mutex_);
  drop_grant(grant);
}

void ExportedRegion::reclaim_returned_grants(Demand demand) noexcept {
  const std::lock_guard lock(mutex_);
  reclaim();
  if (oldest_ == next_) return;
  if (is_abandoned()) {
    drop_all();
  } else if (demand != Demand::none) {
    ask(demand);
    // N1: the demand, then a check for returns once more; pairs with N2, where the importer returns a grant
    // and then checks the flag.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    reclaim();
  }
}

void ExportedRegion::announce_end() noexcept {
  words().ended.store(1, std::memory_order_release);
  platform::signal_peer_event(events_.changed);
  end_announced_.store(true, std::memory_order_release);
}

void ExportedRegion::end() noexcept {
  const std::lock_guard lock(mutex_);
  connected_ = false;
}

bool ExportedRegion::is_done() noexcept {
  const std::lock_guard lock(mutex_);
  return !connected_ && oldest_ == next_;
}

void ExportedRegion::reclaim() noexcept {
  // L2: pairs with L1: for every grant before `imported` the importer's first store to `held` is visible.
  const std::uint64_t imported = std::min(words().imported.load(std::memory_order_acquire), next_);
  for (std::uint64_t grant = oldest_; grant < imported; ++grant) {
    // L4: pairs with L3: the importer's reads of the block happened before.
    if (words().held[grant % kMaxGrants].load(std::memory_order_acquire) == 0) drop_grant(grant);
  }
  while (oldest_ < next_ && granted_[oldest_ % kMaxGrants] == nullptr) ++oldest_;
}

/// Asks the importer for returns. Under mutex_.
void ExportedRegion::ask(Demand demand) noexcept {
  if (demand == Demand::none) {
    if (!returns_wanted_ || ++grants_without_demand_ < kGrantsUntilNoDemand) return;
    returns_wanted_ = false;
    words().returns_wanted.store(0, std::memory_order_relaxed);
    return;
  }
  grants_without_demand_ = 0;
  if (demand == Demand::notified_returns) words().notify_on_return.store(1, std::memory_order_seq_cst);
  if (std::exchange(returns_wanted_, true)) return;
  // D1: the word, then the event; pairs with D2.
  words().returns_wanted.store(1, std::memory_order_release);
  platform::signal_peer_event(events_.changed);
}

void ExportedRegion::drop_grant(std::uint64_t grant) noexcept {
  if (Block* const block = std::exchange(granted_[grant % kMaxGrants], nullptr)) block->release_ref();
}

void ExportedRegion::drop_all() noexcept {
  for (; oldest_ < next_; ++oldest_) drop_grant(oldest_);
}

bool ExportedRegion::is_abandoned() const noexcept {
  return (platform::poll(liveness_fd_, platform::kReadable, platform::Deadline::in_ns(0)) &
          platform::kHungUp) != 0;
}

}  // namespace orbweaver::transport::blocks
