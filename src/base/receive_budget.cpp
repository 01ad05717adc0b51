#include "base/receive_budget.h"

#include <algorithm>

#include "base/catch_and_log.h"
#include "platform/clock.h"

namespace orbweaver {

ReceiveBudget::Share::Share(std::shared_ptr<ReceiveBudget> budget, End end, Timed timed, HasInput has_input)
    : budget_(std::move(budget)), end_(std::move(end)), timed_(timed), has_input_(std::move(has_input)) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->eviction_.add(*this);
}

void ReceiveBudget::Share::count_for(const Peer& peer) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->eviction_.count_for(*this, peer);
}

ReceiveBudget::Share::~Share() {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->eviction_.remove(*this);
  count(memory_, budget_->bytes_, 0);
  count(cached_, budget_->cached_bytes_, 0);
}

/// Sets one share's count and adjusts the total. Exchanges the count, because evict_longest_waiting may set
/// it to 0 at the same time.
void ReceiveBudget::Share::count(std::atomic<std::size_t>& own, std::atomic<std::size_t>& all,
                                 std::size_t memory) noexcept {
  if (own.load(std::memory_order_relaxed) == memory) return;
  const std::size_t before = own.exchange(memory, std::memory_order_relaxed);
  all.fetch_add(memory - before, std::memory_order_relaxed);  // modulo 2^64: the difference may be negative
}

bool ReceiveBudget::Share::hold(std::size_t arrived, std::size_t memory, std::int64_t since_ns) noexcept {
  if (budget_ == nullptr) return true;
  counts_ = true;
  const std::int64_t before_ns = since_ns_.load(std::memory_order_relaxed);
  if (since_ns == 0) since_ns = before_ns != 0 ? before_ns : platform::now_ns();
  if (before_ns != 0) {
    since_ns_.store(since_ns, std::memory_order_relaxed);
  } else {
    since_ns_.store(since_ns, std::memory_order_seq_cst);
    // seq_cst, pairs with `receiving`: either that reads the time stored above, or this reads notified_ ==
    // false.
    if (timed_ == Timed::yes && !budget_->notified_.load(std::memory_order_seq_cst))
      budget_->notify_receiving();
  }
  arrived_.store(arrived, std::memory_order_relaxed);
  count(cached_, budget_->cached_bytes_, 0);
  count(memory_, budget_->bytes_, memory);
  if (budget_->bytes() > budget_->max_bytes_ && !budget_->evict_longest_waiting(*this)) return false;
  return !ended_.load(std::memory_order_relaxed);
}

void ReceiveBudget::Share::complete(std::size_t cached) noexcept {
  if (budget_ == nullptr) return;
  since_ns_.store(0, std::memory_order_relaxed);
  count(memory_, budget_->bytes_, 0);
  count(cached_, budget_->cached_bytes_, cached);
}

bool ReceiveBudget::Share::done(std::size_t memory) noexcept {
  if (budget_ == nullptr) return true;
  complete(memory);
  counts_ = memory != 0;
  return memory == 0 || budget_->cached_bytes() <= budget_->max_bytes_ / 2;
}

/// Ends connections until the remaining ones are within max_bytes_. False, and no connection is ended, if
/// `wanting` itself holds too much.
bool ReceiveBudget::evict_longest_waiting(const Share& wanting) noexcept try {
  const std::lock_guard lock(mutex_);
  for (FairEviction::Holder* const each : eviction_.holders()) {
    const Share& share = share_of(each);
    each->held = &share == &wanting || share.receiving() ? share.memory_.load(std::memory_order_relaxed) : 0;
    each->held_since_ns = share.since_ns_.load(std::memory_order_relaxed);
  }
  if (!eviction_.choose(wanting, max_bytes_)) return false;
  for (FairEviction::Holder* const each : eviction_.holders()) {
    if (!each->chosen) continue;
    Share& share = share_of(each);
    Share::count(share.memory_, bytes_, 0);  // its thread frees the memory as soon as it sees ended_
    end(share, "receive budget of " + std::to_string(max_bytes_) +
                   " bytes exceeded (-ORBTune receive-bytes): incomplete " + "message of " +
                   std::to_string(each->held) + " bytes, of the peer that held most");
  }
  return true;
} catch (...) {
  return false;  // no memory for the error message: reject the incomplete message
}

void ReceiveBudget::on_receiving(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  notified_.store(call == nullptr, std::memory_order_seq_cst);
  on_receiving_ = std::move(call);
}

void ReceiveBudget::notify_receiving() noexcept {
  catch_and_log("setting the timeout of an incomplete message", [this] {
    const std::lock_guard lock(mutex_);
    if (on_receiving_ && !notified_.exchange(true, std::memory_order_seq_cst)) on_receiving_();
  });
}

bool ReceiveBudget::receiving() noexcept {
  const std::lock_guard lock(mutex_);
  notified_.store(on_receiving_ == nullptr, std::memory_order_seq_cst);
  return std::any_of(eviction_.holders().begin(), eviction_.holders().end(), [](FairEviction::Holder* each) {
    const Share& share = share_of(each);
    return share.timed_ == Timed::yes && share.since_ns_.load(std::memory_order_seq_cst) != 0 &&
           !share.ended_.load(std::memory_order_relaxed);
  });
}

void ReceiveBudget::end(Share& share, const std::string& why) {
  if (!share.ended_.exchange(true, std::memory_order_relaxed)) share.end_(why);
}

void ReceiveBudget::end_timed_out(std::int64_t timeout_ms) noexcept try {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = platform::now_ns();
  for (FairEviction::Holder* const each : eviction_.holders()) {
    Share& share = share_of(each);
    const std::int64_t since = share.since_ns_.load(std::memory_order_relaxed);
    if (since == 0 || share.timed_ == Timed::no) continue;
    const std::size_t arrived = share.arrived_.load(std::memory_order_relaxed);
    const auto allowed_ms = timeout_ms + static_cast<std::int64_t>(arrived * 1000 / kMinBytesPerSecond);
    if (now - since <= allowed_ms * 1'000'000) continue;
    if (share.has_input_ && share.has_input_()) continue;  // the rest may have arrived: check again later
    end(share, "message timeout (-ORBTune message-timeout-ms): incomplete message, " +
                   std::to_string(arrived) + " bytes in " + std::to_string(allowed_ms) + " ms");
  }
} catch (...) {
  // No memory for the error message: the next call tries again.
}

}  // namespace orbweaver
