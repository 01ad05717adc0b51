#include "base/receive_budget.h"

#include <algorithm>

#include "base/contained.h"
#include "platform/clock.h"

namespace orbweaver {

ReceiveBudget::Share::Share(std::shared_ptr<ReceiveBudget> budget, End end, Timed timed, HasInput has_input)
    : budget_(std::move(budget)), end_(std::move(end)), timed_(timed), has_input_(std::move(has_input)) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->room_.add(*this);
}

void ReceiveBudget::Share::count_for(const Peer& peer) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->room_.count_for(*this, peer);
}

ReceiveBudget::Share::~Share() {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->room_.remove(*this);
  count(memory_, budget_->bytes_, 0);
  count(spare_, budget_->spare_bytes_, 0);
}

/// By an exchange: the budget may take what is counted off at the same time.
void ReceiveBudget::Share::count(std::atomic<std::size_t>& own, std::atomic<std::size_t>& all,
                                 std::size_t memory) noexcept {
  if (own.load(std::memory_order_relaxed) == memory) return;
  const std::size_t before = own.exchange(memory, std::memory_order_relaxed);
  all.fetch_add(memory - before, std::memory_order_relaxed);  // modulo 2^64: may be less than before
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
    // seq_cst, with `receiving`: either that sees the time, or this sees that nobody has been told.
    if (timed_ == Timed::yes && !budget_->told_.load(std::memory_order_seq_cst)) budget_->tell_receiving();
  }
  arrived_.store(arrived, std::memory_order_relaxed);
  count(spare_, budget_->spare_bytes_, 0);
  count(memory_, budget_->bytes_, memory);
  if (budget_->bytes() > budget_->max_bytes_ && !budget_->make_room(*this)) return false;
  return !ended_.load(std::memory_order_relaxed);
}

void ReceiveBudget::Share::complete(std::size_t spare) noexcept {
  if (budget_ == nullptr) return;
  since_ns_.store(0, std::memory_order_relaxed);
  count(memory_, budget_->bytes_, 0);
  count(spare_, budget_->spare_bytes_, spare);
}

bool ReceiveBudget::Share::done(std::size_t memory) noexcept {
  if (budget_ == nullptr) return true;
  complete(memory);
  counts_ = memory != 0;
  return memory == 0 || budget_->spare_bytes() <= budget_->max_bytes_ / 2;
}

/// Ends connections until the others fit. False: what `wanting` holds is too much, and nobody is ended for it.
bool ReceiveBudget::make_room(const Share& wanting) noexcept try {
  const std::lock_guard lock(mutex_);
  for (FairRoom::Holder* const each : room_.holders()) {
    const Share& share = share_of(each);
    each->held = &share == &wanting || share.receiving() ? share.memory_.load(std::memory_order_relaxed) : 0;
    each->held_since_ns = share.since_ns_.load(std::memory_order_relaxed);
  }
  if (!room_.choose(wanting, max_bytes_)) return false;
  for (FairRoom::Holder* const each : room_.holders()) {
    if (!each->chosen) continue;
    Share& share = share_of(each);
    Share::count(share.memory_, bytes_, 0);  // its thread gives the memory back as soon as it sees the end
    end(share, "of a message, " + std::to_string(each->held) + " bytes waited for the rest, of the peer that held most, when " +
                   "more than " + std::to_string(max_bytes_) + " bytes of such messages were held (-ORBMaxReceiveBytes)");
  }
  return true;
} catch (...) {
  return false;  // no memory for a sentence: then there is none for messages either
}

void ReceiveBudget::on_receiving(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  told_.store(call == nullptr, std::memory_order_seq_cst);
  on_receiving_ = std::move(call);
}

void ReceiveBudget::tell_receiving() noexcept {
  contained("a half-received message is not timed", [this] {
    const std::lock_guard lock(mutex_);
    if (on_receiving_ && !told_.exchange(true, std::memory_order_seq_cst)) on_receiving_();
  });
}

bool ReceiveBudget::receiving() noexcept {
  const std::lock_guard lock(mutex_);
  told_.store(on_receiving_ == nullptr, std::memory_order_seq_cst);
  return std::any_of(room_.holders().begin(), room_.holders().end(), [](FairRoom::Holder* each) {
    const Share& share = share_of(each);
    return share.timed_ == Timed::yes && share.since_ns_.load(std::memory_order_seq_cst) != 0 &&
           !share.ended_.load(std::memory_order_relaxed);
  });
}

void ReceiveBudget::end(Share& share, const std::string& why) {
  if (!share.ended_.exchange(true, std::memory_order_relaxed)) share.end_(why);
}

void ReceiveBudget::end_late(std::int64_t timeout_ms) noexcept try {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = platform::now_ns();
  for (FairRoom::Holder* const each : room_.holders()) {
    Share& share = share_of(each);
    const std::int64_t since = share.since_ns_.load(std::memory_order_relaxed);
    if (since == 0 || share.timed_ == Timed::no) continue;
    const std::size_t arrived = share.arrived_.load(std::memory_order_relaxed);
    const auto allowed_ms = timeout_ms + static_cast<std::int64_t>(arrived * 1000 / kLeastBytesPerSecond);
    if (now - since <= allowed_ms * 1'000'000) continue;
    if (share.has_input_ && share.has_input_()) continue;  // the rest may be there: another time
    end(share, "of a message, " + std::to_string(arrived) + " bytes arrived in " + std::to_string(allowed_ms) +
                   " ms, and the rest did not (-ORBMessageTimeout)");
  }
} catch (...) {
  // No memory for a sentence: another time.
}

}  // namespace orbweaver
