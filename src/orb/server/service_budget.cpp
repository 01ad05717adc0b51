#include "orb/server/service_budget.h"

#include "base/catch_and_log.h"
#include "platform/clock.h"

namespace orbweaver::orb {

ServiceBudget::Share::Share(ServiceBudget& budget, End end) : budget_(budget), end_(std::move(end)) {
  const std::lock_guard lock(budget_.mutex_);
  budget_.eviction_.add(*this);
}

void ServiceBudget::Share::count_for(const Peer& peer) {
  const std::lock_guard lock(budget_.mutex_);
  budget_.eviction_.count_for(*this, peer);
  local_ = budget_.eviction_.is_local(*this);
}

ServiceBudget::Share::~Share() {
  end_request();
  end_reply();
  const std::lock_guard lock(budget_.mutex_);
  budget_.eviction_.remove(*this);
}

bool ServiceBudget::Share::begin_request(std::size_t bytes) noexcept {
  end_request();
  const std::size_t before = budget_.request_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes > budget_.max_request_bytes_) {
    budget_.request_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  if (!local_) {
    const std::size_t of_hosts = budget_.remote_request_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (of_hosts != 0 && of_hosts + bytes > FairEviction::for_remote(budget_.max_request_bytes_)) {
      budget_.remote_request_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      budget_.request_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      return false;
    }
  }
  request_bytes_ = bytes;
  return true;
}

void ServiceBudget::Share::end_request() noexcept {
  if (request_bytes_ == 0) return;
  if (!local_) budget_.remote_request_bytes_.fetch_sub(request_bytes_, std::memory_order_relaxed);
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
  if (!ended_ && budget_.reply_bytes() > budget_.max_reply_bytes_) budget_.evict_longest_waiting(*this);
}

/// Closes connections to free reply memory. A reply larger than the limit is sent if it is the only one.
/// Called with the lock.
void ServiceBudget::evict_longest_waiting(Share& requester) noexcept {
  bool alone = true;
  for (FairEviction::Holder* const each : eviction_.holders()) {
    const Share& share = share_of(each);
    each->held = share.ended_ ? 0 : share.reply_bytes_;
    each->held_since_ns = share.reply_since_ns_;
    if (&share != &requester && each->held != 0) alone = false;
  }
  if (alone) return;
  if (!eviction_.choose(requester, max_reply_bytes_)) return end(requester);
  for (FairEviction::Holder* const each : eviction_.holders()) {
    if (each->chosen) end(share_of(each));
  }
}

/// Closes one connection. Its memory is released when its thread notices. Called with the lock.
void ServiceBudget::end(Share& share) noexcept {
  share.ended_ = true;
  reply_bytes_.fetch_sub(share.reply_bytes_, std::memory_order_relaxed);
  catch_and_log("connection closed", [&] {
    share.end_("unread reply of " + std::to_string(share.reply_bytes_) +
               " bytes, of the peer with the most unread bytes, when more than " +
               std::to_string(max_reply_bytes_) + " bytes were unread (-ORBTune service-bytes)");
  });
}

}  // namespace orbweaver::orb
