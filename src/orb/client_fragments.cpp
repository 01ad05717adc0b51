// Requests that are sent in fragments.
#include <algorithm>

#include "giop/control.h"
#include "orb/client_connection.h"

namespace orbweaver {
namespace {
constexpr std::int64_t kCancelMs = 100;
}  // namespace

/// A server may answer before it has all of it.
cdr::Overflow& ClientConnection::send_in_fragments(MutableBytes room, std::uint32_t request_id, bool two_way,
                                                   Deadline deadline) {
  if (two_way) count_request(1);
  fragments_counted_ = two_way;
  return fragments_.emplace(*channel_, room, request_id, deadline, &committed_);
}

/// Its encoding failed. What has left of it is taken back, so that the server does not wait for the rest
/// (CORBA 3.3 part 2, 9.4.4 and 9.4.9).
void ClientConnection::cancel_fragments() noexcept {
  const bool begun = fragments_->begun() && fragments_->failure() == nullptr;
  if (begun) all_left();
  const std::uint32_t cancelled = fragments_->request_id();
  const auto cancel = giop::cancel_request(giop::kGiop12, cancelled);
  fragments_.reset();
  if (fragments_counted_) withdraw(cancelled);
  if (!begun) return;
  // With the send lock, and no caller to tell: a server that takes nothing is not waited for. Without the cancellation
  // the connection is of no more use, as the server would take the next message for a fragment that is missing.
  const Deadline deadline = Deadline::in_ms(kCancelMs);
  auto room = channel_->claim(cancel.size(), deadline);
  if (room) {
    std::copy(cancel.begin(), cancel.end(), room->begin());
    committed_.store(committed_.load(std::memory_order_relaxed) + cancel.size(), std::memory_order_release);
    if (channel_->commit(cancel.size(), deadline)) return;
  }
  usable_.store(false, std::memory_order_release);
  channel_->close();
}

/// With the send lock. The request was counted, and the server has not all of it: a reply that it sends all the same is
/// dropped.
void ClientConnection::withdraw(std::uint32_t request_id) noexcept {
  const std::lock_guard lock(wait_mutex_);
  Reply early;
  if (claim_arrived_locked(request_id, early)) return;
  const std::uint32_t n = withdrawn_count_.load(std::memory_order_relaxed);
  if (n < kMaxWithdrawn) {
    withdrawn_[n] = request_id;
    withdrawn_count_.store(n + 1, std::memory_order_relaxed);
    return;
  }
  std::copy(withdrawn_.begin() + 1, withdrawn_.end(), withdrawn_.begin());
  withdrawn_.back() = request_id;
  count_request(-1);
}

}  // namespace orbweaver
