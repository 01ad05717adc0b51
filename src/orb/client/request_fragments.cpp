// Fragmented requests of a client connection.
#include <algorithm>

#include "giop/control_messages.h"
#include "orb/client/client_connection.h"

namespace orbweaver {
namespace {
constexpr std::int64_t kCancelMs = 100;
}  // namespace

/// Counts the request before it is sent: a server may reply before it has received all fragments.
cdr::OverflowHandler& ClientConnection::send_in_fragments(MutableBytes room, std::uint32_t request_id,
                                                          bool two_way, Deadline deadline) {
  if (two_way) count_request(1);
  fragmented_is_two_way_ = two_way;
  return fragments_.emplace(*channel_, room, request_id, deadline, &committed_);
}

/// Cancels a fragmented request whose encoding failed, so that the server does not wait for the rest (CORBA
/// 3.3 part 2, 9.4.4 and 9.4.9).
void ClientConnection::cancel_fragments() noexcept {
  const bool has_sent = fragments_->has_sent() && fragments_->failure() == nullptr;
  if (has_sent) mark_queue_sent();
  const std::uint32_t cancelled = fragments_->request_id();
  const auto cancel = giop::cancel_request(giop::kGiop12, cancelled);
  fragments_.reset();
  if (fragmented_is_two_way_) mark_incomplete(cancelled);
  if (!has_sent) return;
  // The send lock is held and no error can be returned: the wait is limited. If the cancellation cannot be
  // sent the connection is closed, as the server would read the next message as a missing fragment.
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

/// Records a counted request that was not sent completely; a reply to it is ignored. Called with the send
/// lock.
void ClientConnection::mark_incomplete(std::uint32_t request_id) noexcept {
  const std::lock_guard lock(reply_mutex_);
  Reply early;
  if (take_early_reply_locked(request_id, early)) return;
  const std::uint32_t n = incomplete_count_.load(std::memory_order_relaxed);
  if (n < kMaxIncompleteRequests) {
    incomplete_requests_[n] = request_id;
    incomplete_count_.store(n + 1, std::memory_order_relaxed);
    return;
  }
  std::copy(incomplete_requests_.begin() + 1, incomplete_requests_.end(), incomplete_requests_.begin());
  incomplete_requests_.back() = request_id;
  count_request(-1);
}

}  // namespace orbweaver
