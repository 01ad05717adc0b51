#include "orb/service_budget.h"

#include "base/contained.h"
#include "platform/clock.h"

namespace orbweaver::orb {

ServiceBudget::Share::Share(ServiceBudget& budget, End end) : budget_(budget), end_(std::move(end)) {
  const std::lock_guard lock(budget_.mutex_);
  place_ = budget_.shares_.insert(budget_.shares_.end(), this);
}

ServiceBudget::Share::~Share() {
  end_request();
  end_reply();
  const std::lock_guard lock(budget_.mutex_);
  budget_.shares_.erase(place_);
}

bool ServiceBudget::Share::begin_request(std::size_t bytes) noexcept {
  end_request();
  const std::size_t before = budget_.request_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes > budget_.max_bytes_) {
    budget_.request_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  request_bytes_ = bytes;
  return true;
}

void ServiceBudget::Share::end_request() noexcept {
  if (request_bytes_ == 0) return;
  budget_.request_bytes_.fetch_sub(request_bytes_, std::memory_order_relaxed);
  request_bytes_ = 0;
}

void ServiceBudget::Share::count_reply(std::size_t bytes) noexcept {
  const std::lock_guard lock(budget_.mutex_);
  if (!ended_)
    budget_.reply_bytes_.fetch_add(bytes - reply_bytes_, std::memory_order_relaxed);  // modulo 2^64
  reply_bytes_ = bytes;
  if (bytes == 0) return;
  reply_since_ns_ = platform::now_ns();
  budget_.end_longest_waiting(*this);
}

/// Until what waits is no more than it may be, or is all the caller's. With the lock.
void ServiceBudget::end_longest_waiting(const Share& but) noexcept {
  while (reply_bytes() > max_bytes_) {
    Share* longest = nullptr;
    for (Share* const share : shares_) {
      if (share == &but || share->reply_bytes_ == 0 || share->ended_) continue;
      if (longest == nullptr || share->reply_since_ns_ < longest->reply_since_ns_) longest = share;
    }
    if (longest == nullptr) return;
    // Its memory is given back as soon as its thread sees the end.
    longest->ended_ = true;
    reply_bytes_.fetch_sub(longest->reply_bytes_, std::memory_order_relaxed);
    contained("a connection is ended", [&] {
      longest->end_("of a reply, " + std::to_string(longest->reply_bytes_) +
                    " bytes waited longest to be taken when more than " + std::to_string(max_bytes_) +
                    " bytes of such replies did (-ORBMaxServedBytes)");
    });
  }
}

}  // namespace orbweaver::orb
