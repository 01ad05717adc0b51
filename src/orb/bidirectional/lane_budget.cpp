#include "orb/bidirectional/lane_budget.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/catch_and_log.h"
#include "orb/bidirectional/split_channel.h"
#include "platform/clock.h"

namespace orbweaver::orb {

LaneBudget::Share::Share(std::shared_ptr<LaneBudget> budget, const orbweaver::Peer& peer)
    : budget_(std::move(budget)) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  peer_ = budget_->peers_.try_emplace(counted_as(peer)).first;
  budget_->eviction_.add(*this);
  try {
    budget_->eviction_.count_for(*this, peer);
  } catch (...) {
    budget_->eviction_.remove(*this);
    throw;
  }
  ++peer_->second.shares;
}

LaneBudget::Share::~Share() {
  if (budget_ == nullptr) return;
  {
    const std::lock_guard lock(budget_->mutex_);
    budget_->set_bytes(*this, 0);
    budget_->lanes_ -= lanes_;
    peer_->second.lanes -= lanes_;
    if (waits_.load(std::memory_order_relaxed)) --budget_->waiting_;
    budget_->eviction_.remove(*this);
    if (--peer_->second.shares == 0) budget_->peers_.erase(peer_);
  }
  budget_->settle(nullptr);
}

void LaneBudget::Share::set_channel(std::weak_ptr<SplitChannel> channel) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  channel_ = std::move(channel);
}

bool LaneBudget::Share::count(std::size_t bytes) noexcept {
  if (budget_ == nullptr) return false;
  const std::lock_guard lock(budget_->mutex_);
  budget_->set_bytes(*this, bytes);
  return budget_->waiting_ != 0 || budget_->bytes_ > budget_->most_bytes();
}

bool LaneBudget::Share::may_read() noexcept {
  if (budget_ == nullptr) return true;
  const std::lock_guard lock(budget_->mutex_);
  const bool waits = !budget_->has_room(*this);
  if (waits_.exchange(waits, std::memory_order_relaxed)) --budget_->waiting_;
  if (waits) ++budget_->waiting_;
  return !waits;
}

bool LaneBudget::Share::add_lane() noexcept {
  if (budget_ == nullptr) return true;
  const std::lock_guard lock(budget_->mutex_);
  const std::size_t most = budget_->limits_.lanes;
  if (most != 0 && (budget_->lanes_ >= most || peer_->second.lanes >= half_of(most))) return false;
  ++lanes_;
  ++peer_->second.lanes;
  ++budget_->lanes_;
  return true;
}

void LaneBudget::Share::keep_lanes(std::size_t lanes) noexcept {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  if (lanes >= lanes_) return;
  budget_->lanes_ -= lanes_ - lanes;
  peer_->second.lanes -= lanes_ - lanes;
  lanes_ = lanes;
}

void LaneBudget::Share::settle() noexcept {
  if (budget_ != nullptr) budget_->settle(this);
}

std::size_t LaneBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t LaneBudget::lanes() const {
  const std::lock_guard lock(mutex_);
  return lanes_;
}

/// Beyond which connections are closed.
std::size_t LaneBudget::most_bytes() const noexcept {
  return limits_.bytes > SIZE_MAX / 2 ? SIZE_MAX : 2 * limits_.bytes;
}

bool LaneBudget::has_room(const Share& share) const noexcept {
  if (share.peer_->second.bytes >= half_of(limits_.bytes)) return false;
  // A connection that holds nothing is read also at the limit: otherwise two peers whose requests are never
  // complete could stop all others. Beyond twice the limit, connections of the largest peer are closed.
  return share.bytes_ == 0 || bytes_ < limits_.bytes;
}

void LaneBudget::set_bytes(Share& share, std::size_t bytes) noexcept {
  if (share.ended_) return;
  if (share.bytes_ == 0 && bytes != 0) share.held_since_ns = platform::now_ns();
  bytes_ += bytes - share.bytes_;  // modulo 2^64, as the next line
  share.peer_->second.bytes += bytes - share.bytes_;
  share.bytes_ = bytes;
}

/// Adds the channel of the share to those that are to be closed.
void LaneBudget::end(Share& share, Channels& closed) noexcept {
  if (share.ended_) return;
  closed.push_back(share.channel_.lock());
  set_bytes(share, 0);
  share.ended_ = true;
}

void LaneBudget::end_largest(Share& wanting, Channels& closed) {
  closed.reserve(eviction_.holders().size());
  for (FairEviction::Holder* const each : eviction_.holders()) each->held = share_of(each).bytes_;
  if (!eviction_.choose(wanting, most_bytes())) return end(wanting, closed);
  for (FairEviction::Holder* const each : eviction_.holders()) {
    if (each->chosen) end(share_of(each), closed);
  }
}

/// Adds the channels that may be read again.
void LaneBudget::take_waiting(Channels& resumed) {
  resumed.reserve(waiting_);
  for (FairEviction::Holder* const each : eviction_.holders()) {
    Share& share = share_of(each);
    if (!share.waits_.load(std::memory_order_relaxed) || !has_room(share)) continue;
    resumed.push_back(share.channel_.lock());
    share.waits_.store(false, std::memory_order_relaxed);
    --waiting_;
  }
}

void LaneBudget::settle(Share* wanting) noexcept {
  catch_and_log("limiting the requests of bidirectional connections", [&] {
    Channels resumed, closed;
    {
      const std::lock_guard lock(mutex_);
      if (wanting != nullptr && bytes_ > most_bytes()) end_largest(*wanting, closed);
      if (waiting_ != 0) take_waiting(resumed);
    }
    for (const auto& each : closed) {
      if (each != nullptr) each->close_over_limit(limits_.bytes);
    }
    for (const auto& each : resumed) {
      if (each != nullptr) each->resume_reading();
    }
  });
}

}  // namespace orbweaver::orb
