#include "orb/service_budget.h"

#include "base/contained.h"
#include "platform/clock.h"

namespace orbweaver::orb {

ServiceBudget::Share::Share(ServiceBudget& budget, End end) : budget_(budget), end_(std::move(end)) {
  const std::lock_guard lock(budget_.mutex_);
  budget_.room_.add(*this);
}

void ServiceBudget::Share::count_for(const Peer& peer) {
  const std::lock_guard lock(budget_.mutex_);
  budget_.room_.count_for(*this, peer);
  local_ = budget_.room_.is_local(*this);
}

ServiceBudget::Share::~Share() {
  end_request();
  end_reply();
  const std::lock_guard lock(budget_.mutex_);
  budget_.room_.remove(*this);
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
    if (of_hosts != 0 && of_hosts + bytes > FairRoom::for_remote(budget_.max_request_bytes_)) {
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
  if (!ended_ && budget_.reply_bytes() > budget_.max_reply_bytes_) budget_.make_room(*this);
}

/// A reply that is larger than the limit is sent where no other waits. With the lock.
void ServiceBudget::make_room(Share& wanting) noexcept {
  bool alone = true;
  for (FairRoom::Holder* const each : room_.holders()) {
    const Share& share = share_of(each);
    each->held = share.ended_ ? 0 : share.reply_bytes_;
    each->held_since_ns = share.reply_since_ns_;
    if (&share != &wanting && each->held != 0) alone = false;
  }
  if (alone) return;
  if (!room_.choose(wanting, max_reply_bytes_)) return end(wanting);
  for (FairRoom::Holder* const each : room_.holders()) {
    if (each->chosen) end(share_of(each));
  }
}

/// Its memory is given back as soon as its thread sees the end. With the lock.
void ServiceBudget::end(Share& share) noexcept {
  share.ended_ = true;
  reply_bytes_.fetch_sub(share.reply_bytes_, std::memory_order_relaxed);
  contained("a connection is ended", [&] {
    share.end_("a reply of " + std::to_string(share.reply_bytes_) +
               " bytes waited to be taken, of the peer that let most wait, when more than " + std::to_string(max_reply_bytes_) +
               " bytes of such replies did (-ORBMaxServedBytes)");
  });
}

}  // namespace orbweaver::orb
